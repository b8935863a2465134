// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collectives/collective_agreement.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <plait/core/error.hpp>

#include "collective/tree.hpp"

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

/// Returns from whom a rank hears, and whom it tells: parent and children in a tree of the root,
/// the ranks before and after it in a line, or round a ring.
[[nodiscard]] neighbourhood ways_of(const collective::shape& s) {
  const bool goes_up = s.what == what::reduce || s.what == what::gather;
  const bool is_rooted = goes_up || s.what == what::bcast || s.what == what::scatter;
  if (!is_rooted && s.what != what::scan && s.what != what::exscan)
    return {{(s.rank + s.ranks - 1) % s.ranks}, {(s.rank + 1) % s.ranks}};
  const collective::tree way = is_rooted ? collective::binomial_tree(s.ranks, s.root, s.rank)
                                         : collective::two_chains(s.ranks, 0, s.rank);
  neighbourhood around;
  if (!way.is_root()) around.sources.push_back(way.parent.peer);
  for (const collective::edge& child : way.children) around.destinations.push_back(child.peer);
  if (goes_up) std::swap(around.sources, around.destinations);
  return around;
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
  told_ = words_.size();
  words_.insert(words_.end(), expected_.begin(), expected_.end());
}

std::vector<channel*> collective_agreement::channels(engine& messages,
                                                     const communicator& among) const {
  std::vector<channel*> all;
  if (way_.what != what::neighbour_allgather) return all;
  const auto add = [&](operation::kind kind, const std::vector<int>& peers) {
    for (const int peer : peers) {
      const operation like{.what = kind, .of = operation::origin::agreement, .peer = peer};
      all.push_back(&messages.channel_of(like, among));
    }
  };
  add(operation::kind::receive, way_.sources);
  add(operation::kind::send, way_.destinations);
  return all;
}

/// Each element is the bytes that one rank sends another.
void collective_agreement::tell_sizes_of_pairs(const collective::shape& s) {
  using how = collective::algorithm;
  const auto sizes = [&s](std::size_t number, const std::vector<block>& blocks) {
    std::vector<std::uint64_t> bytes(number, s.count * s.element_bytes);
    for (std::size_t i = 0; i < blocks.size(); ++i) bytes[i] = blocks[i].count * s.element_bytes;
    return bytes;
  };
  // Of the root's blocks: on the root all of them, and of each rank its own.
  const auto all = [&](const std::vector<block>& blocks) {
    return s.rank == s.root ? sizes(blocks.size(), blocks) : std::vector<std::uint64_t>();
  };
  const auto own = [&](const std::vector<block>& blocks) {
    if (s.rank != s.root) return sizes(1, {});
    return sizes(1, {blocks[static_cast<std::size_t>(s.rank)]});
  };
  const auto by = [&](what called, how far) {
    way_.what = called;
    if (s.ranks > most_ranks_direct) how_ = far;
  };
  way_.count = 1;
  if (s.what == what::gatherv) {
    by(what::gather, how::binomial);
    words_ = own(s.receive_blocks);
    expected_ = all(s.receive_blocks);
  } else if (s.what == what::scatterv) {
    by(what::scatter, how::binomial);
    words_ = all(s.send_blocks);
    expected_ = own(s.send_blocks);
  } else if (s.what == what::alltoallv) {
    by(what::alltoall, how::bruck);
    words_ = sizes(s.receive_blocks.size(), s.in_place ? s.receive_blocks : s.send_blocks);
    expected_ = sizes(s.receive_blocks.size(), s.receive_blocks);
  } else {
    by(what::neighbour_alltoall, how::linear);
    way_.destinations = s.destinations;
    way_.sources = s.sources;
    words_ = sizes(s.destinations.size(), s.send_blocks);
    expected_ = sizes(s.sources.size(), s.receive_blocks);
  }
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
  way_.count = words_.size();
  std::size_t heard = static_cast<std::size_t>(s.ranks);
  if (!how && all_wait_for_all(s.what) && s.ranks > 2) {
    // The library stops on ranks whose neighbours agree with them, too: all hear of all.
    way_.what = what::allgather;
    how_ = collective::algorithm::bruck;
  } else {
    neighbourhood around = ways_of(s);
    way_.what = what::neighbour_allgather;
    way_.destinations = std::move(around.destinations);
    way_.sources = std::move(around.sources);
    way_.cut.most = 1;  // one place on each channel, as `leave_out` takes
    heard = way_.sources.size();
  }
  for (; heard > 0; --heard) expected_.insert(expected_.end(), words_.begin(), words_.end());
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
  const std::span heard = std::span(words_).subspan(told_);
  const auto differs = std::ranges::mismatch(heard, expected_).in1 - heard.begin();
  const auto at = static_cast<std::size_t>(differs);
  if (at == heard.size()) return {};
  const std::size_t block = at / way_.count;
  const int from = way_.what == what::scatter  ? way_.root
                   : is_neighbourly(way_.what) ? way_.sources[block]
                                               : static_cast<int>(block);
  if (!is_of_pairs(called_))
    return difference(std::span(words_).first(told_), heard.subspan(block * way_.count, way_.count),
                      from);
  return "rank " + std::to_string(from) + " sends " + std::to_string(heard[at]) +
         " bytes to this rank, which expects " + std::to_string(expected_[at]) + " (" +
         elements(expected_[at] / element_bytes_, element_bytes_) + ")";
}

}  // namespace plait
