// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/hooks_completion.hpp"

namespace plait::attach::hooks {

completion_memory& own_memory() noexcept {
  static thread_local completion_memory memory;
  return memory;
}

}  // namespace plait::attach::hooks
