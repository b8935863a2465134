// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: each is described as the templates of `collective_calls` describe it.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/runtime/collective_description.hpp>
#include <plait/task/reduction.hpp>

#include "c/calls.hpp"

namespace plait::c {
namespace {

using what_kind = collective::operation;
using combination_of_bytes = std::shared_ptr<const combine_bytes>;

[[nodiscard]] bool is_in_place(const plait_memory& memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory.begin) == ~std::uintptr_t{0};
}

[[nodiscard]] std::size_t size_of(const strided_bytes& box) noexcept {
  std::size_t size = box.row_bytes;
  for (const auto& axis : box.axes) size *= static_cast<std::size_t>(axis.rows);
  return size;
}

[[nodiscard]] collective_options options_of(const plait_collective* given, const char* name) {
  const plait_collective own = own_version(given, "plait_collective");
  collective_options options;
  options.among = among_of(own.among);
  if (own.algorithm != nullptr) {
    options.algorithm = collective::algorithm_from(own.algorithm);
    if (!options.algorithm.has_value()) {
      throw usage_error(std::string("'") + name + "': there is no algorithm '" + own.algorithm +
                        "'");
    }
  }
  if (own.fragment_bytes != 0) options.fragment_bytes = own.fragment_bytes;
  options.commutative = own.keeps_order == 0;
  if (own.back_end != PLAIT_BY_SCHEDULES && own.back_end != PLAIT_BY_LIBRARY) {
    throw usage_error(std::string("'") + name + "': back end " + std::to_string(own.back_end) +
                      " does not exist");
  }
  if (own.back_end == PLAIT_BY_LIBRARY) options.back_end = collective::back_end::library;
  return options;
}

template <class T>
[[nodiscard]] combination_of_bytes combination(int how) {
  using description = detail::collective_description;
  switch (how) {
    case PLAIT_SUM:
      return description::combination<T>(sum{});
    case PLAIT_PRODUCT:
      return description::combination<T>(product{});
    default:
      break;
  }
  if constexpr (requires(T a, T b) { a < b; }) {
    if (how == PLAIT_MIN) return description::combination<T>(minimum{});
    if (how == PLAIT_MAX) return description::combination<T>(maximum{});
  }
  return nullptr;
}

struct typed_combination {
  std::size_t element_bytes = 0;
  combination_of_bytes combine = {};
};

template <class T>
[[nodiscard]] typed_combination of_type(int how) {
  return {sizeof(T), combination<T>(how)};
}

[[nodiscard]] typed_combination by_function(const plait_operation& op) {
  const plait_combine function = op.function;
  const std::size_t bytes = op.element_bytes;
  void* const argument = op.argument;
  if (function == nullptr || bytes == 0) return {};
  return {bytes, std::make_shared<const combine_bytes>(
                     [=](std::span<const std::byte> one, std::span<std::byte> to, bool to_is_left) {
                       const std::size_t count = to.size() / bytes;
                       if (to_is_left) {
                         function(to.data(), one.data(), to.data(), count, argument);
                       } else {
                         function(one.data(), to.data(), to.data(), count, argument);
                       }
                     })};
}

[[nodiscard]] typed_combination typed(const plait_operation& op) {
  const int how = op.combination;
  if (how == PLAIT_FUNCTION) return by_function(op);
  switch (op.type) {
    case PLAIT_INT8:
      return of_type<std::int8_t>(how);
    case PLAIT_UINT8:
      return of_type<std::uint8_t>(how);
    case PLAIT_INT16:
      return of_type<std::int16_t>(how);
    case PLAIT_UINT16:
      return of_type<std::uint16_t>(how);
    case PLAIT_INT32:
      return of_type<std::int32_t>(how);
    case PLAIT_UINT32:
      return of_type<std::uint32_t>(how);
    case PLAIT_INT64:
      return of_type<std::int64_t>(how);
    case PLAIT_UINT64:
      return of_type<std::uint64_t>(how);
    case PLAIT_FLOAT:
      return of_type<float>(how);
    case PLAIT_DOUBLE:
      return of_type<double>(how);
    case PLAIT_FLOAT_COMPLEX:
      return of_type<std::complex<float>>(how);
    case PLAIT_DOUBLE_COMPLEX:
      return of_type<std::complex<double>>(how);
    default:
      return {};
  }
}

/// One call on its way: what it says, filled in from the arguments of a function of plait.h.
class description {
 public:
  description(plait_runtime& rt, what_kind what, const char* name, const plait_collective* how)
      : rt_(rt), call_(name_of(name)) {
    call_.options = options_of(how, name);
    call_.shape.what = what;
    call_.shape.element_bytes = 1;
    call_.shape.fragment_bytes = call_.options.fragment_bytes;
    ranks_ = rt.to().ranks_of(call_.options.among);
  }

  /// Names both buffers; `from` may be PLAIT_IN_PLACE.
  description& between(const plait_memory& from, const plait_memory& to) {
    if (is_in_place(from)) {
      call_.shape.in_place = true;
    } else {
      set(from, call_.send, call_.send_box);
    }
    set(to, call_.receive, call_.receive_box);
    return *this;
  }
  /// Names both buffers of a scatter; `to` may be PLAIT_IN_PLACE.
  description& out_of(const plait_memory& from, const plait_memory& to) {
    set(from, call_.send, call_.send_box);
    if (is_in_place(to)) {
      call_.shape.in_place = true;
    } else {
      set(to, call_.receive, call_.receive_box);
    }
    return *this;
  }
  description& data(const plait_memory& memory) {
    set(memory, call_.receive, call_.receive_box);
    return *this;
  }

  description& root(int rank) {
    call_.shape.root = rank;
    return *this;
  }
  description& elements(std::size_t bytes) {
    if (bytes == 0) throw usage_error(of_call("its elements have 0 bytes"));
    call_.shape.element_bytes = bytes;
    return *this;
  }
  description& combining(const plait_operation& op) {
    typed_combination found = typed(op);
    if (found.combine == nullptr) {
      throw usage_error(of_call("it combines by operation " + std::to_string(op.combination) +
                                " of type " + std::to_string(op.type) + ", which does not exist"));
    }
    call_.combine = std::move(found.combine);
    return elements(found.element_bytes);
  }
  description& sent_blocks(const plait_block* blocks, std::size_t count) {
    list(call_.shape.send_blocks, blocks, count);
    return *this;
  }
  description& received_blocks(const plait_block* blocks, std::size_t count) {
    list(call_.shape.receive_blocks, blocks, count);
    return *this;
  }
  description& around(const plait_neighbours* who) {
    if (who == nullptr) throw usage_error(of_call("the neighbours are a null pointer"));
    list_ranks(call_.shape.sources, who->sources, who->source_count);
    list_ranks(call_.shape.destinations, who->destinations, who->destination_count);
    return *this;
  }

  /// A count of elements for each part: of all of a buffer, divided by `parts`.
  enum class of { input, output };
  description& count(of which, std::size_t parts = 1) {
    const byte_range& bytes = which == of::input ? call_.send : call_.receive;
    if (parts > 0)
      call_.shape.count = (bytes.end - bytes.begin) / call_.shape.element_bytes / parts;
    return *this;
  }
  /// Of the vector that every rank contributes: it is in the output where the call is in place.
  description& count_of_vector() { return count(in_place() ? of::output : of::input); }
  [[nodiscard]] bool in_place() const noexcept { return call_.shape.in_place; }
  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::size_t destinations() const noexcept {
    return call_.shape.destinations.size();
  }
  [[nodiscard]] std::size_t sources() const noexcept { return call_.shape.sources.size(); }

  void submit() { rt_.to().collective(call_); }

 private:
  [[nodiscard]] std::string of_call(const std::string& why) const {
    return std::string("'") + call_.name.c_str() + "': " + why;
  }
  void set(const plait_memory& memory, byte_range& bytes,
           std::optional<strided_bytes>& of_box) const {
    if (is_in_place(memory))
      throw usage_error(of_call("PLAIT_IN_PLACE stands where this operation has no such form"));
    const strided_bytes box = box_of(memory);
    bytes = {box.begin, box.begin + size_of(box)};
    if (box.is_range()) return;
    const bool listed = call_.shape.what == what_kind::barrier;
    if (listed) throw usage_error(of_call("a barrier takes contiguous memory"));
    of_box = box;
  }
  void list(std::vector<block>& into, const plait_block* blocks, std::size_t count) const {
    if (call_.send_box.has_value() || call_.receive_box.has_value())
      throw usage_error(of_call("where blocks are listed, buffers are contiguous memory"));
    if (blocks == nullptr) return;
    for (const plait_block& one : std::span(blocks, count))
      into.push_back({one.count, one.displacement});
  }
  void list_ranks(std::vector<int>& into, const int* ranks, int count) const {
    if (call_.send_box.has_value() || call_.receive_box.has_value())
      throw usage_error(of_call("among neighbours, buffers are contiguous memory"));
    if (count < 0 || (count > 0 && ranks == nullptr))
      throw usage_error(of_call("its list of neighbours has " + std::to_string(count) + " ranks"));
    for (const int rank : std::span(ranks, static_cast<std::size_t>(count)))
      into.push_back(is_no_rank(rank) ? no_rank : rank);
  }

  plait_runtime& rt_;
  collective_call call_;
  std::size_t ranks_ = 1;
};

using of = description::of;

/// A reduction of vectors.
[[nodiscard]] int reduction(plait_runtime* rt, const char* function, what_kind what,
                            const char* name, const plait_memory& from, const plait_memory& to,
                            const plait_operation& op, int root,
                            const plait_collective* how) noexcept {
  return call(rt, function, from::program, [&] {
    description it(*rt, what, name, how);
    it.between(from, to).combining(op).root(root).count_of_vector().submit();
  });
}

}  // namespace
}  // namespace plait::c

using namespace plait::c;

int plait_barrier(plait_runtime* rt, const char* name, plait_memory orders,
                  const plait_collective* how) {
  return call(rt, "plait_barrier", from::program,
              [&] { description(*rt, what_kind::barrier, name, how).data(orders).submit(); });
}

int plait_bcast(plait_runtime* rt, const char* name, plait_memory data, int root,
                const plait_collective* how) {
  return call(rt, "plait_bcast", from::program, [&] {
    description(*rt, what_kind::bcast, name, how).data(data).root(root).count(of::output).submit();
  });
}

int plait_reduce(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                 plait_operation op, int root, const plait_collective* how) {
  return reduction(rt, "plait_reduce", what_kind::reduce, name, from, to, op, root, how);
}

int plait_allreduce(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                    plait_operation op, const plait_collective* how) {
  return reduction(rt, "plait_allreduce", what_kind::allreduce, name, from, to, op, 0, how);
}

int plait_scan(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
               plait_operation op, const plait_collective* how) {
  return reduction(rt, "plait_scan", what_kind::scan, name, from, to, op, 0, how);
}

int plait_exscan(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                 plait_operation op, const plait_collective* how) {
  return reduction(rt, "plait_exscan", what_kind::exscan, name, from, to, op, 0, how);
}

int plait_reduce_scatter(plait_runtime* rt, const char* name, plait_memory from,
                         const plait_block* blocks, plait_memory to, plait_operation op,
                         const plait_collective* how) {
  return call(rt, "plait_reduce_scatter", from::program, [&] {
    description it(*rt, what_kind::reduce_scatter, name, how);
    it.between(from, to).combining(op).sent_blocks(blocks, it.ranks()).submit();
  });
}

int plait_reduce_scatter_block(plait_runtime* rt, const char* name, plait_memory from,
                               plait_memory to, plait_operation op, const plait_collective* how) {
  return call(rt, "plait_reduce_scatter_block", from::program, [&] {
    description it(*rt, what_kind::reduce_scatter_block, name, how);
    it.between(from, to).combining(op);
    it.count(of::output, it.in_place() ? it.ranks() : 1).submit();
  });
}

int plait_gather(plait_runtime* rt, const char* name, plait_memory from, plait_memory to, int root,
                 const plait_collective* how) {
  return call(rt, "plait_gather", from::program, [&] {
    description it(*rt, what_kind::gather, name, how);
    it.between(from, to).root(root);
    (it.in_place() ? it.count(of::output, it.ranks()) : it.count(of::input)).submit();
  });
}

int plait_scatter(plait_runtime* rt, const char* name, plait_memory from, plait_memory to, int root,
                  const plait_collective* how) {
  return call(rt, "plait_scatter", from::program, [&] {
    description it(*rt, what_kind::scatter, name, how);
    it.out_of(from, to).root(root);
    (it.in_place() ? it.count(of::input, it.ranks()) : it.count(of::output)).submit();
  });
}

int plait_allgather(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                    const plait_collective* how) {
  return call(rt, "plait_allgather", from::program, [&] {
    description it(*rt, what_kind::allgather, name, how);
    it.between(from, to);
    (it.in_place() ? it.count(of::output, it.ranks()) : it.count(of::input)).submit();
  });
}

int plait_alltoall(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                   const plait_collective* how) {
  return call(rt, "plait_alltoall", from::program, [&] {
    description it(*rt, what_kind::alltoall, name, how);
    it.between(from, to);
    it.count(it.in_place() ? of::output : of::input, it.ranks()).submit();
  });
}

int plait_gatherv(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                  const plait_block* blocks, size_t element_bytes, int root,
                  const plait_collective* how) {
  return call(rt, "plait_gatherv", from::program, [&] {
    description it(*rt, what_kind::gatherv, name, how);
    it.between(from, to).root(root).elements(element_bytes).received_blocks(blocks, it.ranks());
    if (!it.in_place()) it.count(of::input);
    it.submit();
  });
}

int plait_scatterv(plait_runtime* rt, const char* name, plait_memory from,
                   const plait_block* blocks, plait_memory to, size_t element_bytes, int root,
                   const plait_collective* how) {
  return call(rt, "plait_scatterv", from::program, [&] {
    description it(*rt, what_kind::scatterv, name, how);
    it.out_of(from, to).root(root).elements(element_bytes).sent_blocks(blocks, it.ranks());
    if (!it.in_place()) it.count(of::output);
    it.submit();
  });
}

int plait_allgatherv(plait_runtime* rt, const char* name, plait_memory from, plait_memory to,
                     const plait_block* blocks, size_t element_bytes, const plait_collective* how) {
  return call(rt, "plait_allgatherv", from::program, [&] {
    description it(*rt, what_kind::allgatherv, name, how);
    it.between(from, to).elements(element_bytes).received_blocks(blocks, it.ranks()).submit();
  });
}

int plait_alltoallv(plait_runtime* rt, const char* name, plait_memory from, const plait_block* sent,
                    plait_memory to, const plait_block* received, size_t element_bytes,
                    const plait_collective* how) {
  return call(rt, "plait_alltoallv", from::program, [&] {
    description it(*rt, what_kind::alltoallv, name, how);
    it.between(from, to).elements(element_bytes).received_blocks(received, it.ranks());
    if (!it.in_place()) it.sent_blocks(sent, it.ranks());
    it.submit();
  });
}

int plait_neighbour_allgather(plait_runtime* rt, const char* name, plait_memory from,
                              plait_memory to, const plait_neighbours* around,
                              const plait_collective* how) {
  return call(rt, "plait_neighbour_allgather", from::program, [&] {
    description it(*rt, what_kind::neighbour_allgather, name, how);
    it.between(from, to).around(around).count(of::input).submit();
  });
}

int plait_neighbour_allgatherv(plait_runtime* rt, const char* name, plait_memory from,
                               plait_memory to, const plait_block* received, size_t element_bytes,
                               const plait_neighbours* around, const plait_collective* how) {
  return call(rt, "plait_neighbour_allgatherv", from::program, [&] {
    description it(*rt, what_kind::neighbour_allgatherv, name, how);
    it.between(from, to).elements(element_bytes).around(around).count(of::input);
    it.received_blocks(received, it.sources()).submit();
  });
}

int plait_neighbour_alltoall(plait_runtime* rt, const char* name, plait_memory from,
                             plait_memory to, const plait_neighbours* around,
                             const plait_collective* how) {
  return call(rt, "plait_neighbour_alltoall", from::program, [&] {
    description it(*rt, what_kind::neighbour_alltoall, name, how);
    it.between(from, to).around(around);
    if (it.destinations() > 0) {
      it.count(of::input, it.destinations());
    } else {
      it.count(of::output, it.sources());
    }
    it.submit();
  });
}

int plait_neighbour_alltoallv(plait_runtime* rt, const char* name, plait_memory from,
                              const plait_block* sent, plait_memory to, const plait_block* received,
                              size_t element_bytes, const plait_neighbours* around,
                              const plait_collective* how) {
  return call(rt, "plait_neighbour_alltoallv", from::program, [&] {
    description it(*rt, what_kind::neighbour_alltoallv, name, how);
    it.between(from, to).elements(element_bytes).around(around);
    it.sent_blocks(sent, it.destinations()).received_blocks(received, it.sources()).submit();
  });
}
