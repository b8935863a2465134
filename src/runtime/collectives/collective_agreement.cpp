// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collectives/collective_agreement.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/core/no_rank.hpp>

#include "runtime/collectives/collective_checks.hpp"

namespace plait {
namespace {

using what = collective::operation;

/// Up to so many ranks each rank tells the others itself, for then messages may be left out: one in
/// 16 of 63 is less than the six of a tree.
constexpr int most_ranks_direct = 64;

/// Numbers that all ranks must tell alike of a call.  The sizes of listed blocks follow them.
enum word : std::size_t { called, root, count, element_bytes, algorithm, words };

/// True where each pair of ranks has a size of its own.
[[nodiscard]] bool is_of_pairs(what called) noexcept {
  return is_neighbourly(called) || called == what::alltoallv || called == what::gatherv ||
         called == what::scatterv;
}

[[nodiscard]] bool all_wait_for_all(what called) noexcept {
  return called == what::allreduce || called == what::allgather || called == what::allgatherv ||
         called == what::alltoall || called == what::reduce_scatter ||
         called == what::reduce_scatter_block;
}

/// Calls `with(peer, tells)` for each rank that this one tells, or hears: parent and children in
/// the binomial tree of the root, the ranks before and after it in a line, or round a ring.
template <class With>
void for_each_way(const collective::shape& s, With with) {
  const auto tree = [&](bool downwards) {
    const auto rank_at = [&s](int place) { return (place + s.root) % s.ranks; };
    const int own = (s.rank - s.root + s.ranks) % s.ranks;
    int bit = 1;
    for (; bit < s.ranks && (own & bit) == 0; bit *= 2) {
      if (own + bit < s.ranks) with(rank_at(own + bit), downwards);
    }
    if (own != 0) with(rank_at(own - bit), !downwards);
  };
  switch (s.what) {
    case what::bcast:
    case what::scatter:
      return tree(true);
    case what::reduce:
    case what::gather:
      return tree(false);
    case what::scan:
    case what::exscan:
      if (s.rank > 0) with(s.rank - 1, false);
      if (s.rank + 1 < s.ranks) with(s.rank + 1, true);
      return;
    default:
      with((s.rank + s.ranks - 1) % s.ranks, false);
      with((s.rank + 1) % s.ranks, true);
  }
}

/// From whom the rank hears, and whom it tells.
[[nodiscard]] neighbourhood ways_of(const collective::shape& s) {
  neighbourhood found;
  for_each_way(s, [&found](int peer, bool tells) {
    (tells ? found.destinations : found.sources).push_back(peer);
  });
  return found;
}

[[nodiscard]] const std::vector<block>* common_blocks(const collective::shape& s) {
  if (s.what == what::allgatherv) return &s.receive_blocks;
  return s.what == what::reduce_scatter ? &s.send_blocks : nullptr;
}

[[nodiscard]] std::string elements(std::uint64_t count, std::uint64_t bytes_each) {
  return std::to_string(count) + (count == 1 ? " element of " : " elements of ") +
         std::to_string(bytes_each) + (bytes_each == 1 ? " byte" : " bytes");
}

/// Returns, in words, the first difference between the numbers of `peer` and those of this rank.
[[nodiscard]] std::string difference(std::span<const std::uint64_t> own,
                                     std::span<const std::uint64_t> other, int peer) {
  const std::string rank = "rank " + std::to_string(peer);
  const auto differ = [&](std::size_t at) { return own[at] != other[at]; };
  if (differ(word::called)) {
    return rank + " calls " + std::string(to_string(static_cast<what>(other[word::called]))) +
           " instead";
  }
  if (differ(word::root)) {
    return rank + " names root " + std::to_string(other[word::root]) + ", this rank root " +
           std::to_string(own[word::root]);
  }
  if (differ(word::count) || differ(word::element_bytes)) {
    return rank + " has " + elements(other[word::count], other[word::element_bytes]) +
           ", this rank " + elements(own[word::count], own[word::element_bytes]);
  }
  for (std::size_t block = 0; word::words + block < own.size(); ++block) {
    if (!differ(word::words + block)) continue;
    return rank + " gives the block of rank " + std::to_string(block) + " " +
           elements(other[word::words + block], other[word::element_bytes]) + ", this rank " +
           std::to_string(own[word::words + block]);
  }
  return rank + " names another algorithm or back end than this rank";
}

}  // namespace

collective_agreement::collective_agreement(const collective::shape& s,
                                           std::optional<collective::algorithm> how)
    : called_(s.what),
      element_bytes_(s.element_bytes),
      way_{.ranks = s.ranks, .rank = s.rank, .root = s.root, .element_bytes = sizeof(words_[0])} {
  is_of_pairs(s.what) ? tell_sizes_of_pairs(s) : tell_call(s, how);
}

std::vector<channel*> collective_agreement::channels_of(engine& messages,
                                                        const collective::shape& s,
                                                        const communicator& among) {
  std::vector<channel*> all;
  if (is_of_pairs(s.what) || s.what == what::barrier) return all;
  for_each_way(s, [&](int peer, bool tells) {
    all.push_back(
        &messages.channel_of({.what = tells ? operation::kind::send : operation::kind::receive,
                              .of = operation::origin::agreement,
                              .called = s.what,
                              .peer = peer},
                             among));
  });
  return all;
}

/// Each element is the bytes that one rank sends another.
void collective_agreement::tell_sizes_of_pairs(const collective::shape& s) {
  const auto each = [&s](std::vector<std::uint64_t>& to, const std::vector<block>& blocks,
                         std::size_t number) {
    for (std::size_t i = 0; i < number; ++i)
      to.push_back((blocks.empty() ? s.count : blocks[i].count) * s.element_bytes);
  };
  const auto ranks = static_cast<std::size_t>(s.ranks);
  const bool is_root = s.rank == s.root;
  const bool is_direct = s.ranks <= most_ranks_direct;
  way_.count = 1;
  if (s.what == what::gatherv) {
    way_.what = what::gather;
    if (!is_direct) how_ = collective::algorithm::binomial;
    words_.push_back(
        (is_root ? s.receive_blocks[static_cast<std::size_t>(s.rank)].count : s.count) *
        s.element_bytes);
    if (is_root) each(expected_, s.receive_blocks, ranks);
  } else if (s.what == what::scatterv) {
    way_.what = what::scatter;
    if (!is_direct) how_ = collective::algorithm::binomial;
    if (is_root) each(words_, s.send_blocks, ranks);
    expected_.push_back(
        (is_root ? s.send_blocks[static_cast<std::size_t>(s.rank)].count : s.count) *
        s.element_bytes);
  } else if (s.what == what::alltoallv) {
    way_.what = what::alltoall;
    if (!is_direct) how_ = collective::algorithm::bruck;
    each(words_, s.in_place ? s.receive_blocks : s.send_blocks, ranks);
    each(expected_, s.receive_blocks, ranks);
  } else {
    way_.what = what::neighbour_alltoall;
    const auto each_edge = [&s](std::vector<int>& peers, std::vector<std::uint64_t>& to,
                                const std::vector<int>& given, const std::vector<block>& blocks) {
      for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == no_rank) continue;
        peers.push_back(given[i]);
        to.push_back((blocks.empty() ? s.count : blocks[i].count) * s.element_bytes);
      }
    };
    each_edge(way_.destinations, words_, s.destinations, s.send_blocks);
    each_edge(way_.sources, expected_, s.sources, s.receive_blocks);
  }
  told_ = words_.size();
  words_.insert(words_.end(), expected_.begin(), expected_.end());
}

void collective_agreement::tell_call(const collective::shape& s,
                                     std::optional<collective::algorithm> how) {
  words_.resize(word::words);
  words_[word::called] = static_cast<std::uint64_t>(s.what);
  words_[word::root] = static_cast<std::uint64_t>(s.root);
  words_[word::element_bytes] = s.element_bytes;
  words_[word::algorithm] = how ? 1 + static_cast<std::uint64_t>(*how) : 0;
  if (const std::vector<block>* const blocks = common_blocks(s)) {
    for (const block& b : *blocks) words_.push_back(b.count);
  } else {
    words_[word::count] = s.count;
  }
  neighbourhood around = ways_of(s);
  way_.count = told_ = words_.size();
  if (!how && all_wait_for_all(s.what) && s.ranks > 2) {
    // The library stops on ranks whose neighbours agree with them, too: all hear of all.
    way_.what = what::allgather;
    how_ = collective::algorithm::bruck;
    for (int r = 0; r < s.ranks; ++r) peers_.push_back(r);
  } else {
    way_.what = what::neighbour_allgather;
    way_.destinations = std::move(around.destinations);
    way_.sources = peers_ = std::move(around.sources);
    way_.cut.most = 1;  // one place on each channel, as `leave_out` takes
  }
  words_.resize(told_ * (1 + peers_.size()));
  for (std::size_t i = 1; i <= peers_.size(); ++i)
    std::ranges::copy(told(), words().subspan(i * told_).begin());
}

std::exception_ptr collective_agreement::verdict(task_name name) {
  const std::string wrong = disagreement();
  std::lock_guard lock(mutex_);
  ++verdicts_;
  if (wrong.empty()) return put_off_;
  return std::make_exception_ptr(
      usage_error(std::string(to_string(called_)) + " '" + name.c_str() + "': " + wrong));
}

bool collective_agreement::put_off(const std::exception_ptr& failure,
                                   std::uint64_t iteration) const {
  std::lock_guard lock(mutex_);
  if (verdicts_ > iteration) return false;
  put_off_ = failure;
  return true;
}

std::string collective_agreement::disagreement() const {
  return expected_.empty() ? wrong_call() : wrong_pair();
}

std::string collective_agreement::wrong_pair() const {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const std::uint64_t sent = words_[told_ + i];
    if (sent == expected_[i]) continue;
    const int from = way_.what == what::scatter  ? way_.root
                     : is_neighbourly(way_.what) ? way_.sources[i]
                                                 : static_cast<int>(i);
    return "rank " + std::to_string(from) + " sends " + std::to_string(sent) +
           " bytes to this rank, which expects " + std::to_string(expected_[i]) + " (" +
           elements(expected_[i] / element_bytes_, element_bytes_) + ")";
  }
  return {};
}

std::string collective_agreement::wrong_call() const {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const std::span own = std::span(words_).first(told_);
    const std::span other = std::span(words_).subspan(told_ * (i + 1), told_);
    if (!std::ranges::equal(own, other)) return difference(own, other, peers_[i]);
  }
  return {};
}

}  // namespace plait
