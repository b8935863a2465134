// SPDX-License-Identifier: BSD-3-Clause
// Rooted operations, and allreduce as a reduction to rank 0 and a broadcast from there.
#include <algorithm>
#include <ranges>

#include "collective/builders.hpp"
#include "collective/tree.hpp"

namespace plait::collective {
namespace {

tree tree_of(const operands& o, int root, tree (*chain)(int, int, int)) {
  if (o.how == algorithm::linear) return star(o.ranks, root, o.rank);
  if (o.how == algorithm::binomial) return binomial_tree(o.ranks, root, o.rank);
  return chain(o.ranks, root, o.rank);
}

std::vector<slice> pieces_of(const operands& o, const slice& whole) {
  if (o.how == algorithm::chain) return fragments_of(whole, o.call);
  return whole.empty() ? std::vector<slice>{} : std::vector<slice>{whole};
}

int rounds_of(const tree& t, std::size_t pieces) {
  return pieces == 0 || t.depth == 0 ? 0 : t.depth + static_cast<int>(pieces) - 1;
}

int round_down(const tree& t, const edge& e) {
  return t.depth - 1 - e.round;
}

// Each piece goes on as soon as it has come.
void pass_down(writer& w, const tree& t, const std::vector<slice>& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const int behind = static_cast<int>(i);
    if (!t.is_root()) {
      w.in_round(round_down(t, t.parent) + behind);
      w.receive(t.parent.peer, pieces[i]);
    }
    for (const edge& child : t.children | std::views::reverse) {
      w.in_round(round_down(t, child) + behind);
      w.send(child.peer, pieces[i]);
    }
  }
  w.end_phase(rounds_of(t, pieces.size()));
}

// Results are in `outputs` on the root; on the others these are room for what is passed on.
void combine_up(writer& w, const tree& t, int rank, const std::vector<slice>& inputs,
                const std::vector<slice>& outputs) {
  landing slots(inputs.empty() ? 0 : inputs.front().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int behind = static_cast<int>(i);
    partial sum(inputs[i], outputs[i]);
    for (const edge& child : t.children) {
      w.in_round(child.round + behind);
      sum.take(w, slots, child.peer, child.first < rank ? side::left : side::right);
    }
    if (t.is_root()) {
      sum.settle(w);
    } else {
      w.in_round(t.parent.round + behind);
      w.send(t.parent.peer, sum.value());
    }
  }
  w.end_phase(rounds_of(t, inputs.size()));
}

std::span<const slice> run_of(const std::vector<slice>& blocks, const edge& child) {
  return std::span(blocks).subspan(static_cast<std::size_t>(child.first),
                                   static_cast<std::size_t>(child.last - child.first));
}

// The blocks of the ranks of a subtree, side by side in scratch.
class subtree_blocks {
 public:
  subtree_blocks(writer& w, const tree& t, std::size_t block_bytes)
      : first_(t.first),
        block_bytes_(block_bytes),
        all_(w.scratch(static_cast<std::size_t>(t.last - t.first) * block_bytes)) {}
  [[nodiscard]] const slice& all() const noexcept { return all_; }
  [[nodiscard]] slice of(int first, int last) const {
    return part_of(all_, static_cast<std::size_t>(first - first_) * block_bytes_,
                   static_cast<std::size_t>(last - first) * block_bytes_);
  }

 private:
  int first_;
  std::size_t block_bytes_;
  slice all_;
};

}  // namespace

void write_bcast(const operands& o, writer& w) {
  pass_down(w, tree_of(o, o.root, ring_chain), pieces_of(o, o.output));
}

void write_reduce(const operands& o, writer& w) {
  const tree t = tree_of(o, o.root, two_chains);
  // A leaf passes on what it was given and needs no room.
  const bool needs_room = !t.is_root() && !t.children.empty();
  const slice room = needs_room ? w.scratch(o.input.size()) : t.is_root() ? o.output : o.input;
  combine_up(w, t, o.rank, pieces_of(o, o.input), pieces_of(o, room));
}

void write_tree_allreduce(const operands& o, writer& w) {
  const tree t = tree_of(o, 0, two_chains);
  const std::vector<slice> outputs = pieces_of(o, o.output);
  combine_up(w, t, o.rank, pieces_of(o, o.input), outputs);
  pass_down(w, t, outputs);
}

void write_gather(const operands& o, writer& w) {
  const tree t = tree_of(o, o.root, two_chains);
  if (t.is_root()) {
    for (const edge& child : t.children) {
      w.in_round(child.round);
      w.receive(child.peer, run_of(o.outputs, child));
    }
    w.copy(o.input, o.outputs[static_cast<std::size_t>(o.rank)]);
  } else if (t.children.empty()) {
    w.in_round(t.parent.round);
    w.send(t.parent.peer, o.input);
  } else {
    const subtree_blocks blocks(w, t, o.input.size());
    w.copy(o.input, blocks.of(o.rank, o.rank + 1));
    for (const edge& child : t.children) {
      w.in_round(child.round);
      w.receive(child.peer, blocks.of(child.first, child.last));
    }
    w.in_round(t.parent.round);
    w.send(t.parent.peer, blocks.all());
  }
  w.end_phase(t.depth);
}

void write_scatter(const operands& o, writer& w) {
  const tree t = tree_of(o, o.root, two_chains);
  if (t.is_root()) {
    for (const edge& child : t.children | std::views::reverse) {
      w.in_round(round_down(t, child));
      w.send(child.peer, run_of(o.inputs, child));
    }
    w.copy(o.inputs[static_cast<std::size_t>(o.rank)], o.output);
  } else if (t.children.empty()) {
    w.in_round(round_down(t, t.parent));
    w.receive(t.parent.peer, o.output);
  } else {
    const subtree_blocks blocks(w, t, o.output.size());
    w.in_round(round_down(t, t.parent));
    w.receive(t.parent.peer, blocks.all());
    for (const edge& child : t.children | std::views::reverse) {
      w.in_round(round_down(t, child));
      w.send(child.peer, blocks.of(child.first, child.last));
    }
    w.copy(blocks.of(o.rank, o.rank + 1), o.output);
  }
  w.end_phase(t.depth);
}

}  // namespace plait::collective
