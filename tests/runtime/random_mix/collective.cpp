// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of mixed programs: what comes out, and the calls.
#include "collective.hpp"

#include <algorithm>
#include <utility>

#include "planned_task.hpp"

namespace plait::test::mix {
namespace {

using what = collective::operation;

/// One rank's call of an operation that lists blocks or neighbours, or none but orders.
struct list_caller {
  runtime& rt;
  const planned_collective& call;
  const member_part& part;
  std::span<word> x;
  std::span<word> y;
  int root;
  collective_options options;

  void submit() const {
    if (call.what == what::reduce_scatter) {
      return call.commutes ? reduce_scatter(sum{}) : reduce_scatter(composition{});
    }
    if (part.one_buffer) return in_place();
    switch (call.what) {
      case what::barrier:
        return rt.barrier("barrier", inout(y), options);
      case what::gatherv:
        return rt.gatherv("gatherv", in(x), out(y), part.receive_blocks, root, options);
      case what::scatterv:
        return rt.scatterv("scatterv", in(x), part.send_blocks, out(y), root, options);
      case what::allgatherv:
        return rt.allgatherv("allgatherv", in(x), out(y), part.receive_blocks, options);
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

 private:
  template <class Operation>
  void reduce_scatter(Operation op) const {
    if (part.one_buffer) {
      return rt.reduce_scatter("reduce_scatter", inout(y), part.send_blocks, op, options);
    }
    rt.reduce_scatter("reduce_scatter", in(x), part.send_blocks, out(y), op, options);
  }
  void in_place() const {
    switch (call.what) {
      case what::gatherv:
        return rt.gatherv("gatherv", inout(y), part.receive_blocks, root, options);
      case what::scatterv:
        return rt.scatterv("scatterv", in(x), part.send_blocks, root, options);
      case what::allgatherv:
        return rt.allgatherv("allgatherv", inout(y), part.receive_blocks, options);
      default:
        return rt.alltoallv("alltoallv", inout(y), part.receive_blocks, options);
    }
  }
};

/// One rank's call of any other.  Its buffers are spans or boxes.
template <class X, class Y>
struct caller {
  runtime& rt;
  const planned_collective& call;
  const member_part& part;
  X x;
  Y y;
  int root;
  collective_options options;

  void submit() const { call.commutes ? submit_with(sum{}) : submit_with(composition{}); }

 private:
  template <class Operation>
  void submit_with(Operation op) const {
    if (part.one_buffer) return in_place(op);
    switch (call.what) {
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
      case what::reduce_scatter_block:
        return rt.reduce_scatter_block("reduce_scatter_block", in(x), out(y), op, options);
      case what::gather:
        return rt.gather("gather", in(x), out(y), root, options);
      case what::scatter:
        return rt.scatter("scatter", in(x), out(y), root, options);
      case what::allgather:
        return rt.allgather("allgather", in(x), out(y), options);
      default:
        return rt.alltoall("alltoall", in(x), out(y), options);
    }
  }

  template <class Operation>
  void in_place(Operation op) const {
    switch (call.what) {
      case what::reduce:
        return rt.reduce("reduce", inout(y), root, op, options);
      case what::allreduce:
        return rt.allreduce("allreduce", inout(y), op, options);
      case what::scan:
        return rt.scan("scan", inout(y), op, options);
      case what::exscan:
        return rt.exscan("exscan", inout(y), op, options);
      case what::reduce_scatter_block:
        return rt.reduce_scatter_block("reduce_scatter_block", inout(y), op, options);
      case what::gather:
        return rt.gather("gather", inout(y), root, options);
      case what::scatter:
        return rt.scatter("scatter", in(x), root, options);
      case what::allgather:
        return rt.allgather("allgather", inout(y), options);
      default:
        return rt.alltoall("alltoall", inout(y), options);
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
      list& input = inputs.emplace_back();
      const buffer& from = call_.input(q);
      for (std::size_t i = 0; i < from.count; ++i) input.push_back(arena_of(q)[from.at(i)]);
    }
    const auto output = [&](std::size_t member, std::size_t to) -> word& {
      return arena_of(member)[call_.output(member).at(to)];
    };
    for (const travelling& t : call_.copies) {
      for (std::size_t i = 0; i < t.count; ++i) {
        output(t.to_member, t.to + i) = inputs[t.from_member][t.from + i];
      }
    }
    for (const combined& c : call_.folds) {
      for (std::size_t i = 0; i < c.count; ++i) {
        word result = inputs[c.first_member][c.from + i];
        for (std::size_t q = c.first_member + 1; q <= c.last_member; ++q) {
          const word next = inputs[q][c.from + i];
          result = call_.commutes ? sum{}(result, next) : composition{}(result, next);
        }
        output(c.to_member, c.to + i) = result;
      }
    }
  }

  void submit(live_rank& here) const override { submit_collective(here, call_); }
  [[nodiscard]] bool takes_part(int rank) const override {
    return call_.among.rank_of(rank) < call_.among.size();
  }
  [[nodiscard]] std::vector<touch> touches(int rank) const override {
    const member_part& part = call_.parts[call_.among.rank_of(rank)];
    return {{part.send.where(), false}, {part.receive.where(), true}};
  }
  [[nodiscard]] std::string text() const override { return call_.text(); }

 private:
  planned_collective call_;
};

}  // namespace

void submit_collective(live_rank& here, const planned_collective& call) {
  const member_part& part = call.parts[call.among.rank_of(here.rank)];
  const auto root = static_cast<int>(call.root);
  const collective_options options{.among = here.communicators[call.among.communicator],
                                   .algorithm = call.algorithm,
                                   .commutative = call.commutes,
                                   .fragment_bytes = call.fragment_bytes,
                                   .back_end = call.by_library ? collective::back_end::library
                                                               : collective::back_end::schedules};
  const auto span_of = [&](const buffer& b) { return words_of(here.memory, b.first, b.count); };
  if (takes_lists(call.what)) {
    const list_caller caller{here.rt, call,   part, span_of(part.send), span_of(part.receive),
                             root,    options};
    return caller.submit();
  }
  const auto with_buffer = [&](const buffer& b, auto use) {
    if (!b.is_box()) return use(span_of(b));
    use(bytes_of_box<word>{address(here.memory, b.where())});
  };
  with_buffer(part.send, [&](auto x) {
    with_buffer(part.receive, [&](auto y) {
      caller<decltype(x), decltype(y)>{here.rt, call, part, x, y, root, options}.submit();
    });
  });
}

statement_ptr random_collective(generator& g, const scene& s) {
  auto call = plan_collective(g, s);
  if (!call.has_value()) return nullptr;
  return std::make_unique<collective_statement>(std::move(*call));
}

}  // namespace plait::test::mix
