// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of mixed programs: what comes out, and the calls.
#include "collective.hpp"

#include <algorithm>
#include <utility>

namespace plait::test::mix {
namespace {

using what = collective::operation;

/// One rank's call.
struct caller {
  runtime& rt;
  const planned_collective& call;
  const member_part& part;
  std::span<word> x;
  std::span<word> y;
  int root;
  collective_options options;

  void submit() {
    if (call.commutes) return submit_with(sum{});
    submit_with(composition{});
  }

 private:
  template <class Operation>
  void submit_with(Operation op) {
    if (part.one_buffer) return in_place(op);
    switch (call.what) {
      case what::barrier:
        return rt.barrier("barrier", inout(y), options);
      case what::bcast:
        return rt.bcast("bcast", inout(y), root, options);
      case what::reduce:
        return rt.reduce("reduce", in(x), out(y), root, op, options);
      case what::allreduce:
        return rt.allreduce("allreduce", in(x), out(y), op, options);
      case what::scan:
        return rt.scan("scan", in(x), out(y), op, options);
      case what::exscan:
        return rt.exscan("exscan", in(x), out(y), op, options);
      case what::reduce_scatter:
        return rt.reduce_scatter("reduce_scatter", in(x), part.send_blocks, out(y), op, options);
      case what::reduce_scatter_block:
        return rt.reduce_scatter_block("reduce_scatter_block", in(x), out(y), op, options);
      default:
        return move_blocks();
    }
  }

  void move_blocks() {
    switch (call.what) {
      case what::gather:
        return rt.gather("gather", in(x), out(y), root, options);
      case what::gatherv:
        return rt.gatherv("gatherv", in(x), out(y), part.receive_blocks, root, options);
      case what::scatter:
        return rt.scatter("scatter", in(x), out(y), root, options);
      case what::scatterv:
        return rt.scatterv("scatterv", in(x), part.send_blocks, out(y), root, options);
      case what::allgather:
        return rt.allgather("allgather", in(x), out(y), options);
      case what::allgatherv:
        return rt.allgatherv("allgatherv", in(x), out(y), part.receive_blocks, options);
      case what::alltoall:
        return rt.alltoall("alltoall", in(x), out(y), options);
      case what::alltoallv:
        return rt.alltoallv("alltoallv", in(x), part.send_blocks, out(y), part.receive_blocks,
                            options);
      case what::neighbour_allgather:
        return rt.neighbour_allgather("neighbour_allgather", in(x), out(y), part.around, options);
      case what::neighbour_allgatherv:
        return rt.neighbour_allgatherv("neighbour_allgatherv", in(x), out(y), part.receive_blocks,
                                       part.around, options);
      case what::neighbour_alltoall:
        return rt.neighbour_alltoall("neighbour_alltoall", in(x), out(y), part.around, options);
      default:
        return rt.neighbour_alltoallv("neighbour_alltoallv", in(x), part.send_blocks, out(y),
                                      part.receive_blocks, part.around, options);
    }
  }

  template <class Operation>
  void in_place(Operation op) {
    switch (call.what) {
      case what::reduce:
        return rt.reduce("reduce", inout(y), root, op, options);
      case what::allreduce:
        return rt.allreduce("allreduce", inout(y), op, options);
      case what::scan:
        return rt.scan("scan", inout(y), op, options);
      case what::exscan:
        return rt.exscan("exscan", inout(y), op, options);
      case what::reduce_scatter:
        return rt.reduce_scatter("reduce_scatter", inout(y), part.send_blocks, op, options);
      case what::reduce_scatter_block:
        return rt.reduce_scatter_block("reduce_scatter_block", inout(y), op, options);
      case what::gather:
        return rt.gather("gather", inout(y), root, options);
      case what::gatherv:
        return rt.gatherv("gatherv", inout(y), part.receive_blocks, root, options);
      case what::scatter:
        return rt.scatter("scatter", in(x), root, options);
      case what::scatterv:
        return rt.scatterv("scatterv", in(x), part.send_blocks, root, options);
      case what::allgather:
        return rt.allgather("allgather", inout(y), options);
      case what::allgatherv:
        return rt.allgatherv("allgatherv", inout(y), part.receive_blocks, options);
      case what::alltoall:
        return rt.alltoall("alltoall", inout(y), options);
      default:
        return rt.alltoallv("alltoallv", inout(y), part.receive_blocks, options);
    }
  }
};

class collective_statement final : public statement {
 public:
  explicit collective_statement(planned_collective call) : call_(std::move(call)) {}

  void apply(job_memory& job) const override {
    const auto arena_of = [&](std::size_t member) {
      return std::span(job[static_cast<std::size_t>(call_.among.members[member])]->words);
    };
    std::vector<list> inputs;
    for (std::size_t q = 0; q < call_.parts.size(); ++q) {
      const auto input = arena_of(q).subspan(call_.input(q).first, call_.input(q).count);
      inputs.emplace_back(input.begin(), input.end());
    }
    const auto output = [&](std::size_t member, std::size_t to) {
      return arena_of(member).subspan(call_.output(member).first + to);
    };
    for (const travelling& t : call_.copies) {
      std::ranges::copy(std::span(inputs[t.from_member]).subspan(t.from, t.count),
                        output(t.to_member, t.to).begin());
    }
    for (const combined& c : call_.folds) {
      for (std::size_t i = 0; i < c.count; ++i) {
        word result = inputs[c.first_member][c.from + i];
        for (std::size_t q = c.first_member + 1; q <= c.last_member; ++q) {
          const word next = inputs[q][c.from + i];
          result = call_.commutes ? sum{}(result, next) : composition{}(result, next);
        }
        output(c.to_member, c.to)[i] = result;
      }
    }
  }

  void submit(live_rank& here) const override { submit_collective(here, call_); }
  [[nodiscard]] bool takes_part(int rank) const override {
    return call_.among.rank_of(rank) < call_.among.size();
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    const member_part& part = call_.parts[call_.among.rank_of(rank)];
    return {{words_at(part.send.first, part.send.count), false},
            {words_at(part.receive.first, part.receive.count), true}};
  }
  [[nodiscard]] std::string text() const override { return call_.text(); }

 private:
  planned_collective call_;
};

}  // namespace

void submit_collective(live_rank& here, const planned_collective& call) {
  const member_part& part = call.parts[call.among.rank_of(here.rank)];
  const auto span_of = [&](const buffer& b) { return words_of(here.memory, b.first, b.count); };
  caller{.rt = here.rt,
         .call = call,
         .part = part,
         .x = span_of(part.send),
         .y = span_of(part.receive),
         .root = static_cast<int>(call.root),
         .options = {.among = here.communicators[call.among.communicator],
                     .algorithm = call.algorithm,
                     .commutative = call.commutes,
                     .fragment_bytes = call.fragment_bytes,
                     .back_end = call.by_library ? collective::back_end::library
                                                 : collective::back_end::schedules}}
      .submit();
}

statement_ptr random_collective(generator& g, const scene& s) {
  auto call = plan_collective(g, s);
  if (!call.has_value()) return nullptr;
  return std::make_unique<collective_statement>(std::move(*call));
}

}  // namespace plait::test::mix
