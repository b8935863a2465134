// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/end_of_run.hpp"

#include <algorithm>
#include <cerrno>  // program_invocation_short_name
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/chrome_trace.hpp>
#include <plait/trace/result_parts.hpp>

#include "core/environment_variable.hpp"
#include "runtime/written/ledger_table.hpp"
#include "runtime/written/program_result.hpp"
#include "runtime/written/recorder.hpp"
#include "runtime/written/report_page.hpp"

namespace plait {
namespace {

[[nodiscard]] bool ledger_wanted() {
  const std::string text = environment_variable("PLAIT_LEDGER");
  if (text.empty() || text == "0") return false;
  if (text == "1") return true;
  throw usage_error("PLAIT_LEDGER is '" + text + "'; it can be 1 (a table at the end) or 0");
}

[[nodiscard]] std::size_t events_wanted(std::size_t otherwise) {
  const std::string text = environment_variable("PLAIT_TRACE_EVENTS");
  if (text.empty()) return otherwise;
  std::size_t events = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, events);
  if (failed != std::errc() || rest != end || events == 0) {
    throw usage_error("PLAIT_TRACE_EVENTS is '" + text + "'; it can be a number from 1");
  }
  return events;
}

/// Returns "trace.json" as "trace.2.json".
[[nodiscard]] std::string numbered(const std::string& path, int number) {
  const std::filesystem::path whole(path);
  const std::string name =
      fmt::format("{}.{}{}", whole.stem().string(), number, whole.extension().string());
  return (whole.parent_path() / name).string();
}

/// A program that makes a second environment writes to other files.
[[nodiscard]] std::string file_wanted(const char* name, int environment_number) {
  std::string path = environment_variable(name);
  if (path.empty()) return path;
  if (environment_number > 1 && path != "-") path = numbered(path, environment_number);
  if (const std::string why = why_not_writable(path); !why.empty()) {
    throw usage_error(fmt::format("{}: {}: {}", name, path, why));
  }
  return path;
}

/// Makes the folder of a recording and removes the files of an older one.  Errors: usage_error.
[[nodiscard]] std::string folder_wanted(const char* name, int environment_number) {
  std::string folder = environment_variable(name);
  if (folder.empty()) return folder;
  if (environment_number > 1) folder += fmt::format(".{}", environment_number);
  try {
    program_recording::prepare(folder);
  } catch (const error& e) {
    throw usage_error(fmt::format("{}: {}", name, e.what()));
  }
  return std::filesystem::absolute(folder).string();
}

/// Reads the wishes of rank 0's environment.  Errors: usage_error.
[[nodiscard]] end_of_run::wishes read_wishes(int environment_number) {
  end_of_run::wishes wanted;
  wanted.ledger = ledger_wanted();
  wanted.trace = file_wanted("PLAIT_TRACE", environment_number);
  wanted.report = file_wanted("PLAIT_REPORT", environment_number);
  wanted.result = file_wanted("PLAIT_RESULT", environment_number);
  wanted.recording = folder_wanted("PLAIT_RECORD", environment_number);
  std::map<std::string_view, const char*> named;
  for (const auto& [variable, file] :
       {std::pair{"PLAIT_TRACE", &wanted.trace}, std::pair{"PLAIT_REPORT", &wanted.report},
        std::pair{"PLAIT_RESULT", &wanted.result}}) {
    if (file->empty()) continue;
    wanted.events = true;
    const auto [before, is_new] = named.try_emplace(*file, variable);
    if (!is_new)
      throw usage_error(
          fmt::format("{} and {} name the same file, {}", before->second, variable, *file));
  }
  wanted.most_events = events_wanted(wanted.most_events);
  return wanted;
}

// What a rank tells another one: numbers as they are in memory.

template <class T>
void put(std::string& told, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  told.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
[[nodiscard]] T take(std::string_view& told) {
  T value;
  if (told.copy(reinterpret_cast<char*>(&value), sizeof value) < sizeof value)
    throw error("what a rank told of its run is cut off");
  told.remove_prefix(sizeof value);
  return value;
}

/// Reads the wishes of the environment.  They are equal on every rank, but for the names of files
/// that only rank 0 needs.  Collective.
[[nodiscard]] end_of_run::wishes agreed_wishes(environment& env) {
  static int environments = 0;
  ++environments;
  end_of_run::wishes wanted;
  std::string told;
  if (env.rank() == 0) {
    try {
      wanted = read_wishes(environments);
    } catch (const usage_error& wrong) {
      env.abort(wrong.what(), 2);
    }
    put(told, wanted.ledger);
    put(told, wanted.events);
    put(told, wanted.most_events);
    told += wanted.recording;
  }
  told = env.broadcast(told);
  if (env.rank() != 0) {
    std::string_view rest = told;
    wanted.ledger = take<bool>(rest);
    wanted.events = take<bool>(rest);
    wanted.most_events = take<std::size_t>(rest);
    wanted.recording = rest;
  }
  return wanted;
}

[[nodiscard]] std::size_t events_of_a_rank(const environment& env, std::size_t of_all) {
  return std::max<std::size_t>(of_all / static_cast<std::size_t>(env.size()), 1);
}

void add_workers(ledger& to, const ledger& workers) {
  for (const ledger_entry& one : workers) {
    const auto at = static_cast<std::size_t>(one.worker);
    while (to.size() <= at) to.push_back({.worker = static_cast<int>(to.size())});
    add_up(to[at], one);
  }
}

/// A rank's part of `record`.
void add_rank(program_record& record, std::string_view told) {
  record.means.push_back(take<ledger_entry>(told));
  record.dropped_events += take<std::uint64_t>(told);
  ledger& workers = record.ledgers.emplace_back();
  while (!told.empty()) workers.push_back(take<ledger_entry>(told));
}

/// Returns how many runtimes the rank has made that has made most: one may have failed to make its
/// own.  Collective.
[[nodiscard]] std::size_t most_runs(environment& env, std::size_t own) {
  std::string told;
  put(told, own);
  for (std::string_view one : env.gather(told)) own = std::max(own, take<std::size_t>(one));
  told.clear();
  put(told, own);
  told = env.broadcast(told);
  std::string_view agreed = told;
  return take<std::size_t>(agreed);
}

void find_paths(program_record& record) {
  for (std::size_t i = 0; i < record.runs.size(); ++i) {
    traced_run& run = record.runs[i];
    run.name = record.runs.size() == 1 ? record.program : fmt::format("runtime {}", i + 1);
    run.path = critical_path(run.events);
    mark_critical(run.events, run.path);
  }
}

/// Writes what `make` returns to `path`, if one is named.  A failure is printed and does not end
/// the program, which has finished its work.
template <class Make>
void write(const std::string& path, const char* variable_name, Make make) {
  if (path.empty()) return;
  try {
    write_text_file(path, make());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "plait: %s is lost: %s\n", variable_name, e.what());
  }
}

[[nodiscard]] std::string chrome_text(const program_record& record) {
  std::ostringstream text;
  write_chrome_trace(text, record.runs);
  return std::move(text).str();
}

}  // namespace

std::shared_ptr<end_of_run> end_of_run::of(environment& env) {
  // Those that live; null where nothing is asked for.
  static std::map<const environment*, std::shared_ptr<end_of_run>> all;
  const auto [place, is_new] = all.try_emplace(&env);
  if (!is_new) return place->second;
  wishes wanted = agreed_wishes(env);
  if (wanted.ledger || wanted.events || !wanted.recording.empty()) {
    place->second = std::make_shared<end_of_run>(env, std::move(wanted));
  }
  env.at_end([&env] {
    if (const auto ending = std::exchange(all[&env], nullptr)) ending->finish();
    all.erase(&env);
  });
  return place->second;
}

end_of_run::end_of_run(environment& env, wishes wanted)
    : env_(env),
      wanted_(std::move(wanted)),
      budget_(wanted_.recording.empty() ? events_of_a_rank(env, wanted_.most_events)
                                        : program_recording::most_events),
      trace_room_(events_of_a_rank(env, wanted_.most_events)) {
  record_.started_at = utc_now();
  if (!wanted_.recording.empty()) recording_.emplace(env, wanted_.recording);
}

std::size_t end_of_run::add_runtime(int workers, const engine::choice& policy) {
  if (record_.runs.empty()) {
    record_.workers = workers;
    record_.policy = policy.name;
    record_.policy_reason = policy.reason;
    if (recording_) recording_->begin(workers, record_.policy);
  }
  record_.runs.emplace_back();
  return record_.runs.size() - 1;
}

void end_of_run::add_window(const window_choice& chosen) {
  if (!record_.windows) record_.windows = chosen;
}

void end_of_run::add(const ledger& workers) {
  add_workers(ledger_, workers);
  add_up(mean_, mean_of(workers));
}

void end_of_run::add(std::size_t runtime, const recorder& from, bool had_budget) {
  if (recording_) recording_->add(runtime, from);
  if (!wanted_.events) return;
  std::vector<trace_event> events = from.events();
  record_.dropped_events += from.dropped();
  if (recording_ || !had_budget) {
    const std::size_t room = (recording_ ? trace_room_ : budget_).take(events.size());
    record_.dropped_events += events.size() - room;
    events.resize(room);
  }
  auto& all = record_.runs[runtime].events;
  all.insert(all.end(), std::make_move_iterator(events.begin()),
             std::make_move_iterator(events.end()));
}

void end_of_run::finish() noexcept {
  if (recording_) recording_->write();
  if (!wanted_.ledger && !wanted_.events) return;
  try {
    gather_and_write();
  } catch (const std::exception& e) {  // the other ranks may wait for this one
    env_.abort(fmt::format("what PLAIT_LEDGER and its kin ask for is lost: {}", e.what()));
  }
}

void end_of_run::gather_and_write() {
  program_record& record = record_;
  std::string mine;
  put(mine, mean_);
  put(mine, std::exchange(record.dropped_events, 0));
  for (const ledger_entry& one : ledger_) put(mine, one);
  const std::vector<std::string> told = env_.gather(mine);
  record.runtimes = static_cast<int>(record.runs.size());
  record.runs.resize(wanted_.events ? most_runs(env_, record.runs.size()) : 0);
  const double offset_s = wanted_.events ? env_.measure_clock_offset().offset_s : 0;
  for (traced_run& run : record.runs)
    run.events = gather_events(env_, std::exchange(run.events, {}), offset_s);
  if (env_.rank() != 0) return;

  record.program = program_invocation_short_name;
  record.mpi_version = env_.mpi_version();
  record.transport_settings = env_.transport_settings();
  record.hosts = env_.hosts();
  for (const std::string& rank : told) add_rank(record, rank);
  find_paths(record);

  if (record.dropped_events > 0) {
    std::fprintf(stderr,
                 "plait: the trace has the first %zu events of %d ranks; %llu later ones were left "
                 "out (PLAIT_TRACE_EVENTS=N keeps N)\n",
                 wanted_.most_events, env_.size(),
                 static_cast<unsigned long long>(record.dropped_events));
  }
  write(wanted_.trace, "PLAIT_TRACE", [&] { return chrome_text(record); });
  write(wanted_.report, "PLAIT_REPORT", [&] { return report_page(record); });
  write(wanted_.result, "PLAIT_RESULT", [&] { return program_result(record); });
  if (!wanted_.ledger) return;
  const std::string table = ledger_table(record.means, record.workers, record.runtimes);
  std::fflush(stdout);  // below what the program has said
  std::fputs(table.c_str(), stderr);
}

}  // namespace plait
