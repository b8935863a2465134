// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/submitted_operation.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>

#include "runtime/collectives/collective_agreement.hpp"
#include "runtime/collectives/short_call.hpp"
#include "runtime/packed_box.hpp"
#include "runtime/runtime_state.hpp"

namespace plait {
namespace {

/// An operation, in the storage of its node.
struct submitted_operation : operation {
  runtime_state* home = nullptr;
  detail::task_node* node = nullptr;
};
static_assert(sizeof(submitted_operation) <= detail::task_node::storage_bytes);
static_assert(std::is_trivially_destructible_v<submitted_operation>);

[[nodiscard]] submitted_operation& operation_of(detail::task_node& node) noexcept {
  return *std::launder(reinterpret_cast<submitted_operation*>(node.storage));
}
/// Null where the operation owns nothing.  Nodes of operations own nothing else.
[[nodiscard]] const operation_belongings* belongings_of(const detail::task_node& node) noexcept {
  return static_cast<const operation_belongings*>(node.owned.get());
}

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
[[nodiscard]] std::optional<message_side> side_of(const submitted_operation& op,
                                                  std::uint64_t task_id) noexcept {
  using kind = operation::kind;
  if (op.what == kind::collective) return std::nullopt;
  constexpr int one_sided_tag = -1;
  const bool sent = op.what != kind::receive && op.what != kind::await_signal;
  const engine::matching among = engine::matching_of(op);
  message_side side{sent, among.peer, op.tag, op.sequence, op.size_bytes, among.communicator};
  if (op.remote != nullptr && op.via != nullptr) {
    side.tag = belongings_of(*op.node)->window->trace_tag(op.tag);
  } else if (op.remote != nullptr) {
    side.tag = one_sided_tag;
    side.place = task_id;
  }
  return side;
}

[[nodiscard]] recorder::noted_side noted(const submitted_operation& op,
                                         std::uint64_t task_id) noexcept {
  recorder::noted_side all{side_of(op, task_id), engine::matching_of(op).name, op.what, {}};
  const bool of_collective = op.of == operation::origin::collective ||
                             op.of == operation::origin::agreement ||
                             op.what == operation::kind::collective;
  if (of_collective) all.called = op.called;
  return all;
}

/// The failure of a message, with the iteration of a replay.  What is not plait's own, thrown by an
/// operation that combines elements, stays as it is.
[[nodiscard]] std::exception_ptr with_place(const std::exception_ptr& failure,
                                            const detail::task_node& node) noexcept {
  std::string place;
  if (node.recorded != nullptr) {
    place = "iteration " + std::to_string(iteration_of(node) + 1);
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
[[nodiscard]] bool is_put_off(const submitted_operation& op,
                              const std::exception_ptr& failure) noexcept {
  const detail::task_node& node = *op.node;
  const operation_belongings* const owned = belongings_of(node);
  if (owned == nullptr || owned->agreement == nullptr) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const error&) {
    return owned->agreement->put_off(failure, iteration_of(node));
  } catch (...) {
    return false;
  }
}

/// Fixes the length of a message that is about to start.  Errors: usage_error for a count beyond
/// the buffer.
void set_length(submitted_operation& op) {
  const message_length& length = *belongings_of(*op.node)->length;
  op.size_bytes = length.largest_bytes;
  if (op.what != operation::kind::send) return;
  scheduler::pause_checks(true);  // this message has declared it; the task that runs may not have
  const std::size_t count = *length.count;
  scheduler::pause_checks(false);
  if (count > length.largest_bytes / length.element_bytes) {
    throw usage_error(std::string("send '") + op.node->name + "' to rank " +
                      std::to_string(op.peer) + ", tag " + std::to_string(op.tag) +
                      ": its count says " + std::to_string(count) + " elements, its buffer has " +
                      std::to_string(length.largest_bytes / length.element_bytes));
  }
  op.size_bytes = count * length.element_bytes;
}

/// Tells the program how many elements came; null, or why that cannot be said.
[[nodiscard]] std::exception_ptr tell_length(const submitted_operation& op) noexcept {
  const message_length& length = *belongings_of(*op.node)->length;
  if (op.size_bytes % length.element_bytes != 0) {
    return std::make_exception_ptr(error(std::string("receive '") + op.node->name + "' from rank " +
                                         std::to_string(op.peer) + ", tag " +
                                         std::to_string(op.tag) + ": the message sent has " +
                                         std::to_string(op.size_bytes) + " bytes, an element has " +
                                         std::to_string(length.element_bytes)));
  }
  *length.count = op.size_bytes / length.element_bytes;
  return nullptr;
}

/// The end of an operation of which something is to be told.
[[gnu::noinline]] void tell_end(submitted_operation& op, std::exception_ptr failure) noexcept {
  runtime_state& home = *op.home;
  // One that was given up has brought nothing.
  if (op.varies && op.what == operation::kind::receive && failure == nullptr &&
      !home.messages.cancelled())
    failure = tell_length(op);
  if (failure != nullptr && !is_put_off(op, failure))
    home.tasks.fail(with_place(failure, *op.node));
  if (home.record.has_value() && !is_left_out(op)) {
    const std::uint64_t id = op.node->id.load(std::memory_order_relaxed);
    home.record->message_done(op.node->name, id, noted(op, id), op.posted_at, now_ticks());
  }
}

void completed(operation& self, const std::exception_ptr& why_not) noexcept {
  auto& op = static_cast<submitted_operation&>(self);
  runtime_state& home = *op.home;
  if (why_not != nullptr || op.varies || home.record.has_value()) [[unlikely]]
    tell_end(op, why_not);
  home.tasks.complete(*op.node);
}

/// Returns whether the message may start at once, which is about to start.
[[nodiscard, gnu::noinline]] bool starts_at_once(submitted_operation& op) {
  if (op.varies) set_length(op);
  return may_start_at_once(op) && op.begins != operation::beginning::under_way;
}

void start(submitted_operation& op) {
  runtime_state& home = *op.home;
  auto became = engine::at_once::later;
  if ((op.begins == operation::beginning::plain || starts_at_once(op)) && !home.record.has_value())
    became = home.messages.start_at_once(op, true);
  if (became == engine::at_once::over) home.tasks.complete(*op.node);
  if (became == engine::at_once::later) home.messages.post(op);
}

void act(detail::task_node& self, detail::node_action action) {
  submitted_operation& op = operation_of(self);
  switch (action) {
    case detail::node_action::run_again:
      engine::next_iteration(op);
      [[fallthrough]];
    case detail::node_action::run:
      start(op);
      break;
    case detail::node_action::disown:
      break;
    case detail::node_action::destroy:
      engine::detach(op);
      self.owned.reset();
      break;
  }
}

/// Returns whether a send that has no node is over; why it cannot start is thrown by `wait`.
[[nodiscard]] bool starts(runtime_state& s, operation& send) try {
  return s.messages.start_at_once(send, false) == engine::at_once::over;
} catch (...) {
  s.tasks.fail(std::current_exception());
  return true;
}

/// Gives `op` its place in the order of matching.  First of all: this checks peer and tag.
void enqueue(runtime_state& s, task_name name, operation& op, const communicator& among) {
  const bool once = s.tasks.submits_once();
  if (!once || among.is_lane() || s.messages.cancelled())
    expect_may_communicate(s, name, op, among);
  if (op.name == nullptr) op.name = name.c_str();
  op.completed = &completed;
  const bool recorded =
      !once && !among.is_lane() && s.tasks.recording();  // a task of a graph runs anew
  recorded ? s.messages.attach(op, among) : s.messages.enqueue(op, among);
}

/// Submits `op`, which has its place, as a node; `declare` adds the accesses.
template <class Declare>
void submit_as_node(runtime_state& s, task_name name, const operation& op,
                    std::unique_ptr<operation_belongings> owned, const packed_box* packs,
                    const Declare& declare) {
  if (packs != nullptr) packs->submit_packing(s.tasks, name);

  detail::task_node& node = s.tasks.allocate(name, detail::node_kind::asynchronous);
  node.exchanges = traffic_of(op.what);
  node.trivial = owned == nullptr;  // and `again` is: what is recorded is destroyed all the same
  node.owned = std::move(owned);
  ::new (static_cast<void*>(node.storage)) submitted_operation{{op}, &s, &node};
  node.act = &act;
  declare(node);
  s.tasks.submit(node);
}

}  // namespace

std::string label_of(task_name name, const operation& op) {
  return std::string(word_of(op)) + " '" + name.c_str() + "'";
}

void expect_may_communicate(runtime_state& s, task_name name, const operation& op,
                            const communicator& among) {
  const auto refuse = [&](const std::string& why) {
    throw usage_error(label_of(name, op) + ": " + why);
  };
  const bool in_task = s.tasks.in_task();
  if (among.is_lane()) {
    if (!in_task) {
      refuse("lane '" + among.name() + "': its messages are submitted by tasks that name it, " +
             "inout(lane)");
    }
    // The first failure is what `wait` throws: this only ends the task.
    if (s.messages.cancelled()) throw error("communication was given up when a task failed");
    return;
  }
  if (in_task) refuse(no_messages_in_tasks);
  s.expect_communication();
}

void submit_operation(runtime_state& s, task_name name, operation op,
                      std::span<const data_access> accesses, const communicator& among,
                      std::unique_ptr<operation_belongings> owned, const packed_box* packs) {
  if (owned != nullptr) {
    op.remote = owned->remote.has_value() ? &*owned->remote : nullptr;
    op.call = owned->call.get();
  }
  enqueue(s, name, op, among);
  submit_as_node(s, name, op, std::move(owned), packs, [&](detail::task_node& node) {
    for (const data_access& one : accesses) s.tasks.add_box(node, one.memory, one.mode);
  });
}

void submit_message(runtime_state& s, task_name name, operation& message, byte_range bytes,
                    const communicator& among, std::shared_ptr<const void> keeps,
                    const packed_box* packs) {
  if (is_no_rank(message.peer)) return expect_may_communicate(s, name, message, among);
  const bool send = message.what == operation::kind::send;
  message.buffer = reinterpret_cast<void*>(bytes.begin);
  message.size_bytes = bytes.end - bytes.begin;
  bool has_place = false;
  const auto begins = [&] {
    if (message.name == nullptr) message.name = name.c_str();
    message.completed = &completed;
    s.messages.enqueue(message, among);
    has_place = true;
    return starts(s, message);
  };
  const bool may_be_over = send && packs == nullptr && !message.sparse && is_small(message) &&
                           !among.is_lane() && !s.messages.cancelled();
  if (may_be_over && s.tasks.start_without_node(bytes, begins)) return;
  if (!has_place) enqueue(s, name, message, among);
  if (!has_place && !message.sparse) message.begins = operation::beginning::plain;
  std::unique_ptr<operation_belongings> owned;
  if (keeps != nullptr) {
    owned = std::make_unique<operation_belongings>();
    owned->memory = std::move(keeps);
  }
  submit_as_node(s, name, message, std::move(owned), packs, [&](detail::task_node& node) {
    s.tasks.add_access(node, bytes, send ? access_mode::in : access_mode::out);
  });
}

std::vector<operation*> operations_of(const graph& recorded) {
  std::vector<operation*> all;
  recorded.for_each_message([&](detail::task_node& node) {
    all.push_back(&operation_of(node));
    const operation_belongings* const owned = belongings_of(node);
    if (owned != nullptr && owned->window != nullptr && owned->window->has_ended()) {
      throw usage_error(std::string("replay: the window of '") + node.name + "' has ended");
    }
  });
  return all;
}

const operation& operation_in(const detail::task_node& node) noexcept {
  if (const operation* const call = short_call::shown(node)) return *call;
  return *std::launder(reinterpret_cast<const submitted_operation*>(node.storage));
}

/// One that was started at once and has no node yet is the engine's.
const char* name_of(const operation& op) noexcept {
  const bool has_node = op.completed == &completed;
  return has_node ? static_cast<const submitted_operation&>(op).node->name : op.name;
}

}  // namespace plait
