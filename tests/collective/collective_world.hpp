// SPDX-License-Identifier: BSD-3-Clause
/// A collective call on all its ranks, with random shapes and data, and what must come of it
/// according to MPI's text.  Knows nothing of schedules.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <plait/collective/shape.hpp>

namespace plait::test {

using collective::block;
using collective::operation;
using collective::shape;
using bytes = std::vector<unsigned char>;
using random_engine = std::mt19937;

inline std::size_t random_up_to(random_engine& random, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(0, most)(random);
}

/// result = left OP right, for one element.
using element_operator = void (*)(const unsigned char* left, const unsigned char* right,
                                  unsigned char* result);

constexpr std::size_t operand_bytes = 4;

/// Of 2 x 2 matrices modulo 251: associative, not commutative.
inline void matrix_product(const unsigned char* l, const unsigned char* r, unsigned char* result) {
  const int product[] = {l[0] * r[0] + l[1] * r[2], l[0] * r[1] + l[1] * r[3],
                         l[2] * r[0] + l[3] * r[2], l[2] * r[1] + l[3] * r[3]};
  for (int i = 0; i < 4; ++i) result[i] = static_cast<unsigned char>(product[i] % 251);
}

template <typename T>
void sum_of(const unsigned char* left, const unsigned char* right, unsigned char* result) {
  static_assert(sizeof(T) == operand_bytes);
  T l;
  T r;
  std::memcpy(&l, left, sizeof l);
  std::memcpy(&r, right, sizeof r);
  l += r;
  std::memcpy(result, &l, sizeof l);
}

inline bool has_operator(operation what) {
  return what == operation::reduce || what == operation::allreduce || what == operation::scan ||
         what == operation::exscan || what == operation::reduce_scatter ||
         what == operation::reduce_scatter_block;
}
inline bool has_root(operation what) {
  return what == operation::bcast || what == operation::reduce || what == operation::gather ||
         what == operation::gatherv || what == operation::scatter || what == operation::scatterv;
}
inline bool can_be_in_place(operation what) {
  return what != operation::barrier && what != operation::bcast && !is_neighbourly(what);
}

/// Buffers are filled with random bytes; the input of a rank is what lies where its call says.
class world {
 public:
  /// `call` says what is wanted for all ranks; sizes, neighbours and displacements are random, with
  /// many zeros.
  world(const shape& call, element_operator op_, random_engine& random)
      : op(op_), ranks_(static_cast<std::size_t>(call.ranks)), random_(random) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      calls.push_back(call);
      calls[r].rank = static_cast<int>(r);
    }
    if (is_neighbourly(call.what)) {
      choose_neighbours();
    } else {
      choose_blocks();
    }
    for (std::size_t r = 0; r < ranks_; ++r) {
      send.push_back(random_bytes(extent(send_blocks_[r])));
      receive.push_back(random_bytes(extent(receive_blocks_[r])));
    }
    expected = receive;
    if (is_neighbourly(call.what)) {
      expect_of_neighbours();
    } else {
      expect();
    }
  }

  std::vector<shape> calls;  ///< by rank, as are the others
  std::vector<bytes> send;
  std::vector<bytes> receive;
  std::vector<bytes> expected;  ///< all of the receive buffer
  element_operator op;

 private:
  using what = operation;

  [[nodiscard]] const shape& any() const { return calls.front(); }
  [[nodiscard]] bool is(std::initializer_list<operation> list) const {
    return std::ranges::find(list, any().what) != list.end();
  }
  [[nodiscard]] bool is_root(std::size_t r) const { return static_cast<int>(r) == any().root; }

  std::size_t random_count() {
    constexpr std::size_t counts[] = {0, 0, 1, 2, 3, 5, 8, 40};
    return counts[random_up_to(random_, std::size(counts) - 1)];
  }
  bytes random_bytes(std::size_t size) {
    bytes data(size);
    for (auto& b : data) b = static_cast<unsigned char>(random_());
    return data;
  }
  [[nodiscard]] std::size_t extent(const std::vector<block>& blocks) const {
    std::size_t elements = 3;  // nobody's
    for (const block& b : blocks) elements = std::max(elements, b.displacement + b.count + 3);
    return elements * any().element_bytes;
  }

  static std::vector<block> side_by_side(const std::vector<std::size_t>& counts) {
    return collective::packed(counts);
  }
  /// In any order, with gaps.
  std::vector<block> scattered(const std::vector<std::size_t>& counts) {
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random_up_to(random_, 2) > 0) std::ranges::shuffle(order, random_);
    std::vector<block> blocks(counts.size());
    std::size_t next = 0;
    for (const std::size_t i : order) {
      next += random_up_to(random_, 5) / 4;
      blocks[i] = {counts[i], next};
      next += counts[i];
    }
    return blocks;
  }
  /// Listed in the call where the operation has blocks of different sizes.
  std::vector<block> laid_out(const std::vector<std::size_t>& counts, bool listed) {
    return listed ? scattered(counts) : side_by_side(counts);
  }

  /// counts_[i][j]: what the i-th rank has for the j-th one, or adds to that one's result.
  void choose_counts() {
    const std::size_t same = random_count();
    counts_.assign(ranks_, std::vector<std::size_t>(ranks_, same));
    for (auto& c : calls) c.count = same;
    if (!is({what::gatherv, what::scatterv, what::allgatherv, what::alltoallv,
             what::reduce_scatter})) {
      return;
    }
    for (auto& row : counts_) {
      for (auto& count : row) count = random_count();
    }
    for (std::size_t i = 0; i < ranks_; ++i) {
      for (std::size_t j = 0; j < ranks_; ++j) {
        if (is({what::gatherv, what::allgatherv})) counts_[i][j] = counts_[i][0];
        if (is({what::scatterv, what::reduce_scatter})) counts_[i][j] = counts_[0][j];
        if (any().in_place && is({what::alltoallv}) && j < i) counts_[i][j] = counts_[j][i];
      }
    }
    for (std::size_t i = 0; i < ranks_; ++i) {
      // Whoever has a list has no use for it.
      calls[i].count = 1000003;
      if (is({what::gatherv}) && !is_root(i)) calls[i].count = counts_[i][0];
      if (is({what::scatterv}) && !is_root(i)) calls[i].count = counts_[0][i];
    }
  }

  void choose_blocks() {
    choose_counts();
    send_blocks_.resize(ranks_);
    receive_blocks_.resize(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::vector<std::size_t> from(ranks_);
      for (std::size_t i = 0; i < ranks_; ++i) from[i] = counts_[i][r];
      const std::vector<std::size_t>& to = counts_[r];
      const bool listed = to_string(any().what).ends_with("v") || is({what::reduce_scatter});
      const block whole{
          is({what::scatter, what::scatterv, what::reduce_scatter_block, what::reduce_scatter})
              ? from[0]
              : to[0],
          0};
      const bool blocks_sent = is({what::scatter, what::scatterv, what::alltoall, what::alltoallv,
                                   what::reduce_scatter_block, what::reduce_scatter});
      const bool blocks_received = is({what::gather, what::gatherv, what::allgather,
                                       what::allgatherv, what::alltoall, what::alltoallv});
      send_blocks_[r] = blocks_sent ? laid_out(to, listed) : std::vector<block>{whole};
      receive_blocks_[r] = blocks_received ? laid_out(from, listed) : std::vector<block>{whole};
      const bool lists = !has_root(any().what) || is_root(r);
      if (listed && blocks_sent && lists) calls[r].send_blocks = send_blocks_[r];
      if (listed && blocks_received && lists) calls[r].receive_blocks = receive_blocks_[r];
      if (any().in_place && is({what::reduce_scatter_block, what::reduce_scatter})) {
        receive_blocks_[r].insert(receive_blocks_[r].end(), send_blocks_[r].begin(),
                                  send_blocks_[r].end());
      }
    }
  }

  struct edge {
    std::size_t from;
    std::size_t place;  ///< among the destinations of `from`
  };

  void choose_neighbours() {
    const bool different = to_string(any().what).ends_with("v");
    const bool one_block = is({what::neighbour_allgather, what::neighbour_allgatherv});
    const std::size_t same = random_count();
    send_blocks_.resize(ranks_);
    receive_blocks_.resize(ranks_);
    incoming_.resize(ranks_);
    for (std::size_t a = 0; a < ranks_; ++a) {
      shape& call = calls[a];
      const std::size_t degree = random_up_to(random_, 5);
      for (std::size_t i = 0; i < degree; ++i) {
        const std::size_t b = random_up_to(random_, ranks_ - 1);
        call.destinations.push_back(static_cast<int>(b));
        incoming_[b].push_back({a, i});
      }
      call.count = different && one_block ? random_count() : same;
      std::vector<std::size_t> counts(degree, call.count);
      if (different && !one_block) std::ranges::generate(counts, [&] { return random_count(); });
      send_blocks_[a] =
          one_block ? std::vector<block>(degree, {call.count, 0}) : laid_out(counts, different);
      if (different && !one_block) call.send_blocks = send_blocks_[a];
    }
    for (std::size_t b = 0; b < ranks_; ++b) {
      mix_sources(incoming_[b]);
      std::vector<std::size_t> counts;
      for (const edge& e : incoming_[b]) {
        calls[b].sources.push_back(static_cast<int>(e.from));
        counts.push_back(send_blocks_[e.from][e.place].count);
      }
      receive_blocks_[b] = laid_out(counts, different);
      if (different) calls[b].receive_blocks = receive_blocks_[b];
    }
  }

  /// Any order, but edges from one rank stay in theirs.
  void mix_sources(std::vector<edge>& edges) {
    std::vector<edge> mixed = edges;
    std::ranges::shuffle(mixed, random_);
    for (std::size_t a = 0; a < ranks_; ++a) {
      auto in_order = edges.begin();
      for (edge& e : mixed) {
        if (e.from != a) continue;
        in_order = std::find_if(in_order, edges.end(), [&](const edge& x) { return x.from == a; });
        e.place = in_order++->place;
      }
    }
    edges = mixed;
  }

  [[nodiscard]] bytes read(const bytes& data, const block& b) const {
    const auto begin =
        data.begin() + static_cast<std::ptrdiff_t>(b.displacement * any().element_bytes);
    return {begin, begin + static_cast<std::ptrdiff_t>(b.count * any().element_bytes)};
  }
  void write(bytes& data, const block& b, const bytes& value) const {
    std::ranges::copy(
        value, data.begin() + static_cast<std::ptrdiff_t>(b.displacement * any().element_bytes));
  }
  [[nodiscard]] bytes folded(std::size_t first, std::size_t last,
                             const std::function<bytes(std::size_t)>& input) const {
    bytes result = input(first);
    for (std::size_t i = first + 1; i < last; ++i) {
      const bytes next = input(i);
      for (std::size_t k = 0; k < result.size(); k += operand_bytes) {
        op(&result[k], &next[k], &result[k]);
      }
    }
    return result;
  }

  /// The input of rank i, or its block for rank j.
  [[nodiscard]] bytes input(std::size_t i, std::size_t j) const {
    const bool in_place = any().in_place && (!has_root(any().what) || is_root(i));
    if (is({what::scatter, what::scatterv})) return read(send[i], send_blocks_[i][j]);
    if (is({what::reduce_scatter_block, what::reduce_scatter})) {
      return read(in_place ? receive[i] : send[i], send_blocks_[i][j]);
    }
    if (is({what::gather, what::gatherv, what::allgather, what::allgatherv})) {
      return in_place ? read(receive[i], receive_blocks_[i][i])
                      : read(send[i], send_blocks_[i].front());
    }
    if (is({what::alltoall, what::alltoallv})) {
      return in_place ? read(receive[i], receive_blocks_[i][j]) : read(send[i], send_blocks_[i][j]);
    }
    return read(in_place ? receive[i] : send[i], {send_blocks_[i].front().count, 0});
  }

  void expect() {
    if (is({what::barrier})) return;
    const auto root = static_cast<std::size_t>(any().root);
    for (std::size_t r = 0; r < ranks_; ++r) {
      const block front = receive_blocks_[r].front();
      const auto from = [&](std::size_t i) { return input(i, r); };
      if (is({what::bcast})) {
        write(expected[r], front, read(receive[root], front));
      } else if (is({what::scan, what::exscan})) {
        const std::size_t last = is({what::scan}) ? r + 1 : r;
        if (last > 0) write(expected[r], front, folded(0, last, from));
      } else if (is({what::scatter, what::scatterv})) {
        if (!(any().in_place && is_root(r))) write(expected[r], front, input(root, r));
      } else if (has_root(any().what) && !is_root(r)) {
        continue;
      } else if (has_operator(any().what)) {
        write(expected[r], front, folded(0, ranks_, from));
      } else {
        for (std::size_t i = 0; i < ranks_; ++i) {
          write(expected[r], receive_blocks_[r][i], input(i, r));
        }
      }
    }
  }

  void expect_of_neighbours() {
    for (std::size_t b = 0; b < ranks_; ++b) {
      for (std::size_t i = 0; i < incoming_[b].size(); ++i) {
        const edge& e = incoming_[b][i];
        write(expected[b], receive_blocks_[b][i],
              read(send[e.from], send_blocks_[e.from][e.place]));
      }
    }
  }

  std::size_t ranks_;
  random_engine& random_;
  std::vector<std::vector<std::size_t>> counts_;
  std::vector<std::vector<block>> send_blocks_;
  std::vector<std::vector<block>> receive_blocks_;
  std::vector<std::vector<edge>> incoming_;
};

}  // namespace plait::test
