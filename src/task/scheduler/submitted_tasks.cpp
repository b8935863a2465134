// SPDX-License-Identifier: BSD-3-Clause
#include "task/scheduler/submitted_tasks.hpp"

namespace plait::detail {

void submitted_tasks::provide_free() {
  if (free_ != nullptr) return;
  threads_.collect([this](task_node* list) {
    if (free_ == nullptr) {
      free_ = list;
      return;
    }
    while (list != nullptr) {
      task_node& node = *list;
      list = list->next_free;
      give_back(node);
    }
  });
  if (free_ != nullptr) return;
  blocks_.push_back(std::make_unique<task_node[]>(nodes_per_block));
  for (std::size_t i = 0; i < nodes_per_block; ++i) give_back(blocks_.back()[i]);
}

}  // namespace plait::detail
