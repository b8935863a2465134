// SPDX-License-Identifier: BSD-3-Clause
/// Collective operations as tasks, as `runtime` offers them.  Here is the typed surface over
/// `submitter::collective`; which algorithm is taken, and what a rank does in it, is in
/// plait/comm/collective.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <plait/runtime/collective_description.hpp>
#include <plait/runtime/collective_options.hpp>
#include <plait/runtime/submitter.hpp>
#include <plait/task/access.hpp>
#include <plait/task/reduction.hpp>

namespace plait {

/// Submits collective operations.  All ranks (of `among`) submit the same operations in the same
/// order, with sizes that fit as MPI wants them.  No call waits.  A rank's part becomes ordinary
/// tasks, messages and combinations whose accesses are the bytes they touch.  So a task that needs
/// one rank's part of an `alltoall` starts when that part has come, and the part for one rank
/// leaves when it is final.  Operations overtake each other and complete in any order.  They can be
/// recorded and replayed. [LibNBC's schedules (libnbc-slides, "schedules"), ordered by data instead
/// of rounds]
///
/// The form with one buffer works in place, as MPI_IN_PLACE does: the result replaces the input.
/// Where only the root has blocks or a result (reduce, gather, scatter) the root calls that form,
/// and the others call the form with two buffers.
///
/// Elements are of any trivially copyable type.  `Operation`: a copyable function that takes two
/// elements and returns the combined one, associative, such as `plait::sum{}`.
///
/// A buffer has exactly the elements that the operation gives it, no more and no less.  Both
/// buffers share no byte.  Only where blocks are listed a buffer may be larger: blocks lie anywhere
/// in it, and received blocks apart.  A buffer that is not touched may have any size: the result of
/// a reduce, or the blocks of a gather or scatter, elsewhere than on the root, and rank 0's result
/// of an exscan.
///
/// A buffer may be a box of an array, `in(u[cells])`: its cells are the elements, x fastest.  Where
/// they do not lie side by side, tasks pack and unpack them: what needs a part of the result waits
/// for all of it then.  Not where blocks or neighbours are listed, nor in a barrier.
///
/// Errors, each of which names the operation and the task: usage_error for a root, blocks or
/// buffers that do not fit, for an algorithm that does not exist or does not keep the order, and
/// for calls beyond the chosen back end; nothing was submitted then.  At `wait`, usage_error with
/// both sizes where ranks name different ones.  Beside each call ranks tell each other their sizes,
/// in messages that no part of the call waits for.
class collective_calls {
  using typed = detail::collective_description;
  static constexpr auto boxes_too = detail::buffers::boxes_too;

 public:
  /// Waits for all ranks, as a task.  A later submission that touches `x` starts after every rank
  /// has submitted the barrier and its `x` is final.
  ///
  ///     rt.barrier("all have written", inout(shared_by_file));
  template <class X>
  void barrier(task_name name, const std::tuple<X>& x, const collective_options& options = {}) {
    static_assert(X::mode == access_mode::inout, "a barrier orders: barrier(name, inout(x))");
    to_.collective(typed::describe<std::byte>(name, collective::operation::barrier, {},
                                              typed::memory_of<detail::buffers::contiguous>(x),
                                              options));
  }

  /// Broadcasts the root's x: in(x) on the root, out(x) elsewhere.  Or inout(x), one line for every
  /// rank.
  ///
  ///     if (env.rank() == root) rt.bcast("panel", in(panel), root);
  ///     else                    rt.bcast("panel", out(panel), root);
  template <class X>
  void bcast(task_name name, const std::tuple<X>& x, int root,
             const collective_options& options = {}) {
    static_assert(
        X::mode == access_mode::in || X::mode == access_mode::out || X::mode == access_mode::inout,
        "bcast(name, in(x), root) on the root, out(x) elsewhere, or inout(x)");
    auto call = typed::describe<typed::element<X>>(name, collective::operation::bcast, {},
                                                   typed::memory_of<boxes_too>(x), options);
    call.word = X::mode;
    call.shape.root = root;
    call.shape.count = typed::count_of(x);
    to_.collective(call);
  }

  /// Reduces in(x) to out(y) on the root: x0 op x1 op ...; y is not touched elsewhere.
  template <class X, class Y, class Operation = sum>
  void reduce(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
              Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::reduce, name, x, y, operation, options, root);
  }
  /// Reduces inout(x) in place, on the root.
  template <class X, class Operation = sum>
  void reduce(task_name name, const std::tuple<X>& x, int root, Operation operation = {},
              const collective_options& options = {}) {
    submit_in_place(collective::operation::reduce, name, x, operation, options, root);
  }
  /// Reduces in(x) to out(y) on every rank, with the same bits.
  template <class X, class Y, class Operation = sum>
  void allreduce(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                 Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::allreduce, name, x, y, operation, options);
  }
  /// Reduces inout(x) in place, on every rank.
  template <class X, class Operation = sum>
  void allreduce(task_name name, const std::tuple<X>& x, Operation operation = {},
                 const collective_options& options = {}) {
    submit_in_place(collective::operation::allreduce, name, x, operation, options);
  }
  /// Computes prefixes: out(y) on rank r is x0 op ... op xr.
  template <class X, class Y, class Operation = sum>
  void scan(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
            Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::scan, name, x, y, operation, options);
  }
  /// Computes prefixes in place, in inout(x).
  template <class X, class Operation = sum>
  void scan(task_name name, const std::tuple<X>& x, Operation operation = {},
            const collective_options& options = {}) {
    submit_in_place(collective::operation::scan, name, x, operation, options);
  }
  /// Computes exclusive prefixes: out(y) on rank r is x0 op ... op x(r-1); y is not touched on rank
  /// 0.
  template <class X, class Y, class Operation = sum>
  void exscan(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
              Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::exscan, name, x, y, operation, options);
  }
  /// Computes exclusive prefixes in place, in inout(x).
  template <class X, class Operation = sum>
  void exscan(task_name name, const std::tuple<X>& x, Operation operation = {},
              const collective_options& options = {}) {
    submit_in_place(collective::operation::exscan, name, x, operation, options);
  }

  /// Gathers the ranks' x, one behind the other, into out(y) on the root.
  template <class X, class Y>
  void gather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
              const collective_options& options = {}) {
    submit_blocks(collective::operation::gather, name, x, y, typed::count_of(x), options, root);
  }
  /// Gathers in place, on the root, whose own part is in its place in x.
  template <class X>
  void gather(task_name name, const std::tuple<X>& x, int root,
              const collective_options& options = {}) {
    submit_parts(collective::operation::gather, name, x, options, root);
  }
  /// Scatters the root's x: out(y) is part r of x on rank r.
  template <class X, class Y>
  void scatter(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
               const collective_options& options = {}) {
    submit_blocks(collective::operation::scatter, name, x, y, typed::count_of(y), options, root);
  }
  /// Scatters in(x) in place, on the root, whose own part stays where it is.
  template <class X>
  void scatter(task_name name, const std::tuple<X>& x, int root,
               const collective_options& options = {}) {
    auto call = typed::describe_source<boxes_too>(collective::operation::scatter, name, x, options);
    call.shape.root = root;
    call.shape.count = typed::count_of(x) / to_.ranks_of(options.among);
    to_.collective(call);
  }
  /// Gathers the ranks' x, one behind the other, into out(y) on every rank.
  template <class X, class Y>
  void allgather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                 const collective_options& options = {}) {
    submit_blocks(collective::operation::allgather, name, x, y, typed::count_of(x), options);
  }
  /// Gathers on every rank in place.  Each rank's part is in its place in x.
  template <class X>
  void allgather(task_name name, const std::tuple<X>& x, const collective_options& options = {}) {
    submit_parts(collective::operation::allgather, name, x, options);
  }
  /// Sends part r of in(x) to rank r, and receives part s of out(y) from rank s.  Parts have one
  /// size.
  template <class X, class Y>
  void alltoall(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                const collective_options& options = {}) {
    submit_blocks(collective::operation::alltoall, name, x, y,
                  typed::count_of(x) / to_.ranks_of(options.among), options);
  }
  /// Exchanges parts of one size in place.  The part that comes from a rank replaces the part for
  /// that rank.
  template <class X>
  void alltoall(task_name name, const std::tuple<X>& x, const collective_options& options = {}) {
    submit_parts(collective::operation::alltoall, name, x, options);
  }
  /// Exchanges parts of different sizes with every rank: a block of x and one of y for each rank.
  template <class X, class Y>
  void alltoallv(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                 const std::tuple<Y>& y, std::vector<block> receive_blocks,
                 const collective_options& options = {}) {
    auto call = typed::describe_pair(collective::operation::alltoallv, name, x, y, options);
    call.shape.send_blocks = std::move(send_blocks);
    call.shape.receive_blocks = std::move(receive_blocks);
    to_.collective(call);
  }
  /// Exchanges parts of different sizes in place.  As much goes to a rank as comes from it.
  template <class X>
  void alltoallv(task_name name, const std::tuple<X>& x, std::vector<block> blocks,
                 const collective_options& options = {}) {
    auto call = typed::describe_in_place(collective::operation::alltoallv, name, x, options);
    call.shape.receive_blocks = std::move(blocks);
    to_.collective(call);
  }
  /// Gathers the ranks' x, each in its block, into out(y) on every rank.  All ranks name the same
  /// block sizes.
  template <class X, class Y>
  void allgatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                  std::vector<block> receive_blocks, const collective_options& options = {}) {
    auto call = typed::describe_pair(collective::operation::allgatherv, name, x, y, options);
    call.shape.receive_blocks = std::move(receive_blocks);
    to_.collective(call);
  }
  /// Gathers blocks of different sizes on every rank in place.
  template <class X>
  void allgatherv(task_name name, const std::tuple<X>& x, std::vector<block> blocks,
                  const collective_options& options = {}) {
    auto call = typed::describe_in_place(collective::operation::allgatherv, name, x, options);
    call.shape.receive_blocks = std::move(blocks);
    to_.collective(call);
  }
  /// Gathers the ranks' x, each in its block, into out(y) on the root.  The root names the blocks.
  /// The other ranks may leave the list empty.
  template <class X, class Y>
  void gatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
               std::vector<block> receive_blocks, int root,
               const collective_options& options = {}) {
    auto call = typed::describe_pair(collective::operation::gatherv, name, x, y, options);
    call.shape.root = root;
    call.shape.count = typed::count_of(x);
    call.shape.receive_blocks = std::move(receive_blocks);
    to_.collective(call);
  }
  /// Gathers blocks of different sizes in place, on the root.
  template <class X>
  void gatherv(task_name name, const std::tuple<X>& x, std::vector<block> blocks, int root,
               const collective_options& options = {}) {
    auto call = typed::describe_in_place(collective::operation::gatherv, name, x, options);
    call.shape.root = root;
    call.shape.receive_blocks = std::move(blocks);
    to_.collective(call);
  }
  /// Scatters blocks of the root's x: out(y) is this rank's block.  The root names the blocks.
  /// Elsewhere y has the size of the block.
  template <class X, class Y>
  void scatterv(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                const std::tuple<Y>& y, int root, const collective_options& options = {}) {
    auto call = typed::describe_pair(collective::operation::scatterv, name, x, y, options);
    call.shape.root = root;
    call.shape.count = typed::count_of(y);
    call.shape.send_blocks = std::move(send_blocks);
    to_.collective(call);
  }
  /// Scatters blocks of in(x) in place, on the root, whose own block stays where it is.
  template <class X>
  void scatterv(task_name name, const std::tuple<X>& x, std::vector<block> blocks, int root,
                const collective_options& options = {}) {
    auto call = typed::describe_source(collective::operation::scatterv, name, x, options);
    call.shape.root = root;
    call.shape.send_blocks = std::move(blocks);
    to_.collective(call);
  }
  /// Reduces and scatters: out(y) on rank r is block r of x0 op x1 op ...; all ranks name the same
  /// block sizes.
  template <class X, class Y, class Operation = sum>
  void reduce_scatter(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                      const std::tuple<Y>& y, Operation operation = {},
                      const collective_options& options = {}) {
    auto call = typed::describe_pair(collective::operation::reduce_scatter, name, x, y, options);
    call.shape.send_blocks = std::move(send_blocks);
    call.combine = typed::combination<typed::element<X>>(operation);
    to_.collective(call);
  }
  /// Reduces and scatters in place.  The result is put at the beginning of x, and the rest of x
  /// stays as it is.
  template <class X, class Operation = sum>
  void reduce_scatter(task_name name, const std::tuple<X>& x, std::vector<block> blocks,
                      Operation operation = {}, const collective_options& options = {}) {
    auto call = typed::describe_in_place(collective::operation::reduce_scatter, name, x, options);
    call.shape.send_blocks = std::move(blocks);
    call.combine = typed::combination<typed::element<X>>(operation);
    to_.collective(call);
  }
  /// Reduces and scatters parts of one size: out(y) on rank r is part r of x0 op x1 op ...; parts
  /// have the size of y.
  template <class X, class Y, class Operation = sum>
  void reduce_scatter_block(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                            Operation operation = {}, const collective_options& options = {}) {
    auto call = typed::describe_pair<boxes_too>(collective::operation::reduce_scatter_block, name,
                                                x, y, options);
    call.shape.count = typed::count_of(y);
    call.combine = typed::combination<typed::element<X>>(operation);
    to_.collective(call);
  }
  /// Reduces and scatters parts of one size in place, a part of x for each rank.  The result is put
  /// at the beginning of x.
  template <class X, class Operation = sum>
  void reduce_scatter_block(task_name name, const std::tuple<X>& x, Operation operation = {},
                            const collective_options& options = {}) {
    auto call = typed::describe_in_place<boxes_too>(collective::operation::reduce_scatter_block,
                                                    name, x, options);
    call.shape.count = typed::count_of(x) / to_.ranks_of(options.among);
    call.combine = typed::combination<typed::element<X>>(operation);
    to_.collective(call);
  }

  // Among neighbours.  [LibNBC's Neighbor_xchg (libnbc-slides); MPI_Neighbor_…]  Each edge's part
  // can be used, or leaves, by itself.
  /// Sends x to each destination, and receives part i of y from source i.
  template <class X, class Y>
  void neighbour_allgather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                           neighbourhood around, const collective_options& options = {}) {
    auto call =
        typed::describe_pair(collective::operation::neighbour_allgather, name, x, y, options);
    call.shape.count = typed::count_of(x);
    submit_among(std::move(call), std::move(around));
  }
  /// Sends x to each destination, and receives a block of y from each source.  Sizes of x may
  /// differ.
  template <class X, class Y>
  void neighbour_allgatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                            std::vector<block> receive_blocks, neighbourhood around,
                            const collective_options& options = {}) {
    auto call =
        typed::describe_pair(collective::operation::neighbour_allgatherv, name, x, y, options);
    call.shape.count = typed::count_of(x);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit_among(std::move(call), std::move(around));
  }
  /// Sends part i of x to destination i, and receives part j of y from source j.  Parts have one
  /// size.
  template <class X, class Y>
  void neighbour_alltoall(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                          neighbourhood around, const collective_options& options = {}) {
    auto call =
        typed::describe_pair(collective::operation::neighbour_alltoall, name, x, y, options);
    if (!around.destinations.empty()) {
      call.shape.count = typed::count_of(x) / around.destinations.size();
    } else if (!around.sources.empty()) {
      call.shape.count = typed::count_of(y) / around.sources.size();
    }
    submit_among(std::move(call), std::move(around));
  }
  /// Sends a block of x to each destination, and receives a block of y from each source.  Sizes of
  /// blocks may differ.
  template <class X, class Y>
  void neighbour_alltoallv(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                           const std::tuple<Y>& y, std::vector<block> receive_blocks,
                           neighbourhood around, const collective_options& options = {}) {
    auto call =
        typed::describe_pair(collective::operation::neighbour_alltoallv, name, x, y, options);
    call.shape.send_blocks = std::move(send_blocks);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit_among(std::move(call), std::move(around));
  }

 protected:
  explicit collective_calls(submitter& to) noexcept : to_(to) {}
  ~collective_calls() = default;

 private:
  template <class X, class Operation>
  void submit_in_place(collective::operation what, task_name name, const std::tuple<X>& x,
                       const Operation& operation, const collective_options& options,
                       int root = 0) {
    auto call = typed::describe_in_place<boxes_too>(what, name, x, options);
    call.shape.root = root;
    call.shape.count = typed::count_of(x);
    call.combine = typed::combination<typed::element<X>>(operation);
    to_.collective(call);
  }
  /// Submits an operation in place, where x is a part for each rank.
  template <class X>
  void submit_parts(collective::operation what, task_name name, const std::tuple<X>& x,
                    const collective_options& options, int root = 0) {
    auto call = typed::describe_in_place<boxes_too>(what, name, x, options);
    call.shape.root = root;
    call.shape.count = typed::count_of(x) / to_.ranks_of(options.among);
    to_.collective(call);
  }
  template <class X, class Y, class Operation>
  void submit_reduction(collective::operation what, task_name name, const std::tuple<X>& x,
                        const std::tuple<Y>& y, const Operation& operation,
                        const collective_options& options, int root = 0) {
    auto call = typed::describe_pair<boxes_too>(what, name, x, y, options);
    call.shape.root = root;
    call.shape.count = typed::count_of(x);
    call.combine = typed::combination<typed::element<X>>(operation);
    to_.collective(call);
  }
  template <class X, class Y>
  void submit_blocks(collective::operation what, task_name name, const std::tuple<X>& x,
                     const std::tuple<Y>& y, std::size_t count, const collective_options& options,
                     int root = 0) {
    auto call = typed::describe_pair<boxes_too>(what, name, x, y, options);
    call.shape.root = root;
    call.shape.count = count;
    to_.collective(call);
  }

  void submit_among(collective_call call, neighbourhood around) {
    call.shape.sources = std::move(around.sources);
    call.shape.destinations = std::move(around.destinations);
    to_.collective(call);
  }

  submitter& to_;
};

}  // namespace plait
