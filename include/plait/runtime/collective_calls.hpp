// SPDX-License-Identifier: BSD-3-Clause
/// Collective operations as tasks: what `runtime` inherits.  Here is the typed surface; which
/// algorithm is taken, and what a rank does in it, is in plait/comm/collective.
#pragma once

#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <plait/runtime/collective_options.hpp>
#include <plait/task/access.hpp>
#include <plait/task/reduction.hpp>

namespace plait {

class collective_schedules;

namespace detail {
template <class Argument>
struct element_of {
  using type = Argument;
};
template <std::ranges::contiguous_range Argument>
struct element_of<Argument> {
  using type = std::ranges::range_value_t<Argument>;
};
}  // namespace detail

/// Each operation is collective: all ranks (of `among`) submit the same in the same order, with
/// sizes that fit as MPI wants them.  Nothing waits: what a rank does in it becomes ordinary tasks,
/// messages and combinations whose accesses are the bytes they touch.  So a task that needs one
/// rank's part of an `alltoall` starts when that part has come, and the part for one rank leaves
/// when it is final; operations overtake each other and complete in any order; they can be recorded
/// and replayed.  [LibNBC's schedules (libnbc-slides, "schedules"), ordered by data instead of
/// rounds]
///
/// In place, as MPI_IN_PLACE, is the form with one buffer: the input is where the result is put.
/// Where only the root has blocks or a result (reduce, gather, scatter) that form is the root's,
/// and the others call the one with two.
///
/// Elements are of any trivially copyable type.  `Operation`: a copyable function of two elements,
/// associative, such as `plait::sum{}`.
///
/// A buffer has exactly the elements that the operation gives it, no more and no less; both share
/// no byte.  Only where blocks are listed it may be larger: they lie anywhere in it, and those that
/// are received apart.  A buffer that is not touched may have any size: the result of a reduce, or
/// the blocks of a gather or scatter, elsewhere than on the root, and rank 0's result of an exscan.
///
/// Errors, each of which names the operation and the task: usage_error for a root, blocks or
/// buffers that do not fit, for an algorithm that does not exist or does not keep the order, and
/// for what the chosen back end cannot do; then nothing was submitted.  At `wait`, usage_error with
/// both sizes where ranks name different ones: beside each call they tell each other, in messages
/// that nothing of the call waits for.
class collective_calls {
 public:
  /// What is submitted after it, and touches `x`, starts after every rank has submitted it and its
  /// `x` is final.
  ///
  ///     rt.barrier("all have written", inout(shared_by_file));
  template <class X>
  void barrier(task_name name, const std::tuple<X>& x, const collective_options& options = {}) {
    static_assert(X::mode == access_mode::inout, "a barrier orders: barrier(name, inout(x))");
    submit(describe<std::byte>(name, collective::operation::barrier, {}, bytes_of(x), options));
  }

  /// in(x) on the root, out(x) elsewhere: what the root has.  Or inout(x), the same line on every
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
    auto call = describe<element<X>>(name, collective::operation::bcast, {}, bytes_of(x), options);
    call.word = X::mode;
    call.shape.root = root;
    call.shape.count = count_of(x);
    submit(call);
  }

  /// out(y) on the root: x0 op x1 op ...; not touched elsewhere.
  template <class X, class Y, class Operation = sum>
  void reduce(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
              Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::reduce, name, x, y, operation, options, root);
  }
  /// In place, on the root.
  template <class X, class Operation = sum>
  void reduce(task_name name, const std::tuple<X>& x, int root, Operation operation = {},
              const collective_options& options = {}) {
    submit_in_place(collective::operation::reduce, name, x, operation, options, root);
  }
  /// out(y) on every rank; the same bits.
  template <class X, class Y, class Operation = sum>
  void allreduce(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                 Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::allreduce, name, x, y, operation, options);
  }
  /// In place.
  template <class X, class Operation = sum>
  void allreduce(task_name name, const std::tuple<X>& x, Operation operation = {},
                 const collective_options& options = {}) {
    submit_in_place(collective::operation::allreduce, name, x, operation, options);
  }
  /// out(y) on rank r: x0 op ... op xr.
  template <class X, class Y, class Operation = sum>
  void scan(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
            Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::scan, name, x, y, operation, options);
  }
  /// In place.
  template <class X, class Operation = sum>
  void scan(task_name name, const std::tuple<X>& x, Operation operation = {},
            const collective_options& options = {}) {
    submit_in_place(collective::operation::scan, name, x, operation, options);
  }
  /// out(y) on rank r: x0 op ... op x(r-1); not touched on rank 0.
  template <class X, class Y, class Operation = sum>
  void exscan(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
              Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::exscan, name, x, y, operation, options);
  }
  /// In place.
  template <class X, class Operation = sum>
  void exscan(task_name name, const std::tuple<X>& x, Operation operation = {},
              const collective_options& options = {}) {
    submit_in_place(collective::operation::exscan, name, x, operation, options);
  }

  /// out(y) on the root: the ranks' x, one behind the other.
  template <class X, class Y>
  void gather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
              const collective_options& options = {}) {
    submit_blocks(collective::operation::gather, name, x, y, count_of(x), options, root);
  }
  /// In place, on the root: its own part is in its place in x.
  template <class X>
  void gather(task_name name, const std::tuple<X>& x, int root,
              const collective_options& options = {}) {
    submit_parts(collective::operation::gather, name, x, options, root);
  }
  /// out(y): part r of the root's x.
  template <class X, class Y>
  void scatter(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
               const collective_options& options = {}) {
    submit_blocks(collective::operation::scatter, name, x, y, count_of(y), options, root);
  }
  /// In place, on the root: in(x), of which its own part stays where it is.
  template <class X>
  void scatter(task_name name, const std::tuple<X>& x, int root,
               const collective_options& options = {}) {
    auto call = describe_source(collective::operation::scatter, name, x, options);
    call.shape.root = root;
    call.shape.count = count_of(x) / ranks_of(options.among);
    submit(call);
  }
  /// out(y) on every rank: the ranks' x, one behind the other.
  template <class X, class Y>
  void allgather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                 const collective_options& options = {}) {
    submit_blocks(collective::operation::allgather, name, x, y, count_of(x), options);
  }
  /// In place: each rank's part is in its place in x.
  template <class X>
  void allgather(task_name name, const std::tuple<X>& x, const collective_options& options = {}) {
    submit_parts(collective::operation::allgather, name, x, options);
  }
  /// Part r of in(x) goes to rank r, part s of out(y) comes from rank s; parts of one size.
  template <class X, class Y>
  void alltoall(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                const collective_options& options = {}) {
    submit_blocks(collective::operation::alltoall, name, x, y,
                  count_of(x) / ranks_of(options.among), options);
  }
  /// In place: what comes from a rank replaces what was for it.
  template <class X>
  void alltoall(task_name name, const std::tuple<X>& x, const collective_options& options = {}) {
    submit_parts(collective::operation::alltoall, name, x, options);
  }
  /// The same with parts of different sizes: a block of x and one of y for each rank.
  template <class X, class Y>
  void alltoallv(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                 const std::tuple<Y>& y, std::vector<block> receive_blocks,
                 const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::alltoallv, name, x, y, options);
    call.shape.send_blocks = std::move(send_blocks);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit(call);
  }
  /// In place: as much goes to a rank as comes from it.
  template <class X>
  void alltoallv(task_name name, const std::tuple<X>& x, std::vector<block> blocks,
                 const collective_options& options = {}) {
    auto call = describe_in_place(collective::operation::alltoallv, name, x, options);
    call.shape.receive_blocks = std::move(blocks);
    submit(call);
  }
  /// out(y) on every rank: the ranks' x, each in its block; all ranks name the same block sizes.
  template <class X, class Y>
  void allgatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                  std::vector<block> receive_blocks, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::allgatherv, name, x, y, options);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit(call);
  }
  /// In place.
  template <class X>
  void allgatherv(task_name name, const std::tuple<X>& x, std::vector<block> blocks,
                  const collective_options& options = {}) {
    auto call = describe_in_place(collective::operation::allgatherv, name, x, options);
    call.shape.receive_blocks = std::move(blocks);
    submit(call);
  }
  /// out(y) on the root: the ranks' x, each in its block.  The blocks are the root's to name; who
  /// is not the root may leave the list empty.
  template <class X, class Y>
  void gatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
               std::vector<block> receive_blocks, int root,
               const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::gatherv, name, x, y, options);
    call.shape.root = root;
    call.shape.count = count_of(x);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit(call);
  }
  /// In place, on the root.
  template <class X>
  void gatherv(task_name name, const std::tuple<X>& x, std::vector<block> blocks, int root,
               const collective_options& options = {}) {
    auto call = describe_in_place(collective::operation::gatherv, name, x, options);
    call.shape.root = root;
    call.shape.receive_blocks = std::move(blocks);
    submit(call);
  }
  /// out(y): this rank's block of the root's x.  The blocks are the root's to name; elsewhere y has
  /// the size of the block.
  template <class X, class Y>
  void scatterv(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                const std::tuple<Y>& y, int root, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::scatterv, name, x, y, options);
    call.shape.root = root;
    call.shape.count = count_of(y);
    call.shape.send_blocks = std::move(send_blocks);
    submit(call);
  }
  /// In place, on the root: in(x), of which its own block stays where it is.
  template <class X>
  void scatterv(task_name name, const std::tuple<X>& x, std::vector<block> blocks, int root,
                const collective_options& options = {}) {
    auto call = describe_source(collective::operation::scatterv, name, x, options);
    call.shape.root = root;
    call.shape.send_blocks = std::move(blocks);
    submit(call);
  }
  /// out(y) on rank r: block r of x0 op x1 op ...; all ranks name the same block sizes.
  template <class X, class Y, class Operation = sum>
  void reduce_scatter(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                      const std::tuple<Y>& y, Operation operation = {},
                      const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::reduce_scatter, name, x, y, options);
    call.shape.send_blocks = std::move(send_blocks);
    call.combine = combination<element<X>>(operation);
    submit(call);
  }
  /// In place: the result is put at the beginning of x, the rest stays as it is.
  template <class X, class Operation = sum>
  void reduce_scatter(task_name name, const std::tuple<X>& x, std::vector<block> blocks,
                      Operation operation = {}, const collective_options& options = {}) {
    auto call = describe_in_place(collective::operation::reduce_scatter, name, x, options);
    call.shape.send_blocks = std::move(blocks);
    call.combine = combination<element<X>>(operation);
    submit(call);
  }
  /// out(y) on rank r: part r of x0 op x1 op ...; parts of the size of y.
  template <class X, class Y, class Operation = sum>
  void reduce_scatter_block(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                            Operation operation = {}, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::reduce_scatter_block, name, x, y, options);
    call.shape.count = count_of(y);
    call.combine = combination<element<X>>(operation);
    submit(call);
  }
  /// In place: as reduce_scatter; a part of x for each rank.
  template <class X, class Operation = sum>
  void reduce_scatter_block(task_name name, const std::tuple<X>& x, Operation operation = {},
                            const collective_options& options = {}) {
    auto call = describe_in_place(collective::operation::reduce_scatter_block, name, x, options);
    call.shape.count = count_of(x) / ranks_of(options.among);
    call.combine = combination<element<X>>(operation);
    submit(call);
  }

  // Among neighbours.  [LibNBC's Neighbor_xchg (libnbc-slides); MPI_Neighbor_…]  Each edge's part
  // can be used, or leaves, by itself.
  /// x goes to each destination; part i of y comes from source i.
  template <class X, class Y>
  void neighbour_allgather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                           neighbourhood around, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::neighbour_allgather, name, x, y, options);
    call.shape.count = count_of(x);
    submit_among(std::move(call), std::move(around));
  }
  /// The same with x of different sizes: a block of y for each source.
  template <class X, class Y>
  void neighbour_allgatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                            std::vector<block> receive_blocks, neighbourhood around,
                            const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::neighbour_allgatherv, name, x, y, options);
    call.shape.count = count_of(x);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit_among(std::move(call), std::move(around));
  }
  /// Part i of x goes to destination i, part j of y comes from source j; parts of one size.
  template <class X, class Y>
  void neighbour_alltoall(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                          neighbourhood around, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::neighbour_alltoall, name, x, y, options);
    if (!around.destinations.empty()) {
      call.shape.count = count_of(x) / around.destinations.size();
    } else if (!around.sources.empty()) {
      call.shape.count = count_of(y) / around.sources.size();
    }
    submit_among(std::move(call), std::move(around));
  }
  /// The same with parts of different sizes: a block of x for each destination, of y for each
  /// source.
  template <class X, class Y>
  void neighbour_alltoallv(task_name name, const std::tuple<X>& x, std::vector<block> send_blocks,
                           const std::tuple<Y>& y, std::vector<block> receive_blocks,
                           neighbourhood around, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::neighbour_alltoallv, name, x, y, options);
    call.shape.send_blocks = std::move(send_blocks);
    call.shape.receive_blocks = std::move(receive_blocks);
    submit_among(std::move(call), std::move(around));
  }

 protected:
  collective_calls();
  ~collective_calls();
  std::unique_ptr<collective_schedules> schedules_;

 private:
  template <class X>
  using element = typename detail::element_of<
      std::remove_cvref_t<decltype(std::declval<const X&>().argument())>>::type;

  template <class X>
  [[nodiscard]] static byte_range bytes_of(const std::tuple<X>& x) noexcept {
    return std::get<0>(x).bytes();
  }
  template <class X>
  [[nodiscard]] static std::size_t count_of(const std::tuple<X>& x) noexcept {
    const byte_range bytes = bytes_of(x);
    return (bytes.end - bytes.begin) / sizeof(element<X>);
  }

  template <class T>
  [[nodiscard]] static collective_call describe(task_name name, collective::operation what,
                                                byte_range send, byte_range receive,
                                                const collective_options& options) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "the elements of a collective must be trivially copyable");
    collective_call call{.name = name, .shape = {}, .send = send, .receive = receive};
    call.shape.what = what;
    call.shape.element_bytes = sizeof(T);
    call.shape.fragment_bytes = options.fragment_bytes;
    call.options = options;
    return call;
  }
  template <class X, class Y>
  [[nodiscard]] static collective_call describe_pair(collective::operation what, task_name name,
                                                     const std::tuple<X>& x, const std::tuple<Y>& y,
                                                     const collective_options& options) {
    static_assert(X::mode == access_mode::in && Y::mode == access_mode::out,
                  "a collective reads one buffer and writes the other: (name, in(x), out(y), …)");
    static_assert(std::is_same_v<element<X>, element<Y>>,
                  "both buffers of a collective have elements of one type");
    return describe<element<X>>(name, what, bytes_of(x), bytes_of(y), options);
  }
  template <class X>
  [[nodiscard]] static collective_call describe_in_place(collective::operation what, task_name name,
                                                         const std::tuple<X>& x,
                                                         const collective_options& options) {
    static_assert(X::mode == access_mode::inout,
                  "in place a collective reads and writes one buffer: (name, inout(x), …)");
    auto call = describe<element<X>>(name, what, {}, bytes_of(x), options);
    call.shape.in_place = true;
    return call;
  }
  template <class X>
  [[nodiscard]] static collective_call describe_source(collective::operation what, task_name name,
                                                       const std::tuple<X>& x,
                                                       const collective_options& options) {
    static_assert(X::mode == access_mode::in,
                  "in place the root of a scatter only reads: (name, in(x), …, root)");
    auto call = describe<element<X>>(name, what, bytes_of(x), {}, options);
    call.shape.in_place = true;
    return call;
  }
  template <class X, class Operation>
  void submit_in_place(collective::operation what, task_name name, const std::tuple<X>& x,
                       const Operation& operation, const collective_options& options,
                       int root = 0) {
    auto call = describe_in_place(what, name, x, options);
    call.shape.root = root;
    call.shape.count = count_of(x);
    call.combine = combination<element<X>>(operation);
    submit(call);
  }
  /// In place, x being a part for each rank.
  template <class X>
  void submit_parts(collective::operation what, task_name name, const std::tuple<X>& x,
                    const collective_options& options, int root = 0) {
    auto call = describe_in_place(what, name, x, options);
    call.shape.root = root;
    call.shape.count = count_of(x) / ranks_of(options.among);
    submit(call);
  }
  template <class X, class Y, class Operation>
  void submit_reduction(collective::operation what, task_name name, const std::tuple<X>& x,
                        const std::tuple<Y>& y, const Operation& operation,
                        const collective_options& options, int root = 0) {
    auto call = describe_pair(what, name, x, y, options);
    call.shape.root = root;
    call.shape.count = count_of(x);
    call.combine = combination<element<X>>(operation);
    submit(call);
  }
  template <class X, class Y>
  void submit_blocks(collective::operation what, task_name name, const std::tuple<X>& x,
                     const std::tuple<Y>& y, std::size_t count, const collective_options& options,
                     int root = 0) {
    auto call = describe_pair(what, name, x, y, options);
    call.shape.root = root;
    call.shape.count = count;
    submit(call);
  }

  void submit_among(collective_call call, neighbourhood around) {
    call.shape.sources = std::move(around.sources);
    call.shape.destinations = std::move(around.destinations);
    submit(call);
  }

  template <class T, class Operation>
  [[nodiscard]] static std::shared_ptr<const combine_bytes> combination(Operation operation) {
    return std::make_shared<const combine_bytes>([operation](std::span<const std::byte> from_bytes,
                                                             std::span<std::byte> to_bytes,
                                                             bool to_is_left) {
      const auto* from = reinterpret_cast<const T*>(from_bytes.data());
      auto* to = reinterpret_cast<T*>(to_bytes.data());
      const std::size_t count = to_bytes.size() / sizeof(T);
      if (to_is_left) {
        for (std::size_t i = 0; i < count; ++i) to[i] = operation(to[i], from[i]);
      } else {
        for (std::size_t i = 0; i < count; ++i) to[i] = operation(from[i], to[i]);
      }
    });
  }

  [[nodiscard]] virtual std::size_t ranks_of(const communicator& among) const = 0;
  virtual void submit(const collective_call& call) = 0;
};

}  // namespace plait
