// SPDX-License-Identifier: BSD-3-Clause
#include "task/scheduler/crew.hpp"

#include <plait/core/error.hpp>

namespace plait::detail {

thread_local constinit crew::role crew::here;

[[gnu::noinline]] crew::role crew::this_role() noexcept {
  return here;
}

crew::crew(int workers, std::size_t capacity) {
  for (int i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<worker>(i, workers > 1 ? capacity : 1));
    workers_.back()->is_only = workers == 1;
    workers_.back()->random = 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(i + 1);
  }
}

void crew::check_resource(const std::string& name, int threads) const {
  const auto refuse = [&name](const std::string& why) {
    throw usage_error("resource '" + name + "': " + why);
  };
  if (name.empty()) refuse("it has no name");
  const int most =
      scheduler::most_resource_threads + (helper_ != nullptr ? 1 : 0) - resource_thread_count_;
  if (threads < 1 || threads > most) {
    refuse("threads is " + std::to_string(threads) + "; it can be 1 to " + std::to_string(most));
  }
  for_each_resource([&](const resource_threads& one) {
    if (one.name == name) refuse("there is one of that name already");
  });
}

resource_threads& crew::add_resource(const std::string& name, int threads, int own) {
  auto made =
      std::make_unique<resource_threads>(name, static_cast<std::uint8_t>(resource_count_ + 1));
  const int first = static_cast<int>(workers_.size()) + resource_thread_count_;
  resource_thread_count_ += threads;
  for (int i = 0; i < own; ++i) {
    made->threads.push_back(std::make_unique<worker>(first + i, 1));
    made->threads.back()->of = made.get();
    made->threads.back()->time.reset(nothing_in_flight);
  }
  return *(resources_[resource_count_] = std::move(made));
}

std::uint64_t crew::total(count which) const noexcept {
  std::uint64_t sum = (outside_.*which).load(std::memory_order_seq_cst);
  for_each_thread(
      [&](const worker& w) { sum += (w.counts.*which).load(std::memory_order_seq_cst); });
  return sum;
}

}  // namespace plait::detail
