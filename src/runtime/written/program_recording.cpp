// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/program_recording.hpp"

#include <algorithm>
#include <cerrno>  // program_invocation_short_name
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <plait/task/topology.hpp>

#include "runtime/written/recorder.hpp"

namespace plait {
namespace {

namespace files = std::filesystem;

[[nodiscard]] std::uint64_t ns_of(ticks time) noexcept {
  return static_cast<std::uint64_t>(std::max(0.0, ticks_to_seconds(time) * 1e9 + 0.5));
}

[[nodiscard]] bool is_recording(const files::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("rank") && file.extension() == ".plaitrec";
}

[[nodiscard]] std::vector<recorded_order> orders_of(const std::vector<submitted_part::order>& all) {
  std::vector<recorded_order> result;
  result.reserve(all.size());
  for (const submitted_part::order& one : all) result.push_back({one.earlier, one.later});
  return result;
}

[[nodiscard]] recorded_message::kind kind_of_message(operation::kind what) noexcept {
  using kind = operation::kind;
  if (what == kind::collective) return recorded_message::kind::library_collective;
  return what == kind::send || what == kind::receive ? recorded_message::kind::point_to_point
                                                     : recorded_message::kind::one_sided;
}

}  // namespace

void program_recording::prepare(const std::string& folder) {
  std::error_code failed;
  files::create_directories(folder, failed);
  if (failed || !files::is_directory(folder))
    throw usage_error(folder + ": not a folder, and none can be made there");
  for (const auto& one : files::directory_iterator(folder, failed)) {
    if (is_recording(one.path())) files::remove(one.path(), failed);
  }
  const std::string file = (files::path(folder) / recording_file(0)).string();
  if (const std::string why = why_not_writable(file); !why.empty())
    throw usage_error(file + ": " + why);
}

program_recording::program_recording(const environment& env, std::string folder)
    : folder_(std::move(folder)) {
  all_.rank = static_cast<std::uint32_t>(env.rank());
  all_.ranks = static_cast<std::uint32_t>(env.size());
  all_.program = program_invocation_short_name;
  all_.host = env.host();
  all_.cores = static_cast<std::uint32_t>(discover_topology().usable_cores);
  names_.emplace("", 0);
}

void program_recording::begin(int workers, const std::string& policy) {
  all_.workers = static_cast<std::uint32_t>(workers);
  all_.policy = policy;
  begin_ = now_ticks();
}

std::uint32_t program_recording::name(std::string_view text) {
  const auto [place, is_new] =
      names_.try_emplace(std::string(text), static_cast<std::uint32_t>(all_.names.size()));
  if (is_new) all_.names.emplace_back(text);
  return place->second;
}

std::uint64_t program_recording::ns_since_begin(ticks at) const noexcept {
  return ns_of(at - begin_);
}

recorded_part program_recording::part_of(const submitted_part& told) {
  const auto items_of = [this](const std::vector<submitted_part::item>& items) {
    std::vector<recorded_item> result;
    result.reserve(items.size());
    for (const submitted_part::item& one : items) {
      recorded_item& item = result.emplace_back();
      item.id = one.id;
      item.parent = one.parent;
      item.took_ns = ns_of(one.took);
      item.name = name(one.name);
      item.kind = one.is == submitted_part::kind::task      ? recorded_kind::task
                  : one.is == submitted_part::kind::message ? recorded_kind::message
                                                            : recorded_kind::program;
      item.group = one.group;
      item.priority = one.priority;
    }
    return result;
  };
  recorded_part part;
  part.items = items_of(told.items);
  part.orders = orders_of(told.orders);
  part.repeated = items_of(told.repeated);
  part.same = orders_of(told.same);
  part.next = orders_of(told.next);
  part.iterations = told.iterations;
  part.first_id = told.first_id;
  return part;
}

std::uint32_t program_recording::add(const collective::shape& shape, collective::algorithm how,
                                     bool compares) {
  if (all_.collectives.size() == recording::most_items) {
    all_.is_whole = false;
    return 0;
  }
  recorded_collective& call = all_.collectives.emplace_back();
  call.element_bytes = shape.element_bytes;
  call.count = shape.count;
  call.fragment_bytes = shape.fragment_bytes;
  call.piece_bytes = shape.cut.bytes;
  call.most_pieces = shape.cut.most;
  call.operation = name(to_string(shape.what));
  call.algorithm = name(to_string(how));
  call.root = static_cast<std::uint32_t>(shape.root);
  call.members = static_cast<std::uint32_t>(shape.ranks);
  call.in_place = shape.in_place;
  call.has_lists =
      !shape.send_blocks.empty() || !shape.receive_blocks.empty() || is_neighbourly(shape.what);
  call.compares = compares;
  return static_cast<std::uint32_t>(all_.collectives.size());
}

void program_recording::add_messages(std::uint32_t runtime, const recorder& from) {
  from.for_each_message(
      [&](std::uint64_t id, const recorder::noted_side& noted, ticks begin, ticks end) {
        recorded_message& one = all_.messages.emplace_back();
        one.id = id;
        one.begin_ns = ns_since_begin(begin);
        one.took_ns = ns_of(end - begin);
        one.runtime = runtime;
        one.what = kind_of_message(noted.what);
        if (noted.called.has_value()) one.called = name(to_string(*noted.called));
        if (!noted.message.has_value()) return;
        one.sent = noted.message->sent && noted.what != operation::kind::get;
        one.peer = static_cast<std::uint32_t>(noted.message->peer);
        one.tag = noted.message->tag;
        one.communicator = static_cast<std::uint32_t>(noted.message->communicator);
        one.place = noted.message->place;
        one.size_bytes = noted.message->size_bytes;
      });
}

void program_recording::add_blocking(std::uint32_t runtime, const recorder& from) {
  for (const recorder::blocking_side& told : from.blocking()) {
    recorded_message& one = all_.messages.emplace_back();
    one.id = told.task;
    one.begin_ns = ns_since_begin(told.side.begin);
    one.took_ns = ns_of(told.end - told.side.begin);
    one.runtime = runtime;
    one.sent = told.side.sent;
    one.peer = static_cast<std::uint32_t>(told.side.peer);
    one.tag = told.side.tag;
    one.communicator = told.side.communicator | recorded_message::first_of_tasks;
    one.size_bytes = told.side.size_bytes;
  }
  for (const std::string& calls : from.not_told()) {
    if (std::ranges::find(all_.unseen_calls, calls) == all_.unseen_calls.end())
      all_.unseen_calls.push_back(calls);
  }
}

void program_recording::add(std::size_t runtime, const recorder& from) {
  const auto number = static_cast<std::uint32_t>(runtime);
  for (const submitted_part& told : from.parts()) {
    all_.is_whole = all_.is_whole && told.is_whole;
    all_.parts.push_back(part_of(told));
    all_.parts.back().runtime = number;
  }
  from.for_each_run([&](std::size_t thread, std::uint64_t id, ticks begin, ticks end) {
    all_.runs.push_back({.id = id,
                         .begin_ns = ns_since_begin(begin),
                         .took_ns = ns_of(end - begin),
                         .runtime = number,
                         .thread = static_cast<std::uint32_t>(thread)});
  });
  add_messages(number, from);
  add_blocking(number, from);
  held_ += from.held();
  all_.is_whole = all_.is_whole && from.dropped() == 0;
  all_.wall_ns = ns_since_begin(now_ticks());
}

/// They are matched in the order in which they were posted, and were told as they completed, to one
/// recorder of a runtime or to another.
void program_recording::number_blocking() {
  std::vector<recorded_message*> posted;
  for (recorded_message& one : all_.messages) {
    if (one.is_of_task()) posted.push_back(&one);
  }
  std::ranges::stable_sort(posted, {}, &recorded_message::begin_ns);
  using posts = std::tuple<std::uint32_t, bool, std::uint32_t, std::int32_t, std::uint32_t>;
  std::map<posts, std::uint64_t> next;
  for (recorded_message* const one : posted)
    one->place = next[{one->runtime, one->sent, one->peer, one->tag, one->communicator}]++;
}

void program_recording::write() noexcept {
  if (held_ > 0) {
    std::fprintf(stderr,
                 "plait: PLAIT_RECORD of rank %u: others finished %zu tasks later than their "
                 "functions returned, which a recording does not have\n",
                 all_.rank, held_);
  }
  try {
    number_blocking();
    files::create_directories(folder_);  // other hosts have folders of their own
    write_text_file((files::path(folder_) / recording_file(all_.rank)).string(),
                    pack_recording(all_));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "plait: PLAIT_RECORD of rank %u is lost: %s\n", all_.rank, e.what());
  }
}

}  // namespace plait
