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
  state seen = now();  // read once for each question: it changes between two readings
  if (seen == state::pending) {
    owner_->work_until([&] {
      seen = now();
      return seen != state::pending || owner_->failed();
    });
  }
  if (seen == state::done) return scheduler::waited();  // the scheduler may be gone
  if (owner_->failed()) owner_->wait();                 // rethrows
  throw error("the task whose result is asked for has failed, or was dropped after a failure");
}

}  // namespace plait::detail
