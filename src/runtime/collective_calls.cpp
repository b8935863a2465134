// SPDX-License-Identifier: BSD-3-Clause
// A collective call becomes tasks: a message for each send and receive of its schedule, a compute
// task for each combination and copy.  Their accesses are the bytes that they touch, which is all
// the order a schedule needs.
#include <cstring>
#include <new>
#include <optional>
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

[[noreturn]] void refuse(const collective_call& call, const std::string& why) {
  throw usage_error(std::string(call.name.c_str()) + ": " + why);
}

/// What `collective::build` takes for granted.
void expect_well_formed(const collective_call& call, const collective::shape& s) {
  const std::string range = "; ranks are 0 to " + std::to_string(s.ranks - 1);
  if (s.root < 0 || s.root >= s.ranks) refuse(call, "root " + std::to_string(s.root) + range);
  for (const auto* neighbours : {&s.sources, &s.destinations}) {
    for (const int peer : *neighbours) {
      if (peer < 0 || peer >= s.ranks) {
        refuse(call, "neighbour " + std::to_string(peer) + range);
      }
    }
  }
  const auto expect = [&](const std::vector<block>& blocks, std::optional<std::size_t> wanted,
                          const char* neighbours) {
    if (!wanted.has_value() || blocks.size() == *wanted) return;
    refuse(call, std::to_string(blocks.size()) + " blocks for " + std::to_string(*wanted) + " " +
                     (is_neighbourly(s.what) ? neighbours : "ranks"));
  };
  const collective::list_lengths lists = collective::lists_of(s);
  expect(s.send_blocks, lists.send_blocks, "destinations");
  expect(s.receive_blocks, lists.receive_blocks, "sources");
}

void expect_fits(const collective_call& call, const collective::schedule& steps) {
  const auto expect = [&](const char* which, byte_range have, std::size_t need) {
    if (have.end - have.begin >= need) return;
    refuse(call, "the " + std::string(which) + " buffer has " +
                     std::to_string(have.end - have.begin) + " bytes and needs " +
                     std::to_string(need));
  };
  expect("send", call.send, steps.send_bytes);
  expect("receive", call.receive, steps.receive_bytes);
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
  expect_well_formed(call, shape);
  const collective::algorithm how =
      call.options.algorithm.value_or(collective::usual_algorithm(shape, call.options.commutative));
  if (!call.options.commutative && !keeps_order(shape.what, how)) {
    refuse(call, std::string(to_string(how)) +
                     " does not combine in the order of ranks; the operation is not commutative");
  }
  const collective::schedule& steps = schedules_->of(shape, how);
  expect_fits(call, steps);

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
