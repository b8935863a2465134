// SPDX-License-Identifier: BSD-3-Clause
// Which elements travel and are combined in random collective operations of every kind.
#include <algorithm>
#include <utility>

#include "collective.hpp"

namespace plait::test::mix {
namespace {

using what = collective::operation;

[[nodiscard]] bool has_root(what op) {
  return op == what::bcast || collective::only_root_is_in_place(op);
}
[[nodiscard]] bool may_be_in_place(what op) {
  return !is_neighbourly(op) && op != what::barrier && op != what::bcast;
}
[[nodiscard]] bool combines(what op) {
  return op == what::reduce || op == what::allreduce || op == what::scan || op == what::exscan ||
         op == what::reduce_scatter || op == what::reduce_scatter_block;
}
[[nodiscard]] bool has_unequal_blocks(what op) {
  return op == what::gatherv || op == what::scatterv || op == what::allgatherv ||
         op == what::alltoallv || op == what::reduce_scatter;
}
[[nodiscard]] bool scatters(what op) {
  return op == what::scatter || op == what::scatterv;
}

[[nodiscard]] std::size_t random_count(generator& g) {
  return g.chance(0.2) ? 0 : g.between(1, 5);
}
[[nodiscard]] std::vector<std::size_t> random_counts(generator& g, std::size_t n) {
  std::vector<std::size_t> counts(n);
  for (std::size_t& count : counts) count = g.chance(0.3) ? 0 : g.between(1, 3);
  return counts;
}

[[nodiscard]] std::size_t end_of(const blocks& all) {
  std::size_t end = 0;
  for (const block& b : all) end = std::max(end, b.displacement + b.count);
  return end;
}

/// One behind the other, perhaps from the last to the first, perhaps with gaps.
[[nodiscard]] blocks laid_out(generator& g, const std::vector<std::size_t>& counts) {
  if (g.chance(0.5)) return collective::packed(counts);
  const bool backwards = g.chance(0.5);
  blocks all(counts.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t at = backwards ? counts.size() - 1 - i : i;
    all[at] = {counts[at], end};
    end += counts[at] + g.below(2);
  }
  return all;
}

/// Makes the parts of all members.
class planner {
 public:
  planner(generator& g, planned_collective& call)
      : g_(g), call_(call), size_(call.among.size()), n_(call.count) {
    call_.parts.resize(size_);
    for (std::size_t q = 0; q < size_; ++q) part(q).one_buffer = one_buffer(q);
  }

  void plan() {
    switch (call_.what) {
      case what::barrier:
        return vectors(0, n_);
      case what::bcast:
        vectors(0, n_);
        return to_all(call_.root, 0, 0, n_);
      case what::reduce:
        vectors(n_, n_);
        return fold(call_.root, 0, size_, 0, 0, n_);
      case what::allreduce:
        vectors(n_, n_);
        return for_each([this](std::size_t q) { fold(q, 0, size_, 0, 0, n_); });
      case what::scan:
        vectors(n_, n_);
        return for_each([this](std::size_t q) { fold(q, 0, q + 1, 0, 0, n_); });
      case what::exscan:
        vectors(n_, n_);
        return for_each([this](std::size_t q) { fold(q, 0, q, 0, 0, n_); });
      case what::gather:
        return gathers(equal(), {call_.root}, false);
      case what::gatherv:
        return gathers(random_counts(g_, size_), {call_.root}, true);
      case what::allgather:
        return gathers(equal(), everybody(), false);
      case what::allgatherv:
        return gathers(random_counts(g_, size_), everybody(), true);
      case what::scatter:
        return scatters_to_all(equal(), false);
      case what::scatterv:
        return scatters_to_all(random_counts(g_, size_), true);
      case what::alltoall:
        return exchanges(false);
      case what::alltoallv:
        return exchanges(true);
      case what::reduce_scatter_block:
        return reduces_and_scatters(equal(), false);
      case what::reduce_scatter:
        return reduces_and_scatters(random_counts(g_, size_), true);
      default:
        return with_neighbours();
    }
  }

 private:
  [[nodiscard]] member_part& part(std::size_t q) { return call_.parts[q]; }
  [[nodiscard]] bool one_buffer(std::size_t q) const {
    return call_.in_place && (!collective::only_root_is_in_place(call_.what) || q == call_.root);
  }
  [[nodiscard]] std::vector<std::size_t> equal() const {
    return std::vector<std::size_t>(size_, n_);
  }
  [[nodiscard]] std::vector<std::size_t> everybody() const {
    std::vector<std::size_t> all(size_);
    for (std::size_t q = 0; q < size_; ++q) all[q] = q;
    return all;
  }
  template <class Use>
  void for_each(Use use) {
    for (std::size_t q = 0; q < size_; ++q) use(q);
  }
  void vectors(std::size_t send, std::size_t receive) {
    for_each([&](std::size_t q) {
      part(q).send.count = send;
      part(q).receive.count = receive;
    });
  }
  void copy(std::size_t from_member, std::size_t from, std::size_t to_member, std::size_t to,
            std::size_t count) {
    if (count > 0) call_.copies.push_back({from_member, from, to_member, to, count});
  }
  void to_all(std::size_t from_member, std::size_t from, std::size_t to, std::size_t count) {
    for_each([&](std::size_t q) { copy(from_member, from, q, to, count); });
  }
  void fold(std::size_t to_member, std::size_t first, std::size_t end, std::size_t from,
            std::size_t to, std::size_t count) {
    if (first == end || count == 0) return;
    call_.folds.push_back({first, end - 1, from, to_member, to, count});
  }

  void gathers(const std::vector<std::size_t>& counts, const std::vector<std::size_t>& receivers,
               bool lists) {
    for_each([&](std::size_t q) { part(q).send.count = counts[q]; });
    for (const std::size_t r : receivers) {
      const blocks here = lists ? laid_out(g_, counts) : collective::packed(counts);
      part(r).receive.count = end_of(here);
      if (lists) part(r).receive_blocks = here;
    }
    for (const std::size_t r : receivers) {
      for_each([&](std::size_t q) {
        const blocks here = lists ? part(r).receive_blocks : collective::packed(counts);
        // In place the sender's own part is where it would receive it.
        const blocks there = lists ? part(q).receive_blocks : here;
        const std::size_t from = one_buffer(q) ? there[q].displacement : 0;
        copy(q, from, r, here[q].displacement, counts[q]);
      });
    }
  }

  void scatters_to_all(const std::vector<std::size_t>& counts, bool lists) {
    const blocks sent = lists ? laid_out(g_, counts) : collective::packed(counts);
    part(call_.root).send.count = end_of(sent);
    if (lists) part(call_.root).send_blocks = sent;
    for_each([&](std::size_t q) {
      part(q).receive.count = counts[q];
      if (!one_buffer(q)) copy(call_.root, sent[q].displacement, q, 0, counts[q]);
    });
  }

  void exchanges(bool lists) {
    std::vector<std::vector<std::size_t>> counts(size_, equal());
    if (lists) {
      for_each([&](std::size_t q) { counts[q] = random_counts(g_, size_); });
      for (std::size_t q = 0; call_.in_place && q < size_; ++q) {
        for (std::size_t r = 0; r < q; ++r) counts[q][r] = counts[r][q];
      }
    }
    for_each([&](std::size_t q) {
      std::vector<std::size_t> from(size_);
      for_each([&](std::size_t r) { from[r] = counts[r][q]; });
      member_part& p = part(q);
      p.receive_blocks = lists ? laid_out(g_, from) : collective::packed(from);
      p.send_blocks = call_.in_place ? p.receive_blocks
                      : lists        ? laid_out(g_, counts[q])
                                     : collective::packed(counts[q]);
      p.send.count = end_of(p.send_blocks);
      p.receive.count = end_of(p.receive_blocks);
    });
    for_each([&](std::size_t q) {
      for_each([&](std::size_t r) {
        copy(q, part(q).send_blocks[r].displacement, r, part(r).receive_blocks[q].displacement,
             counts[q][r]);
      });
    });
  }

  void reduces_and_scatters(const std::vector<std::size_t>& counts, bool lists) {
    const blocks sent = lists ? laid_out(g_, counts) : collective::packed(counts);
    for_each([&](std::size_t q) {
      part(q).send.count = end_of(sent);
      part(q).receive.count = one_buffer(q) ? end_of(sent) : counts[q];
      if (lists) part(q).send_blocks = sent;
      fold(q, 0, size_, sent[q].displacement, 0, counts[q]);
    });
  }

  /// Edges at the same distances from every rank, some of them twice, some to itself.
  void with_neighbours() {
    const bool all_to_all =
        call_.what == what::neighbour_alltoall || call_.what == what::neighbour_alltoallv;
    const bool lists =
        call_.what == what::neighbour_allgatherv || call_.what == what::neighbour_alltoallv;
    std::vector<std::size_t> distances(g_.below(4));
    for (std::size_t& d : distances) d = g_.below(size_);
    // What an edge carries from each rank: the same on all edges of an allgather.
    std::vector<std::vector<std::size_t>> carried(size_);
    for_each([&](std::size_t q) {
      const std::size_t usual = lists ? random_count(g_) % 4 : n_;
      carried[q] = lists && all_to_all ? random_counts(g_, distances.size())
                                       : std::vector<std::size_t>(distances.size(), usual);
      if (!all_to_all) part(q).send.count = usual;
    });
    for_each([&](std::size_t q) {
      member_part& p = part(q);
      std::vector<std::size_t> from;
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const std::size_t source = (q + size_ - distances[i]) % size_;
        p.around.sources.push_back(static_cast<int>(source));
        p.around.destinations.push_back(static_cast<int>((q + distances[i]) % size_));
        from.push_back(carried[source][i]);
      }
      p.receive_blocks = lists ? laid_out(g_, from) : collective::packed(from);
      p.receive.count = end_of(p.receive_blocks);
      if (!all_to_all) return;
      p.send_blocks = lists ? laid_out(g_, carried[q]) : collective::packed(carried[q]);
      p.send.count = end_of(p.send_blocks);
    });
    for_each([&](std::size_t q) {
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const std::size_t source = (q + size_ - distances[i]) % size_;
        const std::size_t from = all_to_all ? part(source).send_blocks[i].displacement : 0;
        copy(source, from, q, part(q).receive_blocks[i].displacement, carried[source][i]);
      }
    });
  }

  generator& g_;
  planned_collective& call_;
  const std::size_t size_;
  const std::size_t n_;
};

/// Makes some buffers boxes of an array: rows of elements that lie apart, or not.
void spread(generator& g, buffer& of) {
  if (of.count == 0 || !g.chance(0.4)) return;
  of.row = g.between(1, of.count);
  while (of.count % of.row != 0) --of.row;
  of.gap = g.below(4);
}

/// Anywhere, but not on each other.
[[nodiscard]] bool place_buffers(generator& g, member_part& part) {
  const std::size_t used = part.send.length() + part.receive.length();
  if (used > arena::general_words) return false;
  const std::size_t room = arena::general_words - used;
  const std::size_t before = g.below(room + 1);
  const std::size_t between = g.below(room - before + 1);
  const bool sends_first = g.chance(0.5);
  buffer& low = sends_first ? part.send : part.receive;
  buffer& high = sends_first ? part.receive : part.send;
  low.first = before;
  high.first = before + low.length() + between;
  return true;
}

void choose_way(generator& g, const scene& s, planned_collective& call) {
  call.commutes = !combines(call.what) || g.chance(0.7);
  const bool library_can =
      !is_neighbourly(call.what) && (s.with.library_vectors || !has_unequal_blocks(call.what));
  if (library_can && g.chance(0.3)) {
    call.by_library = true;
  } else if (g.chance(0.5)) {
    const auto all = collective::algorithms_of(call.what);
    const collective::algorithm how = all[g.below(all.size())];
    if (call.commutes || collective::keeps_order(call.what, how)) call.algorithm = how;
    call.fragment_bytes = g.between(1, 16);
  }
}

}  // namespace

piece buffer::where() const {
  if (!is_box()) return words_at(first, count);
  piece rows = words_at(first, row);
  rows.where.axes[0] = {static_cast<std::int64_t>(count / row),
                        static_cast<std::int64_t>((row + gap) * sizeof(word))};
  return rows;
}

bool takes_lists(what op) {
  return is_neighbourly(op) || has_unequal_blocks(op) || op == what::barrier;
}

const buffer& planned_collective::input(std::size_t member) const {
  const member_part& p = parts[member];
  if (what == what::bcast || (p.one_buffer && !scatters(what))) return p.receive;
  return p.send;
}

const buffer& planned_collective::output(std::size_t member) const {
  return parts[member].receive;
}

std::string planned_collective::text() const {
  std::string text(collective::to_string(what));
  text.append(by_library ? " by the library" : "");
  if (algorithm.has_value()) text.append(" by ").append(collective::to_string(*algorithm));
  text.append(in_place ? ", in place" : "").append(commutes ? "" : ", not commutative");
  text.append(", communicator ").append(std::to_string(among.communicator));
  text.append(", root ").append(std::to_string(root));
  for (std::size_t q = 0; q < parts.size(); ++q) {
    const auto words = [](const buffer& b) {
      return std::to_string(b.first) + "+" + std::to_string(b.count) +
             (b.is_box() ? " in rows of " + std::to_string(b.row) + " and " + std::to_string(b.gap)
                         : "");
    };
    text.append("; rank ").append(std::to_string(among.members[q])).append(" sends words ");
    text.append(words(parts[q].send)).append(", receives ").append(words(parts[q].receive));
  }
  return text;
}

std::optional<planned_collective> plan_collective(generator& g, const scene& s) {
  planned_collective call;
  call.what = collective::all_operations[g.below(collective::all_operations.size())];
  const auto groups = groups_of(g.below(communicators), s.ranks);
  call.among = groups[g.below(groups.size())];
  if (has_root(call.what)) call.root = g.below(call.among.size());
  call.count = random_count(g);
  call.in_place = may_be_in_place(call.what) && g.chance(0.4);
  choose_way(g, s, call);
  planner(g, call).plan();
  for (member_part& part : call.parts) {
    if (!takes_lists(call.what)) {
      spread(g, part.send);
      spread(g, part.receive);
    }
    if (!place_buffers(g, part)) return std::nullopt;
  }
  return call;
}

}  // namespace plait::test::mix
