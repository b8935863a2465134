// SPDX-License-Identifier: BSD-3-Clause
#include "binary_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate::binary_form {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie there");

/// Bytes one after the other; none beyond their end.
class bytes {
 public:
  bytes(std::string_view data, std::string where) : data_(data), where_(std::move(where)) {}

  template <class Number>
  [[nodiscard]] Number take() {
    if (data_.size() - at_ < sizeof(Number)) wrong("it ends too early");
    Number value;
    std::memcpy(&value, data_.data() + at_, sizeof(Number));
    at_ += sizeof(Number);
    return value;
  }

  [[nodiscard]] std::size_t left() const { return data_.size() - at_; }
  [[nodiscard]] std::string_view data() const { return data_; }
  /// Returns other data of the same place.
  [[nodiscard]] bytes with(std::string_view data) const { return {data, where_}; }
  [[nodiscard]] bytes from(std::uint64_t begin, std::uint64_t end, std::string where) const {
    if (begin > end || end > data_.size()) wrong(where + " lies beyond its end");
    return {data_.substr(begin, end - begin), where_ + ": " + where};
  }
  [[noreturn]] void wrong(const std::string& what) const {
    throw usage_error(fmt::format("{}: {}; the file is damaged or cut off", where_, what));
  }

 private:
  std::string_view data_;
  std::string where_;
  std::size_t at_ = 0;
};

/// Edges of an operation: how many, and the first one's place among all.
struct edge_range {
  std::uint32_t count = 0;
  std::uint32_t first = 0;
};

class rank_reader {
 public:
  /// `are_steps`: peers are those of `peers_as_steps`.
  rank_reader(bytes data, bool are_steps) : data_(std::move(data)), are_steps_(are_steps) {}

  [[nodiscard]] rank_template read(std::uint32_t ranks) {
    const auto operations = data_.take<std::uint32_t>();
    const auto roots = data_.take<std::uint32_t>();
    if (roots > operations || operations >= too_many_operations ||
        data_.left() < std::uint64_t{roots} * 4 + std::uint64_t{operations} * operation_bytes)
      data_.wrong(fmt::format("{} operations do not fit in", operations));
    std::vector<std::uint32_t> roots_read(roots);
    for (std::uint32_t& root : roots_read) root = data_.take<std::uint32_t>();
    std::vector<std::uint32_t> unmet(operations);
    read_.operations.reserve(operations);
    after_end_.reserve(operations);
    after_start_.reserve(operations);
    for (std::uint32_t i = 0; i < operations; ++i) {
      unmet[i] = data_.take<std::uint32_t>();
      read_operation(i, ranks);
    }
    places_.resize(data_.left() / 4);
    for (std::uint32_t& place : places_) place = data_.take<std::uint32_t>();
    take_edges(after_end_, read_.after_end);
    take_edges(after_start_, read_.after_start);
    std::vector<std::uint32_t> first;
    for (std::uint32_t i = 0; i < operations; ++i)
      if (unmet[i] == 0) first.push_back(i);
    if (unmet != read_.unmet(false)) data_.wrong("an operation's count of dependences is another");
    if (first != roots_read) data_.wrong("its list of first operations is another");
    return std::move(read_);
  }

 private:
  void read_operation(std::uint32_t number, std::uint32_t ranks) {
    operation read;
    const auto kind = data_.take<std::uint8_t>();
    if (kind < 1 || kind > 3) data_.wrong(fmt::format("operation {} is of kind {}", number, kind));
    read.kind = static_cast<operation_kind>(kind);
    read.peer = data_.take<std::uint32_t>();
    read.size = data_.take<std::uint64_t>();
    read.tag = data_.take<std::uint32_t>();
    read.cpu = data_.take<std::uint8_t>();
    read.nic = data_.take<std::uint8_t>();
    if (read.kind == operation_kind::calculation) read.peer = read.tag = 0;
    const bool from_any = read.kind == operation_kind::receive && read.peer == any;
    if (read.peer >= ranks && !from_any)
      data_.wrong(fmt::format("operation {} names rank {} of {}", number, read.peer, ranks));
    if (are_steps_ && read.kind != operation_kind::calculation && !from_any)
      read.rule = peer_rule::shift;
    read_.operations.push_back(read);
    for (std::vector<edge_range>* ranges : {&after_end_, &after_start_}) {
      const auto count = data_.take<std::uint32_t>();
      ranges->push_back({count, data_.take<std::uint32_t>()});
    }
  }

  void take_edges(const std::vector<edge_range>& ranges, edge_list& list) {
    std::uint64_t sum = 0;
    for (const edge_range& range : ranges) sum += range.count;
    if (sum > places_.size()) data_.wrong(fmt::format("there are no {} edges in it", sum));
    list.edges.reserve(sum);
    list.begin.reserve(ranges.size() + 1);
    for (const edge_range& range : ranges) {
      if (std::uint64_t{range.first} + range.count > places_.size())
        data_.wrong("an operation's edges lie beyond its end");
      for (std::uint32_t i = 0; i < range.count; ++i) {
        const std::uint32_t to = places_[range.first + i];
        if (to >= ranges.size()) data_.wrong(fmt::format("an edge leads to operation {}", to));
        list.edges.emplace_back(to);
      }
      list.begin.push_back(static_cast<std::uint32_t>(list.edges.size()));
    }
  }

  bytes data_;
  const bool are_steps_;
  rank_template read_;
  std::vector<edge_range> after_end_;
  std::vector<edge_range> after_start_;
  std::vector<std::uint32_t> places_;
};

/// Writes a rank's part into `to`, with peers as steps from the rank: ranks of a regular program
/// have equal ones.  Returns whether it could; where it could not, the part is damaged.
[[nodiscard]] bool peers_as_steps(std::string_view part, std::uint32_t rank, std::uint32_t ranks,
                                  std::string& to) {
  to.assign(part);
  std::uint32_t counts[2];  // operations, roots
  if (part.size() < sizeof counts) return false;
  std::memcpy(counts, part.data(), sizeof counts);
  const std::uint64_t first = sizeof counts + 4 * std::uint64_t{counts[1]};
  if (first + std::uint64_t{counts[0]} * operation_bytes > part.size()) return false;
  for (char* at = to.data() + first; counts[0] > 0; --counts[0], at += operation_bytes) {
    const auto kind = static_cast<operation_kind>(at[kind_offset]);
    if (kind == operation_kind::calculation) continue;
    std::uint32_t peer = 0;
    std::memcpy(&peer, at + peer_offset, sizeof peer);
    if (peer == any && kind == operation_kind::receive) continue;
    if (peer >= ranks) return false;
    peer = peer >= rank ? peer - rank : peer + (ranks - rank);
    std::memcpy(at + peer_offset, &peer, sizeof peer);
  }
  return true;
}

/// Finds ranks that do the same, but for the rank from which their peers are counted.
class equal_ranks {
 public:
  explicit equal_ranks(std::uint32_t ranks) : ranks_(ranks) {}

  /// Takes the ranks in their order.  Returns one before that did the same, or the rank itself.
  [[nodiscard]] std::uint32_t first_like(std::uint32_t rank, std::string_view part) {
    parts_.push_back(part);
    is_step_ = peers_as_steps(part, rank, ranks_, now_);
    if (!is_step_) return rank;
    const std::uint32_t first =
        first_.try_emplace(std::hash<std::string>()(now_), rank).first->second;
    if (first == rank) return rank;
    return peers_as_steps(parts_[first], first, ranks_, then_) && now_ == then_ ? first : rank;
  }
  /// The part that was taken last, with its peers as steps if `are_steps()`.
  [[nodiscard]] std::string_view newest() const { return is_step_ ? now_ : parts_.back(); }
  [[nodiscard]] bool are_steps() const { return is_step_; }

 private:
  const std::uint32_t ranks_;
  std::vector<std::string_view> parts_;
  std::unordered_map<std::size_t, std::uint32_t> first_;  ///< by the hash of its part
  std::string now_;
  std::string then_;
  bool is_step_ = false;
};

}  // namespace

bool is_binary(std::string_view data) {
  std::uint64_t first = 0;
  if (data.size() < sizeof first) return false;
  std::memcpy(&first, data.data(), sizeof first);
  return first == magic;
}

program read(std::string_view data, const std::string& name, const passed_bytes& passed) {
  const bytes all(data.substr(magic_bytes), name);
  bytes head = all;
  program read;
  const auto ranks = head.take<std::uint32_t>();
  static_cast<void>(head.take<std::uint16_t>());  // the last cpu and nic: found anew
  if (ranks == 0 || ranks == any || head.left() / rank_bytes < ranks)
    head.wrong(fmt::format("{} ranks do not fit in", ranks));
  equal_ranks seen(ranks);
  std::uint64_t bytes_of_ranks = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto begin = head.take<std::uint64_t>();
    const auto end = head.take<std::uint64_t>();
    bytes_of_ranks += end > begin ? std::min<std::uint64_t>(end - begin, data.size()) : 0;
    if (bytes_of_ranks > data.size()) head.wrong("parts of ranks overlap");  // memory is bounded
    const bytes part = all.from(begin, end, fmt::format("rank {}", rank));
    const std::uint32_t like = seen.first_like(rank, part.data());
    passed(magic_bytes + begin);
    if (like != rank) {
      read.template_of.push_back(read.template_of[like]);
      continue;
    }
    read.template_of.push_back(static_cast<std::uint32_t>(read.templates.size()));
    rank_reader one(part.with(seen.newest()), seen.are_steps());
    read.templates.push_back(one.read(ranks));
  }
  return read;
}

}  // namespace plait::simulate::binary_form
