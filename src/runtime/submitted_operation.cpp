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
  using kind = operation::kind;
  if (what == kind::collective) return detail::traffic::both;
  const bool comes = what == kind::receive || what == kind::get || what == kind::await_signal;
  return comes ? detail::traffic::receives : detail::traffic::sends;
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
  const std::string place =
      node.recorded != nullptr ? "iteration " + std::to_string(iteration_of(node) + 1) : "";
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

void start(submitted_operation& op) {
  runtime_state& home = *op.home;
  auto became = engine::at_once::later;
  if (op.varies) set_length(op);
  if ((op.is_plain || may_start_at_once(op)) && !home.record.has_value())
    became = home.messages.start_at_once(op);
  if (became == engine::at_once::over) home.tasks.complete(*op.node);
  if (became == engine::at_once::later) home.messages.post(op);
}

void act(detail::task_node& self, detail::node_action action) {
  submitted_operation& op = operation_of(self);
  switch (action) {
    case detail::node_action::run_again:
      op.sequence += op.stride;
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

/// Makes `node` that of the operation.
submitted_operation& put_into(detail::task_node& node, const submitted_operation& op,
                              std::unique_ptr<operation_belongings> owned) {
  node.exchanges = traffic_of(op.what);
  node.trivial = owned == nullptr;  // and `again` is: what is recorded is destroyed all the same
  if (owned != nullptr) node.owned = std::move(owned);  // else it has none
  auto* const stored = ::new (static_cast<void*>(node.storage)) submitted_operation(op);
  stored->node = &node;
  node.act = &act;
  return *stored;
}

[[nodiscard]] std::unique_ptr<operation_belongings> owner_of(std::shared_ptr<const void> memory) {
  if (memory == nullptr) return nullptr;
  auto owned = std::make_unique<operation_belongings>();
  owned->memory = std::move(memory);
  return owned;
}

[[nodiscard]] access_mode mode_of(const operation& message) noexcept {
  return message.what == operation::kind::send ? access_mode::in : access_mode::out;
}

[[nodiscard]] byte_range bytes_of(const operation& message) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(message.buffer);
  return {begin, begin + message.size_bytes};
}

/// Gives a message that is under way its node, which goes on for it.
operation& give_node(operation& op) noexcept {
  auto& begun = static_cast<begun_message&>(op);
  auto owned = owner_of(std::move(begun.keeps));
  return put_into(begun.home->tasks.node_of_begun(begun.node_name, bytes_of(op), mode_of(op)),
                  begun, std::move(owned));
}

[[gnu::noinline]] void submit_with_node(begun_message& message, const communicator& among,
                                        const packed_box* packs) {
  const data_access bytes{strided_bytes::of(bytes_of(message)), mode_of(message)};
  submit_operation(*message.home, message.node_name, message, {&bytes, 1}, among,
                   owner_of(std::move(message.keeps)), packs);
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
  if (op.via == nullptr) enqueue(s, name, op, among);
  if (packs != nullptr) packs->submit_packing(s.tasks, name);
  detail::task_node& node = s.tasks.allocate(name, detail::node_kind::asynchronous);
  put_into(node, {op, &s}, std::move(owned));
  for (const data_access& one : accesses) s.tasks.add_box(node, one.memory, one.mode);
  s.tasks.submit(node);
}

void submit_message(begun_message& message, byte_range bytes, const communicator& among,
                    const packed_box* packs) {
  runtime_state& s = *message.home;
  if (is_no_rank(message.peer)) return expect_may_communicate(s, message.node_name, message, among);
  message.buffer = reinterpret_cast<void*>(bytes.begin);
  message.size_bytes = bytes.end - bytes.begin;
  message.is_plain = !message.sparse;
  if (message.name == nullptr) message.name = message.node_name.c_str();
  message.completed = &completed;
  const auto starts = [&] {
    try {
      return s.messages.enqueue_and_start(message, among, &give_node) != engine::at_once::later;
    } catch (...) {
      if (message.via == nullptr) throw;
      s.tasks.fail(std::current_exception());
      return true;
    }
  };
  if (!message.is_plain || packs != nullptr || among.is_lane() ||
      !s.tasks.start_without_node(bytes, starts, mode_of(message)))
    submit_with_node(message, among, packs);
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

const char* name_of(const operation& op) noexcept {
  const bool has_node = op.completed == &completed;
  return has_node ? static_cast<const submitted_operation&>(op).node->name : op.name;
}

}  // namespace plait
