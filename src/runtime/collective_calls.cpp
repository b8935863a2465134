// SPDX-License-Identifier: BSD-3-Clause
// A collective call becomes tasks: a message for each send and receive of its schedule, a compute
// task for each combination and copy.  Their accesses are the bytes that they touch, which is all
// the order a schedule needs.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <plait/comm/collective/choice.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "runtime/collective_schedules.hpp"

namespace plait {
namespace {

using collective::action;
using what = collective::operation;

/// Bytes from the start of a buffer to the end of its last block.
[[nodiscard]] std::size_t extent(const std::vector<block>& blocks, std::size_t element_bytes) {
  std::size_t end = 0;
  for (const block& b : blocks) {
    if (b.count > 0) end = std::max(end, b.displacement + b.count);
  }
  return end * element_bytes;
}

struct buffer_sizes {
  std::size_t send = 0;
  std::size_t receive = 0;
};

/// What the call reads and writes on this rank.
[[nodiscard]] buffer_sizes needed_by(const collective::shape& s) {
  const std::size_t vector = s.count * s.element_bytes;
  const std::size_t blocks = vector * static_cast<std::size_t>(s.ranks);
  const bool root = s.rank == s.root;
  switch (s.what) {
    case what::bcast:
      return {0, vector};
    case what::reduce:
      return {vector, root ? vector : 0};
    case what::allreduce:
    case what::scan:
    case what::exscan:
      return {s.in_place ? 0 : vector, vector};
    case what::gather:
      return {vector, root ? blocks : 0};
    case what::scatter:
      return {root ? blocks : 0, vector};
    case what::allgather:
      return {vector, blocks};
    case what::alltoall:
      return {blocks, blocks};
    case what::reduce_scatter_block:
      return {blocks, vector};
    case what::allgatherv:
      return {s.receive_blocks[static_cast<std::size_t>(s.rank)].count * s.element_bytes,
              extent(s.receive_blocks, s.element_bytes)};
    case what::alltoallv:
      return {extent(s.send_blocks, s.element_bytes), extent(s.receive_blocks, s.element_bytes)};
    default:
      return {};
  }
}

void expect_fits(const collective_call& call, const collective::shape& s) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error(std::string(call.name.c_str()) + ": " + why);
  };
  if (s.root < 0 || s.root >= s.ranks) {
    refuse("root " + std::to_string(s.root) + "; ranks are 0 to " + std::to_string(s.ranks - 1));
  }
  const auto expect_blocks = [&](const std::vector<block>& blocks) {
    if (blocks.size() == static_cast<std::size_t>(s.ranks)) return;
    refuse(std::to_string(blocks.size()) + " blocks for " + std::to_string(s.ranks) + " ranks");
  };
  if (s.what == what::alltoallv) expect_blocks(s.send_blocks);
  if (s.what == what::alltoallv || s.what == what::allgatherv) expect_blocks(s.receive_blocks);
  const buffer_sizes needed = needed_by(s);
  const auto expect = [&](const char* which, byte_range have, std::size_t need) {
    if (have.end - have.begin >= need) return;
    refuse("the " + std::string(which) + " buffer has " + std::to_string(have.end - have.begin) +
           " bytes and needs " + std::to_string(need));
  };
  expect("send", call.send, needed.send);
  expect("receive", call.receive, needed.receive);
}

/// Memory for partial results; its tasks and, at last, one that holds it keep it alive.
[[nodiscard]] std::shared_ptr<std::byte> make_scratch(std::size_t size_bytes) {
  constexpr std::align_val_t alignment{64};
  return {static_cast<std::byte*>(::operator new(size_bytes, alignment)),
          [alignment](std::byte* bytes) { ::operator delete(bytes, alignment); }};
}

[[nodiscard]] std::span<std::byte> writable(byte_range bytes) {
  return {reinterpret_cast<std::byte*>(bytes.begin), bytes.end - bytes.begin};
}
[[nodiscard]] std::span<const std::byte> readable(byte_range bytes) {
  return writable(bytes);
}

}  // namespace

collective_calls::collective_calls() : schedules_(std::make_unique<collective_schedules>()) {}
collective_calls::~collective_calls() = default;

void runtime::submit(const collective_call& call) {
  collective::shape shape = call.shape;
  shape.ranks = env().size();
  shape.rank = env().rank();
  expect_fits(call, shape);
  const collective::algorithm how =
      call.options.algorithm.value_or(collective::usual_algorithm(shape, call.options.commutative));
  if (!call.options.commutative && !keeps_order(shape.what, how)) {
    throw usage_error(std::string(call.name.c_str()) + ": " + std::string(to_string(how)) +
                      " does not combine in the order of ranks; the operation is not commutative");
  }
  const collective::schedule& steps = schedules_->of(shape, how);

  const auto scratch = steps.scratch_bytes > 0 ? make_scratch(steps.scratch_bytes) : nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(scratch.get());
  const byte_range all_scratch{begin, begin + steps.scratch_bytes};
  const auto bytes = [&](const collective::slice& s) {
    const std::uintptr_t base = s.where == collective::buffer::send      ? call.send.begin
                                : s.where == collective::buffer::receive ? call.receive.begin
                                                                         : all_scratch.begin;
    return byte_range{base + s.begin, base + s.end};
  };

  const bool is_barrier = shape.what == what::barrier;
  if (is_barrier) {
    task(
        call.name, [](std::span<const std::byte>, std::span<std::byte>) {},
        inout(writable(call.receive)), out(writable(all_scratch)));
  }
  for (const action& one : steps.actions) {
    switch (one.what) {
      case action::kind::send:
        submit_message(call.name, operation::kind::send, bytes(one.from), access_mode::in, one.peer,
                       std::nullopt);
        break;
      case action::kind::receive:
        submit_message(call.name, operation::kind::receive, bytes(one.to), access_mode::out,
                       one.peer, std::nullopt);
        break;
      case action::kind::operate:
        task(
            call.name,
            [combine = call.combine, to_is_left = one.to_is_left](std::span<const std::byte> from,
                                                                  std::span<std::byte> to) {
              (*combine)(from, to, to_is_left);
            },
            in(readable(bytes(one.from))), inout(writable(bytes(one.to))));
        break;
      case action::kind::copy:
        task(
            call.name,
            [](std::span<const std::byte> from, std::span<std::byte> to) {
              std::memcpy(to.data(), from.data(), to.size());
            },
            in(readable(bytes(one.from))), out(writable(bytes(one.to))));
        break;
    }
  }
  if (scratch == nullptr) return;
  if (is_barrier) {
    task(
        call.name, [scratch](std::span<std::byte>, std::span<std::byte>) {},
        inout(writable(all_scratch)), inout(writable(call.receive)));
  } else {
    task(
        call.name, [scratch](std::span<std::byte>) {}, inout(writable(all_scratch)));
  }
}

}  // namespace plait
