// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
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
  explicit owned_call(const task_call& call)
      : run_(call.run), argument_(call.argument), release_(call.release) {
    if (call.argument_bytes == 0) return;
    copy_ = std::make_unique<std::byte[]>(call.argument_bytes);  // aligned to 16
    std::memcpy(copy_.get(), call.argument, call.argument_bytes);
    argument_ = copy_.get();
  }
  owned_call(owned_call&& other) noexcept
      : run_(other.run_),
        argument_(other.argument_),
        release_(std::exchange(other.release_, nullptr)),
        copy_(std::move(other.copy_)) {}
  owned_call& operator=(owned_call&&) = delete;
  ~owned_call() {
    if (release_ != nullptr) release_(argument_);
  }
  void operator()() const { run_(argument_); }

 private:
  void (*run_)(void*);
  void* argument_;
  void (*release_)(void*);
  std::unique_ptr<std::byte[]> copy_;
};
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16);

/// A function of C with a copy of its small argument, in the storage of a node.
struct copied_call {
  void (*run)(void*);
  alignas(16) std::byte argument[task_call::small_argument_bytes];
};
static_assert(sizeof(copied_call) <= detail::task_node::storage_bytes);
static_assert(std::is_trivially_destructible_v<copied_call>);

void act_on_copy(detail::task_node& node, detail::node_action action) {
  if (action != detail::node_action::run && action != detail::node_action::run_again) return;
  auto& stored = *std::launder(reinterpret_cast<copied_call*>(node.storage));
  stored.run(stored.argument);
}

/// Fills a node by hand: a copy through the templates would move all of the storage several times.
[[nodiscard]] detail::task_node& make_copied(scheduler& tasks, const task_call& call) {
  detail::task_node& node = tasks.allocate(call.name, detail::node_kind::compute);
  auto* const stored = ::new (static_cast<void*>(node.storage)) copied_call;
  stored->run = call.run;
  if (call.argument_bytes > 0) std::memcpy(stored->argument, call.argument, call.argument_bytes);
  node.act = &act_on_copy;
  return node;
}

/// Says of a task what its call says, and has it submitted.
template <class Submission>
void finish(Submission&& submitted, const task_call& call) {
  for (const data_access& one : call.accesses) submitted.also(one);
  if (call.blocks_in_mpi) submitted.target(comm);
  if (call.where != nullptr) {
    submitted.target(*call.where);
  } else if (call.for_anyone) {
    submitted.target(anyone);
  }
  if (call.urgency.has_value()) submitted.priority(*call.urgency);
}

[[gnu::noinline]] void submit_box(begun_message& message, const strided_bytes& box,
                                  const communicator& among) {
  if (const auto bytes = in_one_piece(box)) return submit_message(message, *bytes, among);
  scheduler& tasks = message.home->tasks;
  expect_may_communicate(*message.home, message.node_name, message, among);
  if (is_no_rank(message.peer)) return;
  const packed_box packed(box);
  const bool send = message.what == operation::kind::send;
  message.keeps = packed.memory();
  submit_message(message, packed.bytes(), among, send ? &packed : nullptr);
  if (!send) packed.submit_unpacking(tasks, message.node_name);
}

[[gnu::noinline]] void expect_in_place(const begun_message& message, const detail::container& all,
                                       const communicator& among) {
  if (among.is_lane() || is_no_rank(message.peer)) return;
  message.home->tasks.expect_in_place([&] { return label_of(message.node_name, message); }, all);
}

/// A message whose length is fixed when it starts.
[[gnu::noinline]] void submit_counted(operation op, runtime_state& s, const message_call& call,
                                      const communicator& among) {
  if (!call.memory.is_range() || call.element_bytes == 0) {
    throw usage_error(label_of(call.name, op) +
                      ": a message with a count takes elements of a range");
  }
  const byte_range bytes = call.memory.hull();
  const bool send = call.what == operation::kind::send;
  op.varies = true;
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
  const data_access accesses[] = {{call.memory, mode},
                                  {strided_bytes::of(detail::bytes_of(call.count, 1)), mode}};
  auto owned = std::make_unique<operation_belongings>();
  owned->length = {call.count, call.element_bytes, op.size_bytes};
  submit_operation(s, call.name, op, accesses, among, std::move(owned));
}

}  // namespace

void submitter::task(const task_call& call) {
  const auto refuse = [&call](const char* why) {
    throw usage_error(std::string("task '") + call.name.c_str() + "': " + why);
  };
  const auto expect_valid = [&] {
    if (call.run == nullptr) refuse("it has no function");
    for (const data_access& one : call.accesses) {
      if (one.mode == access_mode::reduce) {
        refuse("a reduction needs its type; name the access commutative, or call a collective");
      }
    }
    if (call.ended != nullptr && !state_.tasks.in_task() && state_.tasks.recording())
      refuse("it is being recorded and will run many times: nobody can wait for its one end");
  };
  const bool small = call.argument_bytes > 0 && call.release == nullptr && call.ended == nullptr &&
                     call.argument_bytes <= task_call::small_argument_bytes;
  if (small) {
    expect_valid();
    return finish(submission<copied_call>(state_.tasks, make_copied(state_.tasks, call)), call);
  }
  owned_call owned(call);
  expect_valid();
  auto submitted = state_.tasks.task(call.name, std::move(owned));
  finish(submitted, call);
  if (call.ended != nullptr) *call.ended = submitted.result();
}

void submitter::wait_on(std::span<const strided_bytes> memory) {
  state_.tasks.wait_for(memory);
}

void submitter::begin_record() {
  state_.tasks.begin_record();
}

std::optional<graph> submitter::end_record(bool keep) {
  return state_.tasks.end_record(keep);
}

bool submitter::in_program() const noexcept {
  return state_.tasks.in_program();
}

bool submitter::in_task() const noexcept {
  return state_.tasks.in_task();
}

bool submitter::recording() const noexcept {
  return state_.tasks.recording();
}

void submitter::message(const message_call& call, const communicator& among) {
  PLAIT_EXPECTS(call.what == operation::kind::send || call.what == operation::kind::receive,
                "a message is sent or received");
  static constexpr operation blank{};  // to copy all of it takes half as long as to clear it
  begun_message message(state_, call.name, blank);
  message.what = call.what;
  message.peer = call.peer;
  message.tag = call.tag;
  if (call.elements_of.object != nullptr) expect_in_place(message, call.elements_of, among);
  if (call.count != nullptr) return submit_counted(message, state_, call, among);
  if (!call.memory.is_range()) return submit_box(message, call.memory, among);
  submit_message(message, {call.memory.begin, call.memory.begin + call.memory.row_bytes}, among);
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
