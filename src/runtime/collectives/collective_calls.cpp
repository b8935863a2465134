// SPDX-License-Identifier: BSD-3-Clause
// A collective call becomes tasks: a message for each send and receive of its schedule, a compute
// task for each combination and copy.  Their accesses are the bytes that they touch, which is all
// the order a schedule needs.  A short call that repeats is one task instead: short_call.hpp.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/comm/collective/usual_pieces.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/submitter.hpp>

#include "runtime/collectives/collective_agreement.hpp"
#include "runtime/collectives/collective_checks.hpp"
#include "runtime/collectives/prepared_call.hpp"
#include "runtime/collectives/short_call.hpp"
#include "runtime/packed_box.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/scratch.hpp"
#include "runtime/submitted_operation.hpp"

namespace plait {
namespace {

using collective::action;
using operation_kind = collective::operation;

/// The bytes that a call touches, as accesses that do not overlap; neighbours of one mode come as
/// one.
[[nodiscard]] std::vector<data_access> accesses_of(const collective_call& call,
                                                   const collective::footprint& touched) {
  if (call.shape.what == operation_kind::barrier)
    return {{strided_bytes::of(call.receive), access_mode::inout}};
  std::vector<touched_range> apart;
  for (const touched_range& next : touched_ranges(call, touched)) {
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

/// Submits the tasks and messages of one rank in a collective.  `messages`: what these have in
/// common.
void submit_steps(runtime_state& s, const collective_call& call,
                  const collective_schedules::entry& known, const operation& messages,
                  const communicator& among) {
  // A recording knows what the messages follow from.
  program_recording* const recording = s.kept == nullptr ? nullptr : s.kept->recording();
  const auto ungroup = [](scheduler* tasks) { tasks->group(0); };
  const std::unique_ptr<scheduler, decltype(ungroup)> grouped(recording != nullptr ? &s.tasks
                                                                                   : nullptr);
  if (recording != nullptr) {
    const bool compares = messages.of == operation::origin::agreement;
    s.tasks.group(recording->add(known.shape, known.how, compares));
  }
  const collective::schedule& steps = known.schedule;
  const auto scratch = steps.scratch_bytes > 0 ? make_scratch(steps.scratch_bytes) : nullptr;
  const byte_range all_scratch = detail::bytes_of(scratch.get(), steps.scratch_bytes);
  const schedule_memory buffers{call.send.begin, call.receive.begin, all_scratch.begin};

  const bool is_barrier = call.shape.what == operation_kind::barrier;
  if (is_barrier) {
    s.tasks.task(
        call.name, [](std::span<const std::byte>, std::span<std::byte>) {},
        inout(writable(call.receive)), out(writable(all_scratch)));
  }
  for (const action& step : steps.actions) {
    const bool sends = step.what == action::kind::send;
    if (sends || step.what == action::kind::receive) {
      const collective::slice& memory = sends ? step.from : step.to;
      const bool is_scratch = memory.where == collective::buffer::scratch;
      begun_message one(s, call.name, messages, is_scratch ? scratch : nullptr);
      one.what = sends ? operation::kind::send : operation::kind::receive;
      one.peer = step.peer;
      submit_message(one, buffers.of(memory), among);
      continue;
    }
    s.tasks
        .task(
            call.name,
            [combine = step.what == action::kind::operate ? call.combine : nullptr, scratch,
             to_is_left = step.to_is_left](std::span<const std::byte> from,
                                           std::span<std::byte> to) {
              if (combine != nullptr) return (*combine)(from, to, to_is_left);
              std::memcpy(to.data(), from.data(), to.size());
            },
            in(readable(buffers.of(step.from))), inout(writable(buffers.of(step.to))))
        .target(anyone);
  }
  if (is_barrier && scratch != nullptr) {
    s.tasks.task(
        call.name, [scratch](std::span<std::byte>, std::span<std::byte>) {},
        inout(writable(all_scratch)), inout(writable(call.receive)));
  }
}

/// Returns whether a call outside of recordings may be submitted as one task: nobody asks for its
/// steps.  What is called for the first time may be called only once: then it is not worth what one
/// task prepares.
[[nodiscard]] bool may_be_one_task(const runtime_state& s, const prepared_call& known) noexcept {
  return known.is_repeated && !s.record.has_value() && !s.checked;
}

/// Returns whether messages beside this call tell sizes.  Most calls tell nothing.
[[nodiscard]] bool tells_sizes(runtime_state& s, const prepared_call& known) {
  const bool may_leave_out = !known.telling.empty() && !s.tasks.recording();
  return known.tells && !(may_leave_out && s.messages.leave_out(known.telling));
}

/// Submits messages beside the call, by which ranks see that they name different sizes.  Returns
/// null where nobody is to be asked for the verdict.
std::shared_ptr<collective_agreement> submit_agreement(runtime_state& s,
                                                       const collective_call& call,
                                                       prepared_call& known) {
  const communicator& among = call.options.among;
  operation message{
      .of = operation::origin::agreement, .called = known.shape.what, .name = call.name.c_str()};
  const auto make_agreement = [&] {
    const auto how = known.steps != nullptr ? std::optional(known.steps->how) : std::nullopt;
    auto made = std::make_shared<collective_agreement>(known.shape, how);
    message.sparse = made->may_be_sparse() && s.agreed.sizes != size_comparison::all;
    return made;
  };
  if (known.has_short_agreement && may_be_one_task(s, known) && !s.tasks.recording()) {
    short_call* const in_one = known.agreements.take([&] {
      const auto made = make_agreement();
      return std::make_unique<short_call>(s, s.schedules.of(made->way(), made->how())->schedule,
                                          message, made->memory(), short_call::accesses(), made);
    });
    if (in_one != nullptr) return in_one->submit(call.name, nullptr, among, true), nullptr;
  }
  const auto agreement = make_agreement();
  collective_call telling("sizes");
  telling.shape.what = agreement->way().what;
  telling.send.begin = agreement->memory().send;
  telling.receive.begin = agreement->memory().receive;
  submit_steps(s, telling, *s.schedules.of(agreement->way(), agreement->how()), message, among);
  // It writes, so that it runs when all has been told too: then nobody needs the words any more.
  s.tasks.task(
      telling.name,
      [agreement, name = call.name, &tasks = s.tasks](std::span<std::uint64_t>) {
        if (const auto failure = agreement->verdict(name)) tasks.fail(failure);
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

/// Returns what a call reads and writes, if it may be one task: its buffers are vectors, so that
/// nobody waits for a part of them alone.
[[nodiscard]] std::optional<short_call::accesses> short_memory_of(const collective_call& call,
                                                                  const prepared_call& known) {
  const operation_kind called = known.shape.what;
  const bool is_of_vectors = called <= operation_kind::allreduce ||
                             called == operation_kind::scan || called == operation_kind::exscan;
  if (!is_of_vectors || prepared_call::has_boxes(call) || !short_call::suits(known.steps->schedule))
    return std::nullopt;
  short_call::accesses memory;
  for (const data_access& one : accesses_of(call, collective::footprint_of(known.shape))) {
    byte_range& bytes = one.mode == access_mode::in ? memory.first : memory.second;
    if (bytes.begin != bytes.end) return std::nullopt;
    bytes = one.memory.hull();
  }
  return memory;
}

/// Errors: usage_error for a call that does not fit.
[[nodiscard]] std::unique_ptr<prepared_call> prepare(runtime_state& s,
                                                     const collective_call& call) {
  auto known = std::make_unique<prepared_call>(call);
  prepared_call& made = *known;
  collective::shape& shape = made.shape;
  const communicator world = s.env.world();
  const communicator& all = call.options.among.is_made() ? call.options.among : world;
  if (all.size() == 0) refuse(call, "this rank is no member of '" + all.name() + "'");
  if (all.is_lane()) refuse(call, "'" + all.name() + "' is a lane, and lanes have messages only");
  shape.ranks = all.size();
  shape.rank = all.rank();
  shape.cut = collective::usual_pieces(all);
  for (std::vector<int>* neighbours : {&shape.sources, &shape.destinations}) {
    std::ranges::replace_if(*neighbours, is_no_rank, no_rank);
  }
  expect_fits(call, shape);
  made.tells = s.agreed.sizes != size_comparison::none && shape.ranks > 1 &&
               shape.what != operation_kind::barrier;
  // The library may send from memory that it writes too, such as a ring's: its process must be able
  // to read that, which checked mode prevents.
  const bool by_library = call.options.back_end == collective::back_end::library && !s.checked;
  if (by_library) expect_library_can(s, call, shape);
  try {
    if (!by_library) {
      made.steps = s.schedules.of(shape, call.options.algorithm, call.options.commutative);
      if (!call.options.commutative && !keeps_order(shape.what, made.steps->how)) {
        throw usage_error(
            std::string(to_string(made.steps->how)) +
            " does not combine in the order of ranks; the operation is not commutative");
      }
    }
    s.messages.claim(all);  // before the first task that writes scratch memory
  } catch (const usage_error& wrong) {
    refuse(call, wrong.what());
  } catch (const error& failed) {
    throw error(label_of(call) + ": " + failed.what());
  }
  if (by_library) return known;
  made.short_memory = short_memory_of(call, made);
  if (!made.tells) return known;
  const collective_agreement like(shape, made.steps->how);
  made.has_short_agreement = short_call::suits(s.schedules.of(like.way(), like.how())->schedule);
  if (s.agreed.sizes == size_comparison::some) made.telling = like.channels(s.messages, all);
  return known;
}

/// Submits a short call as one task, outside of recordings.  Returns false where it is to be a task
/// a step.
[[nodiscard]] bool is_submitted_as_one(runtime_state& s, const collective_call& call,
                                       prepared_call& known) {
  if (!known.short_memory.has_value() || !may_be_one_task(s, known)) return false;
  s.expect_communication();
  short_call* const in_one = known.calls.take([&] {
    const operation message{.of = operation::origin::collective, .called = known.shape.what};
    return std::make_unique<short_call>(s, known.steps->schedule, message,
                                        schedule_memory{call.send.begin, call.receive.begin},
                                        *known.short_memory);
  });
  if (in_one == nullptr) return false;
  const bool may_begin = s.tasks.is_unused(known.short_memory->second);
  std::unique_lock together(s.messages, std::try_to_lock);
  if (tells_sizes(s, known)) {
    if (together.owns_lock()) together.unlock();
    (void)submit_agreement(s, call, known);
  }
  in_one->submit(call.name, call.combine, call.options.among, may_begin, std::move(together));
  return true;
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

void submit_as_steps(runtime_state& s, const collective_call& call, prepared_call& known) {
  std::shared_ptr<collective_agreement> agreement;
  if (tells_sizes(s, known)) agreement = submit_agreement(s, call, known);
  if (known.steps != nullptr) {
    const operation message{.of = operation::origin::collective, .called = known.shape.what};
    submit_steps(s, call, *known.steps, message, call.options.among);
  } else {
    submit_to_library(s, call, known.shape, std::move(agreement));
  }
}

[[nodiscard]] bool lies_apart(const std::optional<strided_bytes>& box) noexcept {
  return box.has_value() && !in_one_piece(*box).has_value();
}

/// Submits a call on packed boxes instead of those that lie apart, and what packs and unpacks them.
void submit_packed(runtime_state& s, const collective_call& call, prepared_call& known) {
  const collective::footprint touched = collective::footprint_of(known.shape);
  const auto has = [](const std::vector<collective::slice>& slices, collective::buffer which) {
    return std::ranges::any_of(slices, [&](const auto& one) { return one.where == which; });
  };
  const bool reads = has(touched.read, collective::buffer::receive);
  const bool writes = has(touched.written, collective::buffer::receive);
  const auto pack = [](const std::optional<strided_bytes>& box, bool is_touched, byte_range& to) {
    std::optional<packed_box> packed;
    if (is_touched && lies_apart(box)) to = packed.emplace(*box).bytes();
    return packed;
  };
  collective_call on_packed = call;
  const bool reads_send = has(touched.read, collective::buffer::send);
  const auto send = pack(call.send_box, reads_send, on_packed.send);
  const auto receive = pack(call.receive_box, reads || writes, on_packed.receive);
  if (send.has_value()) send->submit_packing(s.tasks, call.name);
  // In place a part of the buffer may stay as it is.
  if (receive.has_value() && (reads || known.shape.in_place))
    receive->submit_packing(s.tasks, call.name);
  submit_as_steps(s, on_packed, known);
  if (receive.has_value() && writes) receive->submit_unpacking(s.tasks, call.name);
  for (const auto* box : {&send, &receive}) {
    if (box->has_value()) (*box)->keep_until_unused(s.tasks, call.name);
  }
}

/// Not to be inlined: a call that is one task has no use for what this needs.
[[gnu::noinline]] void submit_as_several(runtime_state& s, const collective_call& call,
                                         prepared_call& known) {
  const bool packs = lies_apart(call.send_box) || lies_apart(call.receive_box);
  packs ? submit_packed(s, call, known) : submit_as_steps(s, call, known);
  s.tasks.expect_in_place([&call] { return label_of(call); }, call.send_elements_of);
  s.tasks.expect_in_place([&call] { return label_of(call); }, call.receive_elements_of);
}

}  // namespace

void submitter::collective(const collective_call& call) {
  runtime_state& s = state_;
  const bool once = s.tasks.submits_once();
  if (!once && s.tasks.in_task()) refuse(call, no_messages_in_tasks);
  prepared_call& known = s.calls.of(call, [&] { return prepare(s, call); });
  const bool records = !once && s.tasks.recording();
  if (records || !is_submitted_as_one(s, call, known)) submit_as_several(s, call, known);
}

}  // namespace plait
