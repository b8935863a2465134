// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <tuple>
#include <utility>

#include <plait/trace/arrow.hpp>

namespace plait {
namespace {

using task_key = std::pair<int, std::uint64_t>;  // rank, id
/// Sending rank, receiving rank, communicator, tag, place in the order of matching.
using message_key = std::tuple<int, int, int, int, std::uint64_t>;

[[nodiscard]] message_key key_of(int rank, const message_side& side) {
  const int sender = side.sent ? rank : side.peer;
  const int receiver = side.sent ? side.peer : rank;
  return {sender, receiver, side.communicator, side.tag, side.place};
}

}  // namespace

std::vector<trace_arrow> find_arrows(std::span<const trace_event> events) {
  std::map<task_key, std::size_t> tasks;
  std::map<task_key, std::size_t> ends;  ///< of tasks that others have finished
  std::map<message_key, std::size_t> sends;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const trace_event& e = events[i];
    if (e.id != 0) (e.released_by == e.id ? ends : tasks).emplace(task_key{e.rank, e.id}, i);
    if (e.message && e.message->sent) sends.emplace(key_of(e.rank, *e.message), i);
  }
  std::vector<trace_arrow> arrows;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const trace_event& e = events[i];
    if (e.released_by != 0) {
      const auto end = ends.find({e.rank, e.released_by});
      const bool by_end = e.released_by != e.id && end != ends.end();
      const auto from = by_end ? end : tasks.find({e.rank, e.released_by});
      if (by_end || from != tasks.end())
        arrows.push_back({from->second, i, arrow_kind::dependence});
    }
    if (e.message && !e.message->sent) {
      const auto from = sends.find(key_of(e.rank, *e.message));
      if (from != sends.end()) arrows.push_back({from->second, i, arrow_kind::message});
    }
  }
  return arrows;
}

}  // namespace plait
