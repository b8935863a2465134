// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/core/fair_share.hpp>
#include <plait/runtime/runtime.hpp>

#include "runtime/algorithm_choice.hpp"
#include "runtime/collective_agreement.hpp"
#include "runtime/collective_checks.hpp"
#include "runtime/end_of_run.hpp"
#include "runtime/packed_box.hpp"
#include "runtime/recorder.hpp"
#include "runtime/runtime_implementation.hpp"
#include "runtime/stall_report.hpp"
#include "runtime/task_suspender.hpp"

namespace plait {
namespace {

/// While a task is checked nobody else may touch its data.
[[nodiscard]] runtime_options settled(runtime_options options) {
  options.checked = scheduler::checks_accesses(options.checked);
  if (options.checked) {
    if (options.workers > 0) options.workers = 1;
    options.policy = progress::none;
  }
  return options;
}

[[nodiscard]] int workers_for(const environment& env, int wanted) {
  return wanted != 0 ? wanted : fair_share(env.node_units(), env.node_rank());
}

}  // namespace

namespace {

/// What a message, or an operation on a window, keeps in its node.
struct message_state {
  operation op;
  const message_home* home = nullptr;
  detail::task_node* node = nullptr;
};

[[nodiscard]] message_state& state_of(detail::task_node& node) noexcept {
  return *std::launder(reinterpret_cast<message_state*>(node.storage));
}
[[nodiscard]] const operation& message_in(const detail::task_node& node) noexcept {
  return std::launder(reinterpret_cast<const message_state*>(node.storage))->op;
}
[[nodiscard]] std::string name_of(const operation& op) {
  return reinterpret_cast<const message_state&>(op).node->name;  // its first member
}
/// What an operation on a window has beyond that.
struct kept_remote : remote_part {
  kept_remote(const remote_part& part, std::shared_ptr<exposed_memory> memory)
      : remote_part(part), kept(std::move(memory)) {}
  std::shared_ptr<exposed_memory> kept;
};
/// Of an operation of a task, if it has a remote part.
[[nodiscard]] const exposed_memory& window_of(const operation& op) noexcept {
  return *static_cast<const kept_remote*>(op.remote)->kept;
}
/// The memory of a message that is nobody's but the message's; of a collective of the MPI library
/// its `collective_agreement`.
using kept_memory = std::shared_ptr<const void>;
static_assert(sizeof(message_state) <= detail::task_node::storage_bytes);
static_assert(std::is_standard_layout_v<operation>);

[[nodiscard]] detail::traffic traffic_of(operation::kind what) noexcept {
  switch (what) {
    case operation::kind::send:
    case operation::kind::put:
    case operation::kind::landing:
      return detail::traffic::sends;
    case operation::kind::receive:
    case operation::kind::get:
    case operation::kind::await_signal:
      return detail::traffic::receives;
    case operation::kind::collective:
      break;
  }
  return detail::traffic::both;
}

/// A signal and the wait for it are a message with a tag of its own.  Nothing is on the other side
/// of a put or a get, nor of a collective of the MPI library's.
[[nodiscard]] std::optional<message_side> side_of(const operation& op,
                                                  std::uint64_t task_id) noexcept {
  using kind = operation::kind;
  if (op.what == kind::collective) return std::nullopt;
  constexpr int one_sided_tag = -1;
  const bool sent = op.what != kind::receive && op.what != kind::await_signal;
  const engine::matching among = engine::matching_of(op);
  message_side side{sent, among.peer, op.tag, op.sequence, op.size_bytes, among.communicator};
  if (op.remote != nullptr && op.via != nullptr) {
    side.tag = window_of(op).trace_tag(op.tag);
  } else if (op.remote != nullptr) {
    side.tag = one_sided_tag;
    side.place = task_id;
  }
  return side;
}

/// The failure of a message, with the iteration of a replay.  What is not plait's own, thrown by an
/// operation that combines elements, stays as it is.
[[nodiscard]] std::exception_ptr with_place(const std::exception_ptr& failure,
                                            const detail::task_node& node) noexcept {
  std::string place;
  if (node.recorded != nullptr) {
    place =
        "iteration " + std::to_string(node.recorded->iteration.load(std::memory_order_relaxed) + 1);
  }
  try {
    std::rethrow_exception(failure);
  } catch (const usage_error& e) {
    return place.empty() ? failure : std::make_exception_ptr(usage_error(place + ": " + e.what()));
  } catch (const error& e) {
    return place.empty() ? failure : std::make_exception_ptr(error(place + ": " + e.what()));
  } catch (...) {
    note_origin(failure, std::string("'") + node.name + "'" + (place.empty() ? "" : ", " + place));
    return failure;
  }
}

/// A library whose ranks name different sizes does not say both, and MPICH calls it some other
/// error; the agreement beside the call says both, or passes the failure on.
[[nodiscard]] bool is_put_off(const operation& op, const detail::task_node& node,
                              const std::exception_ptr& failure) noexcept {
  if (op.what != operation::kind::collective || node.heap == nullptr) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const error&) {
    const auto iteration =
        node.recorded != nullptr ? node.recorded->iteration.load(std::memory_order_relaxed) : 0;
    const kept_memory& kept = *static_cast<const kept_memory*>(node.heap);
    return static_cast<const collective_agreement*>(kept.get())->put_off(failure, iteration);
  } catch (...) {
    return false;
  }
}

void message_completed(operation& op, const std::exception_ptr& failure) noexcept {
  auto& state = reinterpret_cast<message_state&>(op);  // its first member
  const message_home& home = *state.home;
  if (failure != nullptr && !is_put_off(op, *state.node, failure))
    home.tasks->fail(with_place(failure, *state.node));
  if (home.record->has_value()) {
    const std::uint64_t id = state.node->id.load(std::memory_order_relaxed);
    (*home.record)
        ->message_done(state.node->name, id, side_of(op, id), engine::matching_of(op).name,
                       op.posted_at, now_ticks());
  }
  home.tasks->complete(*state.node);
}

}  // namespace

void runtime::implementation::report(const stall& found) {
  const std::string text = stall_report(found, messages.survey(&name_of), &message_in);
  if (stall_sink != nullptr) {
    stall_sink(text);
  } else {
    std::fputs(text.c_str(), stderr);  // in one piece: other ranks write too
  }
  if (!stall_aborts) return;
  constexpr double for_other_ranks_s = 1;  // they stand still too, and have something to say
  std::this_thread::sleep_for(
      std::chrono::duration<double>(std::min(for_other_ranks_s, found.quiet_s)));
  env.abort("nothing moves, and stall_aborts is set");
}

runtime::runtime(environment& env, const runtime_options& options)
    : self_(std::make_unique<implementation>(env, settled(options),
                                             workers_for(env, settled(options).workers))) {
  self_->begin_keeping();
}

runtime::~runtime() {
  self_->tasks.close();
  self_->suspender.reset();
  // A thread that has just completed the last message may still be in the scheduler's call; it
  // holds the token until it is out.
  { mpi_token_guard last_callback_is_over(self_->env.token()); }
  self_->keep_ledger();
  self_->keep_events();
}

void runtime::submit_message(task_name name, operation message, byte_range bytes,
                             const communicator& among, std::shared_ptr<const void> keeps,
                             const packed_box* packs) {
  if (is_no_rank(message.peer)) return expect_may_communicate(name, message);
  const bool send = message.what == operation::kind::send;
  message.buffer = reinterpret_cast<void*>(bytes.begin);
  message.size_bytes = bytes.end - bytes.begin;
  const detail::data_access access{strided_bytes::of(bytes),
                                   send ? access_mode::in : access_mode::out};
  submit_operation(name, message, {&access, 1}, {}, among, std::move(keeps), packs);
}

void runtime::expect_may_communicate(task_name name, const operation& op) {
  if (self_->tasks.in_task()) {
    const char* const word = op.what == operation::kind::send ? "send '" : "receive '";
    throw usage_error((op.remote != nullptr ? "" : word + std::string(name.c_str()) + "': ") +
                      no_messages_in_tasks);
  }
  self_->expect_communication();
}

void runtime::submit_operation(task_name name, operation op,
                               std::span<const detail::data_access> accesses,
                               const std::shared_ptr<exposed_memory>& home,
                               const communicator& among, std::shared_ptr<const void> keeps,
                               const packed_box* packs) {
  implementation& s = *self_;
  expect_may_communicate(name, op);
  std::unique_ptr<kept_remote> remote;
  if (op.remote != nullptr) remote = std::make_unique<kept_remote>(*op.remote, home);
  op.remote = remote.get();
  auto kept = keeps != nullptr ? std::make_unique<kept_memory>(std::move(keeps)) : nullptr;
  if (op.name == nullptr) op.name = name.c_str();
  op.completed = &message_completed;
  // First: it checks peer and tag.
  s.tasks.recording() ? s.messages.attach(op, among) : s.messages.enqueue(op, among);
  if (packs != nullptr) packs->submit_packing(*this, name);

  detail::task_node& node = s.tasks.allocate(name, detail::node_kind::asynchronous);
  node.exchanges = traffic_of(op.what);
  (void)remote.release();  // the node's now
  node.heap = kept.release();
  ::new (static_cast<void*>(node.storage)) message_state{op, &s.home, &node};
  node.act = [](detail::task_node& self, detail::node_action action) {
    message_state& state = state_of(self);
    switch (action) {
      case detail::node_action::run_again:
        engine::next_iteration(state.op);
        [[fallthrough]];
      case detail::node_action::run:
        state.home->messages->post(state.op);
        break;
      case detail::node_action::destroy:
        engine::detach(state.op);
        delete state.op.call;
        delete static_cast<const kept_remote*>(state.op.remote);
        delete static_cast<kept_memory*>(self.heap);
        break;
    }
  };
  for (const detail::data_access& one : accesses) s.tasks.add_box(node, one.memory, one.mode);
  s.tasks.submit(node);
}

runtime& runtime::replay(graph& recorded, std::uint64_t iterations) {
  std::vector<operation*> messages;
  recorded.for_each_message([&](detail::task_node& node) {
    const operation& op = *messages.emplace_back(&state_of(node).op);
    if (op.remote != nullptr && window_of(op).has_ended()) {
      throw usage_error(std::string("replay: the window of '") + node.name + "' has ended");
    }
  });
  if (!messages.empty()) self_->expect_communication();
  tasks().replay(recorded, iterations,
                 [&] { self_->messages.enqueue_repeated(messages, iterations); });
  return *this;
}

void runtime::wait() {
  self_->tasks.wait();
}

void runtime::wait_for_all_ranks() {
  implementation& s = *self_;
  arrival all(s.env, s.messages);
  s.tasks.work_until([&] { return all.is_over() || s.tasks.failed(); });
  if (!all.is_over()) s.tasks.wait();  // gives it up, and rethrows the failure
  if (!all.was_given_up()) return;
  s.expect_communication();
  throw error("window: MPI failed while this rank waited for the others");
}

std::shared_ptr<exposed_memory> runtime::expose(void* begin, std::size_t size_bytes,
                                                const window_options& options) {
  implementation& s = *self_;
  if (s.tasks.in_task() || s.tasks.recording()) {
    throw usage_error(std::string("window: it is made by the program, not in a ") +
                      (s.tasks.recording() ? "recording" : "task"));
  }
  if (s.checked) {
    throw usage_error("window: not in checked mode, which closes memory that other ranks may read");
  }
  s.expect_communication();
  wait_for_all_ranks();
  return std::make_shared<exposed_memory>(s.env, s.messages, begin, size_bytes, options);
}

void runtime::end(exposed_memory& memory) {
  implementation& s = *self_;
  if (std::uncaught_exceptions() > 0 && !s.messages.cancelled()) {
    s.tasks.fail(std::make_exception_ptr(error("a window was left by an exception")));
    try {
      s.tasks.wait();  // gives up what is in flight
    } catch (...) {    // of a task: the other exception is what the program sees
    }
  }
  if (s.messages.cancelled()) {  // other ranks may never come
    memory.end(false);
    return;
  }
  try {
    s.tasks.wait();
    wait_for_all_ranks();
  } catch (...) {  // the next `wait` shall throw it, not a destructor
    s.tasks.fail(std::current_exception());
    memory.end(false);
    return;
  }
  memory.end(true);
}

void runtime::claim(const communicator& among) {
  self_->messages.claim(among);
}

bool runtime::compares_sizes() const noexcept {
  return self_->compares_sizes;
}

bool runtime::is_checked() const noexcept {
  return self_->checked;
}
scheduler& runtime::tasks() noexcept {
  return self_->tasks;
}
environment& runtime::env() noexcept {
  return self_->env;
}
std::size_t runtime::ranks_of(const communicator& among) const {
  const communicator all = among.is_made() ? among : self_->env.world();
  return static_cast<std::size_t>(std::max(all.size(), 1));  // who is no member is refused later
}
int runtime::workers() const noexcept {
  return self_->tasks.workers();
}
std::size_t runtime::peak_tasks() const noexcept {
  return self_->tasks.peak_tasks();
}
plait::ledger runtime::ledger() const {
  return self_->tasks.ledger();
}
void runtime::reset_ledger() {
  self_->keep_ledger();
  self_->tasks.reset_ledger();
}

const engine::choice& runtime::progress_choice() const noexcept {
  return self_->messages.chosen();
}
engine_statistics runtime::progress_statistics() const {
  return self_->messages.statistics();
}

const std::optional<model::parameters>& runtime::network() const noexcept {
  return self_->choice.network();
}
collective::algorithm runtime::choose(const collective::shape& shape, bool commutative) {
  return self_->choice.of(shape, commutative);
}

void runtime::start_trace() {
  self_->keep_events();
  self_->program_traces = true;
  self_->start_recording(nullptr);
}

std::vector<trace_event> runtime::stop_trace() {
  implementation& s = *self_;
  if (!s.program_traces) return {};
  auto events = s.record->events();
  s.keep_events();
  s.program_traces = false;
  s.stop_recording();
  if (s.kept != nullptr && s.kept->wants_events()) s.start_recording(&s.kept->budget());
  return events;
}

}  // namespace plait
