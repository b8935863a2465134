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

/// Has what `act` throws name the call.
void name_failures(const collective_call& call, const auto& act) try {
  act();
} catch (const usage_error& wrong) {
  refuse(call, wrong.what());
} catch (const error& failed) {
  throw error(label_of(call) + ": " + failed.what());
}

/// Has a recording know what a call's messages follow from, until the end of the scope.
class noted_call {
 public:
  noted_call(runtime_state& s, const collective_schedules::entry& known, bool compares)
      : tasks_(s.tasks) {
    program_recording* const recording = s.kept == nullptr ? nullptr : s.kept->recording();
    if (recording == nullptr) return;
    tasks_.group(recording->add(known.shape, known.how, compares));
    is_noted_ = true;
  }
  ~noted_call() {
    if (is_noted_) tasks_.group(0);
  }
  noted_call(const noted_call&) = delete;
  noted_call& operator=(const noted_call&) = delete;

 private:
  scheduler& tasks_;
  bool is_noted_ = false;
};

/// Submits the tasks and messages of one rank in a collective.  `messages`: what these have in
/// common.
void submit_steps(runtime_state& s, const collective_call& call,
                  const collective_schedules::entry& known, const operation& messages,
                  const communicator& among) {
  const noted_call noted(s, known, messages.of == operation::origin::agreement);
  const collective::schedule& steps = known.schedule;
  const auto scratch = steps.scratch_bytes > 0 ? make_scratch(steps.scratch_bytes) : nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(scratch.get());
  const byte_range all_scratch{begin, begin + steps.scratch_bytes};
  const schedule_memory buffers{call.send.begin, call.receive.begin, begin};
  const auto bytes = [&buffers](const collective::slice& one) { return buffers.of(one); };
  const auto submit = [&](operation::kind kind, int peer, const collective::slice& memory) {
    operation one = messages;
    one.what = kind;
    one.peer = peer;
    submit_message(s, call.name, one, bytes(memory), among,
                   memory.where == collective::buffer::scratch ? scratch : nullptr);
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
        submit(operation::kind::send, one.peer, one.from);
        break;
      case action::kind::receive:
        submit(operation::kind::receive, one.peer, one.to);
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
  if (is_barrier && scratch != nullptr) {
    s.tasks.task(
        call.name, [scratch](std::span<std::byte>, std::span<std::byte>) {},
        inout(writable(all_scratch)), inout(writable(call.receive)));
  }
}

/// Returns whether a call may be submitted as one task: nobody asks for its steps.
[[nodiscard]] bool may_be_one_task(const runtime_state& s) noexcept {
  return !s.tasks.recording() && !s.record.has_value() && !s.checked;
}

/// Returns whether messages beside this call tell sizes.  Most calls tell nothing.
[[nodiscard]] bool tells_sizes(runtime_state& s, const prepared_call& known) {
  const collective::shape& shape = known.shape;
  if (shape.ranks == 1 || shape.what == operation_kind::barrier ||
      s.agreed.sizes == size_comparison::none)
    return false;
  return known.telling.empty() || s.tasks.recording() || !s.messages.leave_out(known.telling);
}

/// Submits messages beside the call, by which ranks see that they name different sizes.  Returns
/// null where nobody is to be asked for the verdict.
std::shared_ptr<collective_agreement> submit_agreement(runtime_state& s,
                                                       const collective_call& call,
                                                       prepared_call& known,
                                                       const communicator& among) {
  const collective::shape& shape = known.shape;
  const auto range = [](std::span<std::uint64_t> words) {
    const auto begin = reinterpret_cast<std::uintptr_t>(words.data());
    return byte_range{begin, begin + words.size_bytes()};
  };
  collective_call telling{.name = "sizes", .shape = call.shape};
  operation message{
      .of = operation::origin::agreement, .called = shape.what, .name = call.name.c_str()};
  std::shared_ptr<collective_agreement> agreement;
  const auto make_agreement = [&] {
    agreement = std::make_shared<collective_agreement>(shape, known.how);
    telling.send = range(agreement->told());
    telling.receive = range(agreement->heard());
    message.sparse = agreement->may_be_sparse() && s.agreed.sizes != size_comparison::all;
  };
  if (known.has_short_agreement && may_be_one_task(s)) {
    short_call* const in_one = known.agreements.take([&] {
      make_agreement();
      return std::make_unique<short_call>(
          s, s.schedules.of(agreement->way(), agreement->how())->schedule, message,
          schedule_memory{telling.send.begin, telling.receive.begin}, agreement);
    });
    if (in_one != nullptr) {
      in_one->submit({.name = call.name}, among);
      return nullptr;
    }
  }
  make_agreement();
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
[[nodiscard]] std::optional<std::pair<byte_range, byte_range>> short_memory_of(
    const collective_call& call, const prepared_call& known) {
  const operation_kind called = known.shape.what;
  const bool is_of_vectors = called <= operation_kind::allreduce ||
                             called == operation_kind::scan || called == operation_kind::exscan;
  if (!is_of_vectors || known.steps == nullptr || prepared_call::has_boxes(call) ||
      !short_call::suits(known.steps->schedule))
    return std::nullopt;
  std::pair<byte_range, byte_range> memory;
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
  // The library may send from memory that it writes too, such as a ring's: its process must be able
  // to read that, which checked mode prevents.
  const bool by_library = call.options.back_end == collective::back_end::library && !s.checked;
  if (by_library) expect_library_can(s, call, shape);
  name_failures(call, [&] {
    if (!by_library) {
      made.steps = s.schedules.of(shape, call.options.algorithm, call.options.commutative);
      made.how = made.steps->how;
      if (!call.options.commutative && !keeps_order(shape.what, *made.how)) {
        throw usage_error(
            std::string(to_string(*made.how)) +
            " does not combine in the order of ranks; the operation is not commutative");
      }
    }
    s.messages.claim(all);  // before the first task that writes scratch memory
  });
  if (!by_library) {
    made.short_memory = short_memory_of(call, made);
    const collective_agreement like(shape, made.how);
    made.has_short_agreement = short_call::suits(s.schedules.of(like.way(), like.how())->schedule);
  }
  if (made.how.has_value() && s.agreed.sizes == size_comparison::some && shape.ranks > 1)
    made.telling = collective_agreement::channels_of(s.messages, shape, all);
  return known;
}

/// Submits a short call as one task.  Returns false where it is to be a task a step.  What is
/// called for the first time may be called only once: then it is not worth what one task prepares.
[[nodiscard]] bool is_submitted_as_one(runtime_state& s, const collective_call& call,
                                       prepared_call& known) {
  if (!known.is_repeated || !known.short_memory.has_value() || !may_be_one_task(s)) return false;
  s.expect_communication();
  short_call* const in_one = known.calls.take([&] {
    const operation message{.of = operation::origin::collective, .called = known.shape.what};
    return std::make_unique<short_call>(s, known.steps->schedule, message,
                                        schedule_memory{call.send.begin, call.receive.begin});
  });
  if (in_one == nullptr) return false;
  std::unique_lock together(s.messages, std::try_to_lock);
  if (tells_sizes(s, known)) {
    if (together.owns_lock()) together.unlock();
    submit_agreement(s, call, known, call.options.among);
  }
  const auto& [reads, writes] = *known.short_memory;
  in_one->submit({call.name, call.combine, reads, writes}, call.options.among, std::move(together));
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

/// Not to be inlined: a call that is one task has no use for what this needs.
[[gnu::noinline]] void submit_as_steps(runtime_state& s, const collective_call& call,
                                       prepared_call& known) {
  const communicator& among = call.options.among;
  const packed_call packed(call, known.shape);
  packed.submit_packing(s.tasks);
  std::shared_ptr<collective_agreement> agreement;
  if (tells_sizes(s, known)) agreement = submit_agreement(s, packed.call(), known, among);
  if (known.how.has_value()) {
    const operation message{.of = operation::origin::collective, .called = known.shape.what};
    submit_steps(s, packed.call(), *known.steps, message, among);
  } else {
    submit_to_library(s, packed.call(), known.shape, std::move(agreement));
  }
  packed.submit_unpacking(s.tasks);
  s.tasks.expect_in_place([&call] { return label_of(call); }, call.send_elements_of);
  s.tasks.expect_in_place([&call] { return label_of(call); }, call.receive_elements_of);
}

}  // namespace

void submitter::collective(const collective_call& call) {
  runtime_state& s = state_;
  if (s.tasks.in_task()) refuse(call, no_messages_in_tasks);
  prepared_call& known = s.calls.of(call, [&] { return prepare(s, call); });
  if (!is_submitted_as_one(s, call, known)) submit_as_steps(s, call, known);
}

}  // namespace plait
