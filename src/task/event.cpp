// SPDX-License-Identifier: BSD-3-Clause
#include <plait/core/error.hpp>
#include <plait/task/event.hpp>
#include <plait/task/scheduler.hpp>

namespace plait::detail {

void completion::end_as(state how) noexcept {
  scheduler& owner = *owner_;
  state_.store(how, std::memory_order_seq_cst);  // whoever waits may let go of this now
  owner.wake();
}

void completion::await() const {
  if (now() == state::done) return scheduler::waited();  // the scheduler may be gone
  if (now() == state::pending) {
    owner_->work_until([this] { return now() != state::pending || owner_->failed(); });
    if (now() == state::done) return scheduler::waited();
    owner_->wait();  // rethrows
  }
  throw error("the task whose result is asked for has failed, or was dropped after a failure");
}

}  // namespace plait::detail
