// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <unordered_set>

#include <plait/task/task_name.hpp>

namespace plait {

task_name task_name::intern(const std::string& text) {
  static std::mutex mutex;
  static std::unordered_set<std::string> names;  // node-based: elements never move
  std::lock_guard lock(mutex);
  task_name result;
  result.text_ = names.insert(text).first->c_str();
  return result;
}

}  // namespace plait
