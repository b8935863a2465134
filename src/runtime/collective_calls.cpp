// SPDX-License-Identifier: BSD-3-Clause
// A collective call becomes tasks: a message for each send and receive of its schedule, a compute
// task for each combination and copy.  Their accesses are the bytes that they touch, which is all
// the order a schedule needs.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  if (s.in_place && only_root_is_in_place(s.what) && s.rank != s.root) {
    refuse(call, "in place on the root only, which is " + std::to_string(s.root) +
                     "; here name in(x) and out(y)");
  }
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

/// `need`: a schedule or a footprint.
void expect_fits(const collective_call& call, const auto& need) {
  const auto expect = [&](const char* which, byte_range have, std::size_t bytes) {
    if (have.end - have.begin >= bytes) return;
    refuse(call, "the " + std::string(which) + " buffer has " +
                     std::to_string(have.end - have.begin) + " bytes and needs " +
                     std::to_string(bytes));
  };
  expect("send", call.send, need.send_bytes);
  expect("receive", call.receive, need.receive_bytes);
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

/// The bytes that a call of the library touches, as accesses that do not overlap; neighbours of one
/// mode come as one.
[[nodiscard]] std::vector<detail::data_access> accesses_of(const collective_call& call,
                                                           const collective::footprint& touched) {
  if (call.shape.what == what::barrier)
    return {{strided_bytes::of(call.receive), access_mode::inout}};
  struct touched_range {
    byte_range bytes;
    access_mode mode;
  };
  std::vector<touched_range> all;
  const auto add = [&](const std::vector<collective::slice>& slices, access_mode mode) {
    for (const collective::slice& s : slices) {
      const std::uintptr_t base =
          s.where == collective::buffer::send ? call.send.begin : call.receive.begin;
      all.push_back({{base + s.begin, base + s.end}, mode});
    }
  };
  add(touched.read, access_mode::in);
  add(touched.written, access_mode::out);
  std::ranges::stable_sort(all, {}, [](const touched_range& one) { return one.bytes.begin; });
  std::vector<touched_range> apart;
  for (const touched_range& next : all) {
    touched_range* const last = apart.empty() ? nullptr : &apart.back();
    const bool overlap = last != nullptr && next.bytes.begin < last->bytes.end;
    if (!overlap &&
        (last == nullptr || next.mode != last->mode || next.bytes.begin != last->bytes.end)) {
      apart.push_back(next);
      continue;
    }
    last->bytes.end = std::max(last->bytes.end, next.bytes.end);
    if (next.mode != last->mode) last->mode = access_mode::inout;
  }
  std::vector<detail::data_access> accesses;
  for (const touched_range& one : apart)
    accesses.push_back({strided_bytes::of(one.bytes), one.mode});
  return accesses;
}

}  // namespace

collective_calls::collective_calls() : schedules_(std::make_unique<collective_schedules>()) {}
collective_calls::~collective_calls() = default;

void runtime::submit(const collective_call& call) {
  collective::shape shape = call.shape;
  const communicator all = call.options.among.is_made() ? call.options.among : env().world();
  if (all.size() == 0) refuse(call, "this rank is no member of '" + all.name() + "'");
  shape.ranks = all.size();
  shape.rank = all.rank();
  expect_well_formed(call, shape);
  // The library may send from memory that it writes too, such as a ring's: its process must be able
  // to read that, which checked mode prevents.
  if (call.options.back_end == collective::back_end::library && !is_checked()) {
    submit_to_library(call, shape);
    return;
  }
  const collective::algorithm how =
      call.options.algorithm ? *call.options.algorithm : choose(shape, call.options.commutative);
  if (!call.options.commutative && !keeps_order(shape.what, how)) {
    refuse(call, std::string(to_string(how)) +
                     " does not combine in the order of ranks; the operation is not commutative");
  }
  const collective::schedule& steps = schedules_->of(shape, how);
  expect_fits(call, steps);

  claim(all);  // before the first task that writes scratch memory, which a refusal would free
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
                       std::nullopt, all);
        break;
      case action::kind::receive:
        submit_message(call.name, operation::kind::receive, bytes(one.to), access_mode::out,
                       one.peer, std::nullopt, all);
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

void runtime::submit_to_library(const collective_call& call, const collective::shape& shape) {
  if (call.options.algorithm.has_value()) {
    refuse(call,
           "the MPI library chooses its algorithms; name one, or collective::back_end::library, "
           "not both");
  }
  if (const auto obstacle = collective::obstacle_to_library(shape)) {
    if (collective::ranks_see_different_sizes(shape.what)) {
      env().abort(std::string(call.name.c_str()) + ": " + *obstacle, 2);
    }
    refuse(call, *obstacle);
  }
  const collective::footprint touched = collective::footprint_of(shape);
  expect_fits(call, touched);
  const auto address = [](byte_range bytes) { return reinterpret_cast<void*>(bytes.begin); };
  operation op;
  op.what = operation::kind::collective;
  op.size_bytes = std::max(touched.send_bytes, touched.receive_bytes);
  auto made = std::make_unique<collective::library_call>(
      shape, address(call.send), address(call.receive), call.combine, call.options.commutative);
  op.call = made.get();
  op.called = shape.what;
  submit_operation(call.name, op, accesses_of(call, touched), {}, call.options.among);
  (void)made.release();  // the task has it
}

}  // namespace plait
