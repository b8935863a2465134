// SPDX-License-Identifier: BSD-3-Clause
#include "team.hpp"

namespace redblack3d {

team::team(int threads) : busy_(static_cast<std::size_t>(threads)) {
  for (int thread = 1; thread < threads; ++thread)
    others_.emplace_back([this, thread] { serve(thread); });
}

team::~team() {
  work_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& one : others_) one.join();
}

void team::reset() noexcept {
  for (busy_time& one : busy_) one.spent = 0;
}

void team::call(int thread) {
  busy_[static_cast<std::size_t>(thread)].measure([&] { (*work_)(thread); });
}

void team::run(const std::function<void(int)>& work) {
  work_ = &work;
  left_.store(static_cast<int>(others_.size()), std::memory_order_relaxed);
  if (!others_.empty()) {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  call(0);
  for (int left = left_.load(std::memory_order_acquire); left != 0;
       left = left_.load(std::memory_order_acquire))
    left_.wait(left, std::memory_order_acquire);
}

void team::serve(int thread) {
  for (std::uint32_t seen = 0;; ++seen) {
    round_.wait(seen, std::memory_order_acquire);
    if (work_ == nullptr) return;
    call(thread);
    if (left_.fetch_sub(1, std::memory_order_release) == 1) left_.notify_one();
  }
}

}  // namespace redblack3d
