// SPDX-License-Identifier: BSD-3-Clause
/// Collective operations as tasks: what `runtime` inherits.  Here is the typed surface; which
/// algorithm is taken, and what a rank does in it, is in plait/comm/collective.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <plait/comm/collective/algorithm.hpp>
#include <plait/comm/collective/library_call.hpp>
#include <plait/comm/collective/shape.hpp>
#include <plait/task/access.hpp>
#include <plait/task/reduction.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

class collective_schedules;

struct collective_options {
  /// Which algorithm.  Left out: the one that takes the least time in `runtime_options::network`,
  /// if that is known, else one that suits the number of ranks and the size.
  std::optional<collective::algorithm> algorithm = {};
  /// Whether a op b = b op a.  If not, operands are combined in the order of ranks.
  bool commutative = true;
  /// Of algorithms that cut messages (`chain`).  Bytes.
  std::size_t fragment_bytes = std::size_t{32} * 1024;
  /// Who carries it out; the same on every rank.  With `library` the call is one task: it starts
  /// when all of its data is ready on this rank and all such calls before it have started, and what
  /// needs a part of the result waits for all of it.  The library chooses the algorithm, and
  /// whether the bits of a sum are the same on every rank.  It combines inside MPI's calls, where
  /// whoever looks for messages makes it; not among neighbours, nor buffers above 2 GiB.
  collective::back_end back_end = collective::back_end::schedules;
};

/// Elements of one buffer for each rank.
using collective::block;

/// With whom a rank exchanges in a neighbourhood collective, as MPI_Dist_graph_create_adjacent
/// takes it: a rank may occur several times, and may be the rank itself; the i-th edge from a to b
/// among a's destinations is the i-th among b's sources.
struct neighbourhood {
  std::vector<int> sources;
  std::vector<int> destinations;
};

/// One collective operation, its types forgotten.
struct collective_call {
  task_name name;
  collective::shape shape;  ///< without `rank` and `ranks`
  byte_range send = {};
  byte_range receive = {};
  std::shared_ptr<const combine_bytes> combine = {};
  collective_options options = {};
};

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

/// Each operation is collective: all ranks submit the same ones in the same order, with sizes that
/// fit as MPI wants them.  Nothing waits: what a rank does in it becomes ordinary tasks, messages
/// and combinations whose accesses are the bytes they touch.  So a task that needs one rank's part
/// of an `alltoall` starts when that part has come, and the part for one rank leaves when it is
/// final; operations overtake each other and complete in any order; they can be recorded and
/// replayed.  [LibNBC's schedules (libnbc-slides, "schedules"), ordered by data instead of rounds]
///
/// Elements are of any trivially copyable type.  `Operation`: a copyable function of two elements,
/// associative, such as `plait::sum{}`.  Errors: usage_error for a root or sizes that do not fit
/// this rank's buffers, for an algorithm that does not exist or does not keep the order, and for
/// what the chosen back end cannot do.
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

  /// inout(x) on every rank: what the root has.
  template <class X>
  void bcast(task_name name, const std::tuple<X>& x, int root,
             const collective_options& options = {}) {
    static_assert(X::mode == access_mode::inout, "bcast(name, inout(x), root)");
    auto call = describe<element<X>>(name, collective::operation::bcast, {}, bytes_of(x), options);
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
    static_assert(X::mode == access_mode::inout, "in place: allreduce(name, inout(x))");
    auto call =
        describe<element<X>>(name, collective::operation::allreduce, {}, bytes_of(x), options);
    call.shape.count = count_of(x);
    call.shape.in_place = true;
    call.combine = combination<element<X>>(operation);
    submit(call);
  }
  /// out(y) on rank r: x0 op ... op xr.
  template <class X, class Y, class Operation = sum>
  void scan(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
            Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::scan, name, x, y, operation, options);
  }
  /// out(y) on rank r: x0 op ... op x(r-1); not touched on rank 0.
  template <class X, class Y, class Operation = sum>
  void exscan(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
              Operation operation = {}, const collective_options& options = {}) {
    submit_reduction(collective::operation::exscan, name, x, y, operation, options);
  }

  /// out(y) on the root: the ranks' x, one behind the other.
  template <class X, class Y>
  void gather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
              const collective_options& options = {}) {
    submit_blocks(collective::operation::gather, name, x, y, count_of(x), options, root);
  }
  /// out(y): part r of the root's x.
  template <class X, class Y>
  void scatter(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y, int root,
               const collective_options& options = {}) {
    submit_blocks(collective::operation::scatter, name, x, y, count_of(y), options, root);
  }
  /// out(y) on every rank: the ranks' x, one behind the other.
  template <class X, class Y>
  void allgather(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                 const collective_options& options = {}) {
    submit_blocks(collective::operation::allgather, name, x, y, count_of(x), options);
  }
  /// Part r of in(x) goes to rank r, part s of out(y) comes from rank s; parts of one size.
  template <class X, class Y>
  void alltoall(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                const collective_options& options = {}) {
    submit_blocks(collective::operation::alltoall, name, x, y, count_of(x) / ranks_for_blocks(),
                  options);
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
  /// out(y) on every rank: the ranks' x, each in its block; all ranks name the same block sizes.
  template <class X, class Y>
  void allgatherv(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                  std::vector<block> receive_blocks, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::allgatherv, name, x, y, options);
    call.shape.receive_blocks = std::move(receive_blocks);
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
  /// out(y) on rank r: part r of x0 op x1 op ...; parts of the size of y.
  template <class X, class Y, class Operation = sum>
  void reduce_scatter_block(task_name name, const std::tuple<X>& x, const std::tuple<Y>& y,
                            Operation operation = {}, const collective_options& options = {}) {
    auto call = describe_pair(collective::operation::reduce_scatter_block, name, x, y, options);
    call.shape.count = count_of(y);
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

  [[nodiscard]] virtual std::size_t ranks_for_blocks() const noexcept = 0;
  virtual void submit(const collective_call& call) = 0;
};

}  // namespace plait
