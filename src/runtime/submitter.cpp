// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/runtime/submitter.hpp>

#include "runtime/packed_box.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/submitted_operation.hpp"

namespace plait {
namespace {

/// A function of C with its argument, which it owns.
class owned_call {
 public:
  explicit owned_call(const task_call& call) noexcept
      : run_(call.run), argument_(call.argument), release_(call.release) {}
  owned_call(owned_call&& other) noexcept
      : run_(other.run_),
        argument_(other.argument_),
        release_(std::exchange(other.release_, nullptr)) {}
  owned_call& operator=(owned_call&&) = delete;
  ~owned_call() {
    if (release_ != nullptr) release_(argument_);
  }
  void operator()() const { run_(argument_); }

 private:
  void (*run_)(void*);
  void* argument_;
  void (*release_)(void*);
};

void submit_box(runtime_state& s, task_name name, const operation& message,
                const strided_bytes& box, const communicator& among) {
  if (const auto bytes = in_one_piece(box)) return submit_message(s, name, message, *bytes, among);
  expect_may_communicate(s, name, message, among);
  if (is_no_rank(message.peer)) return;
  const packed_box packed(box);
  const bool send = message.what == operation::kind::send;
  submit_message(s, name, message, packed.bytes(), among, packed.memory(),
                 send ? &packed : nullptr);
  if (!send) packed.submit_unpacking(s.tasks, name);
}

/// A message whose length is fixed when it starts.
void submit_counted(runtime_state& s, const message_call& call, const communicator& among) {
  PLAIT_EXPECTS(call.memory.is_range() && call.element_bytes > 0,
                "a message with a count takes elements of a range");
  const byte_range bytes = call.memory.hull();
  const auto count_at = reinterpret_cast<std::uintptr_t>(call.count);
  const byte_range count_bytes{count_at, count_at + sizeof *call.count};
  const bool send = call.what == operation::kind::send;
  operation op{.what = call.what, .varies = true, .peer = call.peer, .tag = call.tag};
  if (is_no_rank(call.peer)) {
    expect_may_communicate(s, call.name, op, among);
    if (send) return;
    s.tasks.task(
        call.name, [](std::size_t& count) { count = 0; }, out(*call.count));
    return;
  }
  op.buffer = reinterpret_cast<void*>(bytes.begin);
  op.size_bytes = bytes.end - bytes.begin;
  const access_mode mode = send ? access_mode::in : access_mode::out;
  const data_access accesses[] = {{call.memory, mode}, {strided_bytes::of(count_bytes), mode}};
  auto owned = std::make_unique<operation_belongings>();
  owned->length = {call.count, call.element_bytes, op.size_bytes};
  submit_operation(s, call.name, op, accesses, among, std::move(owned));
}

}  // namespace

void submitter::task(const task_call& call) {
  owned_call owned(call);
  const auto refuse = [&call](const char* why) {
    throw usage_error(std::string("task '") + call.name.c_str() + "': " + why);
  };
  if (call.run == nullptr) refuse("it has no function");
  for (const data_access& one : call.accesses) {
    if (one.mode == access_mode::reduce) {
      refuse("a reduction needs its type; name the access commutative, or call a collective");
    }
  }
  auto submitted = state_.tasks.task(call.name, std::move(owned));
  for (const data_access& one : call.accesses) submitted.also(one);
  if (call.blocks_in_mpi) submitted.target(comm);
  if (call.where != nullptr) {
    submitted.target(*call.where);
  } else if (call.for_anyone) {
    submitted.target(anyone);
  }
  if (call.urgency.has_value()) submitted.priority(*call.urgency);
}

void submitter::message(const message_call& call, const communicator& among) {
  PLAIT_EXPECTS(call.what == operation::kind::send || call.what == operation::kind::receive,
                "a message is sent or received");
  const operation message{.what = call.what, .peer = call.peer, .tag = call.tag};
  const auto named_by = [&] { return label_of(call.name, message); };
  if (!among.is_lane() && !is_no_rank(call.peer))
    state_.tasks.expect_in_place(named_by, call.elements_of);
  if (call.count != nullptr) return submit_counted(state_, call, among);
  if (call.memory.is_range()) {
    submit_message(state_, call.name, message, call.memory.hull(), among);
  } else {
    submit_box(state_, call.name, message, call.memory, among);
  }
}

void submitter::claim(const communicator& among) {
  if (state_.tasks.in_task() || state_.tasks.recording()) {
    throw usage_error("'" + among.name() + "' is made by the program, not in a task or recording");
  }
  state_.expect_communication();
  state_.messages.claim(among);
}

bool submitter::wait_while(const std::function<bool()>& go_on) {
  return state_.tasks.wait_while(go_on);
}

bool submitter::has_room() const noexcept {
  return state_.tasks.has_room();
}

std::size_t submitter::ranks_of(const communicator& among) const {
  const communicator all = among.is_made() ? among : state_.env.world();
  return static_cast<std::size_t>(std::max(all.size(), 1));  // who is no member is refused later
}

}  // namespace plait
