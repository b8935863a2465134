// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collectives/collective_checks.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/core/no_rank.hpp>

#include "runtime/collectives/short_call.hpp"

namespace plait {
namespace {

using operation_kind = collective::operation;

/// "1 element", "3 elements"
[[nodiscard]] std::string counted(std::size_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

void expect_ranks(const collective_call& call, const collective::shape& s) {
  const auto out_of_range = [&](const char* who, int rank) {
    refuse(call, who + std::to_string(rank) + "; ranks are 0 to " + std::to_string(s.ranks - 1));
  };
  if (s.root < 0 || s.root >= s.ranks) out_of_range("root ", s.root);
  if (s.what == operation_kind::bcast && call.word != access_mode::inout) {
    const bool gives = call.word == access_mode::in;
    if (gives != (s.rank == s.root)) {
      refuse(call, gives ? "in(x) is for the root, which is " + std::to_string(s.root) +
                               "; here name out(x), or inout(x) on every rank"
                         : "out(x) is for who is not the root; here name in(x), or inout(x) on "
                           "every rank");
    }
  }
  if (s.in_place && only_root_is_in_place(s.what) && s.rank != s.root) {
    refuse(call, "in place on the root only, which is " + std::to_string(s.root) +
                     "; here name in(x) and out(y)");
  }
  for (const auto* neighbours : {&s.sources, &s.destinations}) {
    for (const int peer : *neighbours) {
      if (peer == no_rank) continue;
      if (peer < 0 || peer >= s.ranks) out_of_range("neighbour ", peer);
    }
  }
  const auto to_itself = std::ranges::count(s.destinations, s.rank);
  const auto from_itself = std::ranges::count(s.sources, s.rank);
  if (to_itself != from_itself) {
    refuse(call, "this rank is " + counted(static_cast<std::size_t>(to_itself), "time") +
                     " among its destinations and " +
                     counted(static_cast<std::size_t>(from_itself), "time") +
                     " among its sources; both must be the same");
  }
}

void expect_lists(const collective_call& call, const collective::shape& s) {
  const auto expect = [&](const std::vector<block>& blocks, std::optional<std::size_t> wanted,
                          const char* neighbours) {
    if (!wanted.has_value() || blocks.size() == *wanted) return;
    refuse(call, std::to_string(blocks.size()) + " blocks for " + std::to_string(*wanted) + " " +
                     (is_neighbourly(s.what) ? neighbours : "ranks"));
  };
  const collective::list_lengths lists = collective::lists_of(s);
  expect(s.send_blocks, lists.send_blocks, "destinations");
  expect(s.receive_blocks, lists.receive_blocks, "sources");
}

[[nodiscard]] std::size_t elements_in(byte_range buffer, const collective::shape& s) {
  return (buffer.end - buffer.begin) / s.element_bytes;
}

/// `of`: "send" or "receive", the blocks; `in`, their buffer.
void expect_blocks(const collective_call& call, const std::vector<block>& blocks, const char* of,
                   const char* in, std::size_t have) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const block& b = blocks[i];
    if (b.count == 0 || (b.displacement <= have && b.count <= have - b.displacement)) continue;
    refuse(call, std::string(of) + " block " + std::to_string(i) + ", " +
                     counted(b.count, "element") + " from " + std::to_string(b.displacement) +
                     " on, is not in the " + in + " buffer of " + counted(have, "element"));
  }
}

void expect_apart(const collective_call& call, const std::vector<block>& blocks) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].count > 0) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return blocks[i].displacement; });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const block& before = blocks[order[k - 1]];
    const block& next = blocks[order[k]];
    if (before.displacement + before.count <= next.displacement) continue;
    const auto [one, other] = std::minmax(order[k - 1], order[k]);
    refuse(call, "receive blocks " + std::to_string(one) + " and " + std::to_string(other) +
                     " both have element " + std::to_string(next.displacement));
  }
}

void expect_size(const collective_call& call, const char* which, std::size_t have,
                 const collective::extent& need) {
  if (need.has != collective::extent::rule::exactly || have == need.elements) return;
  const std::string head = "the " + std::string(which) + " buffer has " + counted(have, "element");
  const bool is_rest = need.parts > 1 && have > need.elements && have - need.elements < need.parts;
  if (is_rest || need.parts == 0) {
    refuse(call, head + ", which are not " + counted(need.parts, "part") + " of one size");
  }
  std::string text = head + " and needs " + std::to_string(need.elements);
  if (need.parts > 1)
    text += ", " + std::to_string(need.parts) + " parts of " +
            std::to_string(need.elements / need.parts);
  refuse(call, text);
}

/// Expects the part that a rank sends itself to be as long as the one it receives from itself.
/// Errors: usage_error.
void expect_own_parts(const collective_call& call, const collective::shape& s) {
  const auto expect = [&](std::size_t sent, std::size_t received) {
    if (sent == received) return;
    refuse(call, "this rank sends itself " + counted(sent, "element") + " and receives " +
                     std::to_string(received) + " from itself");
  };
  if (s.what == operation_kind::alltoallv && !s.in_place) {
    const auto own = static_cast<std::size_t>(s.rank);
    expect(s.send_blocks[own].count, s.receive_blocks[own].count);
  }
  if (!is_neighbourly(s.what)) return;
  std::vector<std::size_t> sent;
  for (std::size_t i = 0; i < s.destinations.size(); ++i) {
    if (s.destinations[i] != s.rank) continue;
    sent.push_back(s.send_blocks.empty() ? s.count : s.send_blocks[i].count);
  }
  auto next = sent.begin();
  for (std::size_t i = 0; i < s.sources.size(); ++i) {
    if (s.sources[i] != s.rank) continue;
    expect(*next++, s.receive_blocks.empty() ? s.count : s.receive_blocks[i].count);
  }
}

/// In place is the form with one buffer: a byte of both would be read after it was written.
void expect_two_buffers(const collective_call& call, const collective::shape& s) {
  const bool boxes = call.send_box.has_value() || call.receive_box.has_value();
  const auto apart = [&] {
    if (!boxes) return call.send.begin >= call.receive.end || call.receive.begin >= call.send.end;
    return !share_a_byte(call.send_box.value_or(strided_bytes::of(call.send)).normalised(),
                         call.receive_box.value_or(strided_bytes::of(call.receive)).normalised());
  };
  if (apart()) return;
  const collective::footprint touched = collective::footprint_of(s);
  const char* const both = "in(x) and out(y) share bytes; in place is the form with one buffer";
  if (boxes) {  // all of one is touched, or nothing
    if (!touched.read.empty() && !touched.written.empty()) refuse(call, both);
    return;
  }
  std::uintptr_t read_until = 0;
  std::uintptr_t written_until = 0;
  for (const auto& [bytes, mode] : touched_ranges(call, touched)) {
    const bool writes = mode == access_mode::out;
    if (bytes.begin < (writes ? read_until : written_until)) refuse(call, both);
    std::uintptr_t& until = writes ? written_until : read_until;
    until = std::max(until, bytes.end);
  }
}

}  // namespace

std::string label_of(const collective_call& call) {
  return std::string(to_string(call.shape.what)) + " '" + call.name.c_str() + "'";
}

void refuse(const collective_call& call, const std::string& why) {
  throw usage_error(label_of(call) + ": " + why);
}

std::vector<touched_range> touched_ranges(const collective_call& call,
                                          const collective::footprint& touched) {
  std::vector<touched_range> all;
  for (const auto* list : {&touched.read, &touched.written}) {
    const access_mode mode = list == &touched.read ? access_mode::in : access_mode::out;
    for (const collective::slice& s : *list)
      all.push_back({schedule_memory{call.send.begin, call.receive.begin}.of(s), mode});
  }
  std::ranges::stable_sort(all, {}, [](const touched_range& one) { return one.bytes.begin; });
  return all;
}

void expect_fits(const collective_call& call, const collective::shape& s) {
  expect_ranks(call, s);
  expect_lists(call, s);
  const collective::list_lengths lists = collective::lists_of(s);
  const std::size_t sent = elements_in(call.send, s);
  const std::size_t received = elements_in(call.receive, s);
  const bool one_buffer = s.in_place && s.what == operation_kind::reduce_scatter;
  if (lists.send_blocks)
    expect_blocks(call, s.send_blocks, "send", one_buffer ? "receive" : "send",
                  one_buffer ? received : sent);
  if (lists.receive_blocks) {
    expect_blocks(call, s.receive_blocks, "receive", "receive", received);
    expect_apart(call, s.receive_blocks);
  }
  const collective::extents need = collective::extents_of(s);
  expect_size(call, "send", sent, need.send);
  expect_size(call, "receive", received, need.receive);
  expect_own_parts(call, s);
  if (!s.in_place && s.what != operation_kind::barrier) expect_two_buffers(call, s);
}

}  // namespace plait
