// SPDX-License-Identifier: BSD-3-Clause
#include "collective/writer.hpp"

#include <algorithm>
#include <string>

#include <plait/core/error.hpp>

namespace plait::collective {
namespace {

// The same bytes in as few slices as possible.
std::vector<slice> joined(std::span<const slice> pieces) {
  std::vector<slice> runs;
  for (const slice& piece : pieces) {
    if (piece.empty()) continue;
    if (!runs.empty() && runs.back().where == piece.where && runs.back().end == piece.begin) {
      runs.back().end = piece.end;
    } else {
      runs.push_back(piece);
    }
  }
  return runs;
}

std::size_t total_size(std::span<const slice> pieces) {
  std::size_t total = 0;
  for (const slice& piece : pieces) total += piece.size();
  return total;
}

// Both ends cut a message at the same places, so that its pieces match in their order.
std::vector<action> in_pieces(const std::vector<action>& actions, const pieces& cut,
                              std::size_t element_bytes) {
  std::vector<action> all;
  for (const action& whole : actions) {
    const std::size_t size = std::max(whole.from.size(), whole.to.size());
    const std::size_t most =
        whole.what == action::kind::copy ? size : piece_size(size, cut, element_bytes);
    for (std::size_t offset = 0; offset < size; offset += most) {
      const std::size_t part = std::min(most, size - offset);
      action& piece = all.emplace_back(whole);
      if (!whole.from.empty()) piece.from = part_of(whole.from, offset, part);
      if (!whole.to.empty()) piece.to = part_of(whole.to, offset, part);
    }
  }
  return all;
}

}  // namespace

std::size_t piece_size(std::size_t message_bytes, const pieces& cut, std::size_t element_bytes) {
  PLAIT_EXPECTS(element_bytes > 0, std::to_string(element_bytes));
  const auto parts = [](std::size_t whole, std::size_t part) { return (whole + part - 1) / part; };
  const std::size_t number = std::clamp(parts(message_bytes, std::max<std::size_t>(cut.bytes, 1)),
                                        std::size_t{1}, std::max<std::size_t>(cut.most, 1));
  return parts(parts(message_bytes, number), element_bytes) * element_bytes;
}

slice writer::scratch(std::size_t size_bytes) {
  constexpr std::size_t line = 64;
  const std::size_t begin = (written_.scratch_bytes + line - 1) / line * line;
  if (size_bytes != 0) written_.scratch_bytes = begin + size_bytes;
  return {buffer::scratch, begin, begin + size_bytes};
}

void writer::send(int peer, const slice& from) {
  if (from.empty()) return;
  written_.actions.push_back({.what = kind::send, .peer = peer, .from = from, .round = round_});
}

void writer::receive(int peer, const slice& to) {
  if (to.empty()) return;
  written_.actions.push_back({.what = kind::receive, .peer = peer, .to = to, .round = round_});
}

void writer::send(int peer, std::span<const slice> pieces) {
  const std::vector<slice> runs = joined(pieces);
  if (runs.empty()) return;
  if (runs.size() == 1) return send(peer, runs.front());
  const slice stage = scratch(total_size(runs));
  std::size_t offset = 0;
  for (const slice& run : runs) {
    copy(run, part_of(stage, offset, run.size()));
    offset += run.size();
  }
  send(peer, stage);
}

void writer::receive(int peer, std::span<const slice> pieces) {
  const std::vector<slice> runs = joined(pieces);
  if (runs.empty()) return;
  if (runs.size() == 1) return receive(peer, runs.front());
  const slice stage = scratch(total_size(runs));
  receive(peer, stage);
  std::size_t offset = 0;
  for (const slice& run : runs) {
    copy(part_of(stage, offset, run.size()), run);
    offset += run.size();
  }
}

void writer::operate(const slice& from, const slice& to, side of_from) {
  if (from.empty()) return;
  written_.actions.push_back({.what = kind::operate,
                              .from = from,
                              .to = to,
                              .to_is_left = of_from == side::right,
                              .round = round_});
}

void writer::copy(const slice& from, const slice& to) {
  if (from.empty() || from == to) return;
  written_.actions.push_back({.what = kind::copy, .from = from, .to = to, .round = round_});
}

schedule writer::finish(const pieces& cut, std::size_t element_bytes) && {
  written_.rounds = first_round_;
  const int last = std::max(first_round_ - 1, 0);  // what is done after it belongs to it
  for (action& a : written_.actions) a.round = std::min(a.round, last);
  written_.actions = in_pieces(written_.actions, cut, element_bytes);
  return std::move(written_);
}

slice landing::next(writer& w, std::size_t size_bytes) {
  PLAIT_EXPECTS(size_bytes <= size_bytes_,
                std::to_string(size_bytes) + " of " + std::to_string(size_bytes_) + " bytes");
  slice& slot = slots_[turn_];
  turn_ = 1 - turn_;
  if (slot.empty()) slot = w.scratch(size_bytes_);
  return part_of(slot, 0, size_bytes);
}

void partial::take(writer& w, landing& slots, int peer, side of_peer) {
  if (value_ == target_) {
    const slice came = slots.next(w, value_.size());
    w.receive(peer, came);
    w.operate(came, target_, of_peer);
    return;
  }
  w.receive(peer, target_);
  w.operate(value_, target_, of_peer == side::left ? side::right : side::left);
  value_ = target_;
}

}  // namespace plait::collective
