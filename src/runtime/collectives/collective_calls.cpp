// SPDX-License-Identifier: BSD-3-Clause
// A collective call becomes tasks: a message for each send and receive of its schedule, a compute
// task for each combination and copy.  Their accesses are the bytes that they touch, which is all
// the order a schedule needs.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/comm/collective/choice.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/submitter.hpp>

#include "runtime/collectives/collective_agreement.hpp"
#include "runtime/collectives/collective_checks.hpp"
#include "runtime/collectives/collective_schedules.hpp"
#include "runtime/packed_call.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/scratch.hpp"
#include "runtime/submitted_operation.hpp"

namespace plait {
namespace {

using collective::action;
using operation_kind = collective::operation;

/// The bytes that a call of the library touches, as accesses that do not overlap; neighbours of one
/// mode come as one.
[[nodiscard]] std::vector<data_access> accesses_of(const collective_call& call,
                                                   const collective::footprint& touched) {
  if (call.shape.what == operation_kind::barrier)
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
  std::vector<data_access> accesses;
  for (const touched_range& one : apart)
    accesses.push_back({strided_bytes::of(one.bytes), one.mode});
  return accesses;
}

/// Errors: usage_error for an algorithm that does not exist.
[[nodiscard]] collective::algorithm algorithm_of(runtime_state& s, const collective_call& call,
                                                 const collective::shape& shape) {
  if (!call.options.algorithm) return s.choice.of(shape, call.options.commutative);
  const auto found = collective::algorithms_of(shape.what);
  if (std::ranges::find(found, *call.options.algorithm) == found.end()) {
    refuse(call, "there is no " + std::string(to_string(shape.what)) + " by " +
                     std::string(to_string(*call.options.algorithm)) + "; it can be " +
                     collective::algorithm_names(shape.what));
  }
  return *call.options.algorithm;
}

void expect_to_be_ours(runtime_state& s, const collective_call& call, const communicator& among) {
  try {
    s.messages.claim(among);
  } catch (const usage_error& wrong) {
    refuse(call, wrong.what());
  } catch (const error& failed) {
    throw error(label_of(call) + ": " + failed.what());
  }
}

/// Submits the tasks and messages of one rank in a collective.  `messages`: what these have in
/// common.
void submit_steps(runtime_state& s, const collective_call& call,
                  const collective_schedules::entry& known, const operation& messages,
                  const communicator& among) {
  const collective::schedule& steps = known.schedule;
  const auto scratch = steps.scratch_bytes > 0 ? make_scratch(steps.scratch_bytes) : nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(scratch.get());
  const byte_range all_scratch{begin, begin + steps.scratch_bytes};
  const auto bytes = [&](const collective::slice& one) {
    const std::uintptr_t base = one.where == collective::buffer::send      ? call.send.begin
                                : one.where == collective::buffer::receive ? call.receive.begin
                                                                           : all_scratch.begin;
    return byte_range{base + one.begin, base + one.end};
  };
  const auto message = [&messages](operation::kind kind, int peer) {
    operation one = messages;
    one.what = kind;
    one.peer = peer;
    return one;
  };

  const bool is_barrier = call.shape.what == operation_kind::barrier;
  if (is_barrier) {
    s.tasks.task(
        call.name, [](std::span<const std::byte>, std::span<std::byte>) {},
        inout(writable(call.receive)), out(writable(all_scratch)));
  }
  for (const action& one : steps.actions) {
    switch (one.what) {
      case action::kind::send:
        submit_message(s, call.name, message(operation::kind::send, one.peer), bytes(one.from),
                       among);
        break;
      case action::kind::receive:
        submit_message(s, call.name, message(operation::kind::receive, one.peer), bytes(one.to),
                       among);
        break;
      case action::kind::operate:
        s.tasks
            .task(
                call.name,
                [combine = call.combine, scratch, to_is_left = one.to_is_left](
                    std::span<const std::byte> from, std::span<std::byte> to) {
                  (*combine)(from, to, to_is_left);
                },
                in(readable(bytes(one.from))), inout(writable(bytes(one.to))))
            .target(anyone);
        break;
      case action::kind::copy:
        s.tasks
            .task(
                call.name,
                [scratch](std::span<const std::byte> from, std::span<std::byte> to) {
                  std::memcpy(to.data(), from.data(), to.size());
                },
                in(readable(bytes(one.from))), out(writable(bytes(one.to))))
            .target(anyone);
        break;
    }
  }
  if (scratch == nullptr || (!is_barrier && known.tasks_touch_scratch_last)) return;
  if (is_barrier) {
    s.tasks.task(
        call.name, [scratch](std::span<std::byte>, std::span<std::byte>) {},
        inout(writable(all_scratch)), inout(writable(call.receive)));
  } else {
    s.tasks.task(
        call.name, [scratch](std::span<std::byte>) {}, inout(writable(all_scratch)));
  }
}

/// Submits messages beside the call, by which ranks see that they name different sizes.  Null: of
/// one rank.
[[nodiscard]] std::shared_ptr<collective_agreement> submit_agreement(
    runtime_state& s, const collective_call& call, const collective::shape& shape,
    std::optional<collective::algorithm> how, const communicator& among) {
  if (shape.ranks == 1 || shape.what == operation_kind::barrier ||
      s.agreed.sizes == size_comparison::none)
    return nullptr;
  // Most calls tell nothing.
  if (how && s.agreed.sizes == size_comparison::some && !s.tasks.recording() &&
      collective_agreement::leave_out(s.messages, shape, among))
    return nullptr;
  const auto agreement = std::make_shared<collective_agreement>(call, shape, how);
  const auto range = [](std::span<std::uint64_t> words) {
    const auto begin = reinterpret_cast<std::uintptr_t>(words.data());
    return byte_range{begin, begin + words.size_bytes()};
  };
  collective_call telling{.name = "sizes", .shape = call.shape};
  telling.send = range(agreement->told());
  telling.receive = range(agreement->heard());
  const operation message{
      .of = operation::origin::agreement,
      .sparse = agreement->may_be_sparse() && s.agreed.sizes != size_comparison::all,
      .called = shape.what,
      .name = call.name.c_str()};
  submit_steps(s, telling, s.schedules.of(agreement->way(), agreement->how()), message, among);
  // It writes, so that it runs when all has been told too: then nobody needs the words any more.
  s.tasks.task(
      telling.name,
      [agreement, &tasks = s.tasks](std::span<std::uint64_t>) {
        if (const auto failure = agreement->verdict()) tasks.fail(failure);
      },
      inout(agreement->words()));
  return agreement;
}

void expect_library_can(runtime_state& s, const collective_call& call,
                        const collective::shape& shape) {
  if (call.options.algorithm.has_value()) {
    refuse(call,
           "the MPI library chooses its algorithms; name one, or collective::back_end::library, "
           "not both");
  }
  if (const auto obstacle = collective::obstacle_to_library(shape)) {
    if (collective::ranks_see_different_sizes(shape.what)) {
      s.env.abort(label_of(call) + ": " + *obstacle, 2);
    }
    refuse(call, *obstacle);
  }
}

void submit_to_library(runtime_state& s, const collective_call& call,
                       const collective::shape& shape,
                       std::shared_ptr<collective_agreement> agreement) {
  const collective::footprint touched = collective::footprint_of(shape);
  const auto address = [](byte_range bytes) { return reinterpret_cast<void*>(bytes.begin); };
  operation op;
  op.what = operation::kind::collective;
  op.size_bytes = std::max(touched.send_bytes, touched.receive_bytes);
  op.called = shape.what;
  auto owned = std::make_unique<operation_belongings>();
  owned->call = std::make_unique<collective::library_call>(
      shape, address(call.send), address(call.receive), call.combine, call.options.commutative);
  owned->agreement = std::move(agreement);
  submit_operation(s, call.name, op, accesses_of(call, touched), call.options.among,
                   std::move(owned));
}

}  // namespace

void submitter::collective(const collective_call& call) {
  runtime_state& s = state_;
  collective::shape shape = call.shape;
  const communicator world = s.env.world();
  const communicator& all = call.options.among.is_made() ? call.options.among : world;
  if (all.size() == 0) refuse(call, "this rank is no member of '" + all.name() + "'");
  if (s.tasks.in_task()) refuse(call, no_messages_in_tasks);
  shape.ranks = all.size();
  shape.rank = all.rank();
  shape.cut = collective::usual_pieces(all);
  for (std::vector<int>* neighbours : {&shape.sources, &shape.destinations}) {
    std::ranges::replace_if(*neighbours, is_no_rank, no_rank);
  }
  expect_fits(call, shape);
  // The library may send from memory that it writes too, such as a ring's: its process must be able
  // to read that, which checked mode prevents.
  const bool by_library = call.options.back_end == collective::back_end::library && !s.checked;
  std::optional<collective::algorithm> how;
  if (by_library) {
    expect_library_can(s, call, shape);
  } else {
    how = algorithm_of(s, call, shape);
    if (!call.options.commutative && !keeps_order(shape.what, *how)) {
      refuse(call, std::string(to_string(*how)) +
                       " does not combine in the order of ranks; the operation is not commutative");
    }
  }
  expect_to_be_ours(s, call, all);  // before the first task that writes scratch memory
  const packed_call packed(call, shape);
  packed.submit_packing(s.tasks);
  auto agreement = submit_agreement(s, packed.call(), shape, how, all);
  if (by_library) {
    submit_to_library(s, packed.call(), shape, std::move(agreement));
  } else {
    const operation message{.of = operation::origin::collective, .called = shape.what};
    submit_steps(s, packed.call(), s.schedules.of(shape, *how), message, all);
  }
  packed.submit_unpacking(s.tasks);
  s.tasks.expect_in_place([&call] { return label_of(call); }, call.send_elements_of);
  s.tasks.expect_in_place([&call] { return label_of(call); }, call.receive_elements_of);
}

}  // namespace plait
