// SPDX-License-Identifier: BSD-3-Clause
/// The messages for which tasks have called blocking MPI, and what the tasks computed in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <plait/trace/recording.hpp>

namespace plait::simulate {

/// One task's, in the order of its calls.
struct task_messages {
  struct call {
    std::uint64_t computed_ns = 0;      ///< before it
    std::vector<std::size_t> messages;  ///< by place in the recording; one call has two at most
  };
  std::vector<call> calls;
  std::uint64_t computed_ns = 0;  ///< after the last
};

/// Of one rank.
class blocking_messages {
 public:
  explicit blocking_messages(const recording& from);

  /// Returns those of a task, or null: it has made none, or they have been taken.  So a damaged
  /// recording, in which many tasks have one id, has no more messages than it names.
  [[nodiscard]] const task_messages* take(std::uint32_t runtime, std::uint64_t task) {
    const auto found = of_task_.find({runtime, task});
    if (found == of_task_.end() || std::exchange(found->second.is_taken, true)) return nullptr;
    return &found->second.made;
  }

 private:
  struct entry {
    task_messages made;
    bool is_taken = false;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, entry> of_task_;
};

}  // namespace plait::simulate
