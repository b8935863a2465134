// SPDX-License-Identifier: BSD-3-Clause
/// Operations of the engine as nodes: messages, operations on windows, and collectives of the MPI
/// library.  Which calls become which operations: submitter.cpp and its neighbours.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <plait/comm/collective/library_call.hpp>
#include <plait/comm/communicator.hpp>
#include <plait/comm/exposed_memory.hpp>
#include <plait/comm/operation.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/graph.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

class collective_agreement;
class packed_box;
struct runtime_state;

/// Length of a message that is fixed when the message starts: its place, in elements, and its
/// limit.
struct message_length {
  std::size_t* count;
  std::size_t element_bytes;
  std::size_t largest_bytes;
};

/// Objects that a node's operation owns beyond the operation itself.
struct operation_belongings final : detail::node_belongings {
  /// Remote part and window, of an operation on a window.
  std::optional<remote_part> remote = {};
  std::shared_ptr<exposed_memory> window = {};
  /// Library call and agreement, of a collective.
  std::unique_ptr<collective::library_call> call = {};
  std::shared_ptr<collective_agreement> agreement = {};
  /// Keeps memory that is nobody's but the message's.
  std::shared_ptr<const void> memory = {};
  /// Length of an operation that `varies`.
  std::optional<message_length> length = {};
};

/// An operation, in the storage of its node.
struct submitted_operation : operation {
  runtime_state* home = nullptr;
  detail::task_node* node = nullptr;
};

/// A message to be submitted, which may start before it has a node.
struct begun_message : submitted_operation {
  begun_message(runtime_state& s, task_name named, const operation& like,
                std::shared_ptr<const void> keeps_ = {})
      : submitted_operation{like, &s}, node_name(named), keeps(std::move(keeps_)) {}
  task_name node_name;
  std::shared_ptr<const void> keeps;  ///< lives as long as the message
};

/// Why a message or a collective in a task is refused.
inline constexpr const char* no_messages_in_tasks =
    "a task submits no messages, whose order of matching would be that of the scheduling; it may "
    "call MPI, with plait::blocking_mpi, or submit them on a plait::lane";

/// Returns "send 'edge'", "put_signal 'edge'".
[[nodiscard]] std::string label_of(task_name name, const operation& op);

/// Errors: those of an operation that is submitted where none may be.
void expect_may_communicate(runtime_state& s, task_name name, const operation& op,
                            const communicator& among = {});

/// Submits `op` as a node with these accesses.  `owned`: what the operation needs as long as its
/// node lives, or null; `op.remote` and `op.call` are set to what is in there.  `packs`, if not
/// null, is packed before the node is submitted, once it is known that the operation may be.
/// Errors: as `expect_may_communicate` and `engine::enqueue`.
void submit_operation(runtime_state& s, task_name name, operation op,
                      std::span<const data_access> accesses, const communicator& among,
                      std::unique_ptr<operation_belongings> owned = nullptr,
                      const packed_box* packs = nullptr);

/// Submits a send or a receive of these bytes.
void submit_message(begun_message& message, byte_range bytes, const communicator& among,
                    const packed_box* packs = nullptr);

/// Collects the operations of a recording, in its order.  Errors: usage_error where a window has
/// ended.
[[nodiscard]] std::vector<operation*> operations_of(const graph& recorded);

/// For reports: the operation of a node, and the name of an operation's node.
[[nodiscard]] const operation& operation_in(const detail::task_node& node) noexcept;
[[nodiscard]] const char* name_of(const operation& op) noexcept;

}  // namespace plait
