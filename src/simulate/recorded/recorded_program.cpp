// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/simulate/call_program.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/recorded_program.hpp>

#include "simulate/recorded/call_table.hpp"
#include "simulate/recorded/message_tags.hpp"
#include "simulate/recorded/rank_builder.hpp"
#include "simulate/recorded/window_requests.hpp"

namespace plait::simulate {
namespace {

namespace files = std::filesystem;

void expect_whole(const recording& one, std::size_t rank, std::span<const recording> ranks,
                  const std::string& where) {
  if (one.rank != rank || one.ranks != ranks.size())
    throw usage_error(fmt::format("{}: the file of rank {} is that of rank {} of {}", where, rank,
                                  one.rank, one.ranks));
  if (one.program != ranks.front().program)
    throw usage_error(fmt::format("{}: rank {} ran '{}', rank 0 '{}'", where, rank, one.program,
                                  ranks.front().program));
  if (!one.is_whole)
    throw usage_error(
        fmt::format("{}: rank {} did more than a recording keeps ({} tasks and "
                    "messages, or {} without a wait); record fewer iterations",
                    where, rank, recording::most_items, recording::most_items / 4));
}

[[nodiscard]] std::uint64_t operations_of(const recording& one) {
  // Of tasks: each and the piece behind; on windows: six of both sides, of which an item is one.
  std::uint64_t count = 0;
  for (const recorded_message& m : one.messages)
    count += m.what == recorded_message::kind::one_sided ? 5 : 2;
  for (const recorded_part& part : one.parts)
    count += 1 + 2 * part.items.size() + part.iterations * part.repeated.size();
  return count;
}

[[nodiscard]] bool has_runtime(const recording& one, std::uint32_t runtime) {
  return std::ranges::any_of(
      one.parts, [runtime](const recorded_part& part) { return part.runtime == runtime; });
}

[[nodiscard]] bool has_work(const recorded_part& part) {
  return part.iterations > 0 || std::ranges::any_of(part.items, [](const recorded_item& item) {
           return item.kind != recorded_kind::program;
         });
}

/// Returns all parts, or those of one runtime between its first task or message and its last: what
/// the program did before and after, such as to wait for other ranks, is not of the runtime.
[[nodiscard]] std::vector<const recorded_part*> parts_of(const recording& one,
                                                         std::optional<std::uint32_t> runtime) {
  std::vector<const recorded_part*> taken;
  for (const recorded_part& part : one.parts) {
    if (!runtime.has_value() || part.runtime == *runtime) taken.push_back(&part);
  }
  if (!runtime.has_value()) return taken;
  const auto works = [](const recorded_part* part) { return has_work(*part); };
  const auto first = std::ranges::find_if(taken, works);
  if (first == taken.end()) return taken;
  return {first, std::find_if(taken.rbegin(), taken.rend(), works).base()};
}

/// Returns the part with no time for what the program did itself before its first task or message.
[[nodiscard]] recorded_part begun_with_its_work(recorded_part part) {
  for (recorded_item& item : part.items) {
    if (item.kind != recorded_kind::program) break;
    item.took_ns = 0;
  }
  return part;
}

/// Returns the time from the first begin of a task or message of the runtime to the last end.
[[nodiscard]] std::uint64_t time_of_ns(const recording& one, std::uint32_t runtime) {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
  const auto include = [&](const auto& ran) {
    if (ran.runtime != runtime) return;
    begin = std::min(begin, ran.begin_ns);
    end = std::max(end, ran.begin_ns + ran.took_ns);
  };
  for (const recorded_run& ran : one.runs) include(ran);
  for (const recorded_message& ran : one.messages) include(ran);
  return end - std::min(begin, end);
}

/// Returns what tasks waited for that no message of the recording shows; empty: nothing.
[[nodiscard]] std::string doubt_of(std::span<const recording> ranks,
                                   std::optional<std::uint32_t> runtime, const message_tags& tags) {
  for (const recording& one : ranks) {
    if (!one.unseen_calls.empty())
      return fmt::format("rank {} calls MPI itself, and these calls are not recorded{}: {}",
                         one.rank, runtime.has_value() ? ", of whichever runtime" : "",
                         fmt::join(one.unseen_calls, ", "));
    using run_of_task = std::pair<std::uint32_t, std::uint64_t>;
    std::set<run_of_task> waited;  // in calls that suspended them
    std::set<run_of_task> ran;
    for (const recorded_run& run : one.runs) {
      if (runtime.has_value() && run.runtime != *runtime) continue;
      if (!ran.emplace(run.runtime, run.id).second) waited.emplace(run.runtime, run.id);
    }
    for (const recorded_message& message : one.messages)
      waited.erase({message.runtime, message.id});
    if (!waited.empty())
      return fmt::format(
          "{} tasks of rank {} waited in MPI calls of their own, whose messages are "
          "not in the recording: record again with this version",
          waited.size(), one.rank);
  }
  if (tags.without_tag() > 0)
    return fmt::format("{} messages of tasks' own MPI calls have one side in the recording",
                       tags.without_tag());
  return "";
}

}  // namespace

/// Makes the operations of all ranks; with `calls`, collectives stay calls.
static recorded_program made_of(std::span<const recording> ranks, const std::string& where,
                                std::optional<std::uint32_t> runtime,
                                const recording_limits& limits, call_table* calls) {
  if (ranks.empty()) throw usage_error(where + ": no ranks");
  std::uint64_t operations = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    expect_whole(ranks[r], r, ranks, where);
    operations += operations_of(ranks[r]);
  }
  if (operations > limits.operations)
    throw usage_error(
        fmt::format("{}: {} operations; {} are the most", where, operations, limits.operations));
  if (runtime.has_value() && !has_runtime(ranks.front(), *runtime))
    throw usage_error(fmt::format("{}: the program made no runtime number {}", where, *runtime));
  recorded_program made;
  made.name = ranks.front().program;
  made.policy = ranks.front().policy;
  made.workers = ranks.front().workers;
  const message_tags tags(ranks, where, runtime);
  name_table names(made.operations.names);
  window_requests windows(where);
  std::deque<rank_builder> built;
  for (const recording& one : ranks) {
    rank_builder& rank = built.emplace_back(one, tags, windows, names, where, calls);
    std::vector<const recorded_part*> parts = parts_of(one, runtime);
    recorded_part first;
    if (runtime.has_value() && !parts.empty()) {
      first = begun_with_its_work(*parts.front());
      parts.front() = &first;
    }
    for (const recorded_part* part : parts) rank.add(*part);
    if (calls == nullptr) {
      rank.parts_over();
    } else {  // that are counted rank after rank, and no windows
      made.operations.templates.push_back(rank.build());
      built.pop_back();
    }
  }
  for (rank_builder& one : built) one.answer_all();
  windows.expect_all_raised();
  for (rank_builder& one : built) made.operations.templates.push_back(one.build());
  std::map<std::string, std::uint32_t> nodes;
  for (const recording& one : ranks) {
    made.operations.template_of.push_back(one.rank);
    const auto next = static_cast<std::uint32_t>(nodes.size());
    made.node_of.push_back(nodes.try_emplace(one.host, next).first->second);
    made.cores.push_back(one.cores);
    const std::uint64_t took_ns = runtime.has_value() ? time_of_ns(one, *runtime) : one.wall_ns;
    made.measured_ns = std::max(made.measured_ns, took_ns);
  }
  check(made.operations);
  made.doubt = doubt_of(ranks, runtime, tags);
  return made;
}

recorded_program program_of(std::span<const recording> ranks, const std::string& where,
                            std::optional<std::uint32_t> runtime, const recording_limits& limits) {
  return made_of(ranks, where, runtime, limits, nullptr);
}

recorded_calls calls_of(std::span<const recording> ranks, const std::string& where,
                        std::optional<std::uint32_t> runtime, const recording_limits& limits) {
  recorded_calls made;
  call_table calls(where);
  made.where = where;
  made.run = made_of(ranks, where, runtime, limits, &calls);
  made.program.operations = std::exchange(made.run.operations, {});
  made.program.calls = calls.all();
  return made;
}

std::vector<recording> read_ranks(const std::string& folder, const recording_limits& limits) {
  const auto path_of = [&folder](std::uint32_t rank) {
    return (files::path(folder) / recording_file(rank)).string();
  };
  std::error_code failed;
  if (!files::is_directory(folder, failed))
    throw usage_error(folder + ": not a folder; PLAIT_RECORD=FOLDER makes one");
  std::vector<recording> ranks;
  std::uintmax_t bytes = 0;
  std::uint32_t expected = 1;
  for (std::uint32_t rank = 0; rank < expected; ++rank) {
    const std::string path = path_of(rank);
    const std::uintmax_t size = files::file_size(path, failed);
    if (failed) {
      throw usage_error(rank == 0 ? folder + ": no recording: there is no " + recording_file(0)
                                  : fmt::format("{}: the file of rank {} of {} is missing", folder,
                                                rank, expected));
    }
    bytes += size;
    if (bytes > limits.file_bytes)
      throw usage_error(fmt::format("{}: more than {} bytes", folder, limits.file_bytes));
    ranks.push_back(unpack_recording(read_text_file(path, limits.file_bytes), path));
    if (rank == 0) expected = ranks.front().ranks;
  }
  return ranks;
}

recorded_program read_recording(const std::string& folder, std::optional<std::uint32_t> runtime,
                                const recording_limits& limits) {
  return program_of(read_ranks(folder, limits), folder, runtime, limits);
}

recorded_calls read_calls(const std::string& path, std::optional<std::uint32_t> runtime,
                          const recording_limits& limits) {
  std::error_code failed;
  if (files::is_directory(path, failed))
    return calls_of(read_ranks(path, limits), path, runtime, limits);
  recorded_calls read;
  read.where = path;
  read.program = calls_in(read_goal(path), path);
  read.run.workers = 0;
  return read;
}

}  // namespace plait::simulate
