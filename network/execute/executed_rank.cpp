// SPDX-License-Identifier: BSD-3-Clause
#include "executed_rank.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <sys/prctl.h>

#include "measure/base/mpi_check.hpp"

namespace plait::network::execute {
namespace {

using simulate::operation;
using simulate::operation_kind;

[[nodiscard]] std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

[[nodiscard]] std::uint32_t largest_tag() {
  void* found = nullptr;
  int is_set = 0;
  measure::check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &is_set),
                     "MPI_Comm_get_attr");
  return is_set != 0 ? static_cast<std::uint32_t>(*static_cast<int*>(found)) : 32767U;
}

void expect_possible(const simulate::program& in, const simulate::rank_template& of,
                     std::uint32_t rank) {
  const std::uint32_t highest = largest_tag();
  for (const operation& one : of.operations) {
    if (one.kind == operation_kind::calculation) continue;
    const auto refuse = [&](const std::string& why) {
      throw usage_error(fmt::format("rank {}: {}: {}", rank, text_of(in, one, rank), why));
    };
    if (one.size > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      refuse("MPI counts at most 2147483647 bytes");
    if (one.tag != simulate::any && one.tag > highest)
      refuse(fmt::format("this MPI library's tags end at {}", highest));
  }
}

}  // namespace

executed_rank::executed_rank(const simulate::program& in, const simulate::rank_template& of,
                             std::uint32_t rank, const execution_options& how)
    : program_(in), of_(of), rank_(rank), how_(how), waits_for_(of.unmet(false)) {
  expect_possible(in, of, rank);
  std::uint64_t longest = 1;
  std::size_t processors = 1;
  for (const operation& one : of.operations) {
    processors = std::max(processors, std::size_t{one.cpu} + 1);
    if (one.kind == operation_kind::send) longest = std::max(longest, one.size);
  }
  sent_.resize(longest);
  processors_.resize(processors);
}

std::vector<std::byte> executed_rank::buffer_of(std::size_t size) {
  std::vector<std::byte> taken;
  if (!free_.empty()) {
    taken = std::move(free_.back());
    free_.pop_back();
  }
  if (taken.size() < size) taken.resize(size);
  return taken;
}

void executed_rank::post(number op) {
  const operation& one = of_.operations[op];
  const std::uint32_t peer = peer_of(program_, one, rank_);
  const int to = peer == simulate::any ? MPI_ANY_SOURCE : static_cast<int>(peer);
  const int tag = one.tag == simulate::any ? MPI_ANY_TAG : static_cast<int>(one.tag);
  const int count = static_cast<int>(one.size);
  MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
  operations_.push_back(op);
  std::vector<std::byte>& memory = buffers_.emplace_back();
  if (one.kind == operation_kind::send) {
    measure::check_mpi(MPI_Isend(sent_.data(), count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request),
                       "MPI_Isend");
  } else {
    memory = buffer_of(std::max<std::size_t>(1, one.size));
    measure::check_mpi(MPI_Irecv(memory.data(), count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request),
                       "MPI_Irecv");
  }
}

void executed_rank::release(const simulate::edge_list& edges, number of) {
  for (const simulate::dependent& edge : edges.of(of)) {
    if (--unmet_[edge.operation()] == 0) started_.push_back(edge.operation());
  }
}

void executed_rank::finish(number op) {
  ++finished_;
  release(of_.after_end, op);
}

void executed_rank::begin(number op) {
  const operation& one = of_.operations[op];
  if (one.kind == operation_kind::calculation) {
    const std::uint64_t duration = duration_of(program_, one, op, rank_, 0);
    const auto ns = static_cast<time_ns>(duration * program_.unit_ps / 1000);
    processors_[one.cpu].computes = true;
    endings_.emplace(now_ns() + ns, op);
  } else {
    post(op);
  }
  release(of_.after_start, op);
}

/// Begins what is ready and has its processor.
void executed_rank::start_ready() {
  while (!started_.empty()) {
    const number op = started_.front();
    started_.pop_front();
    const operation& one = of_.operations[op];
    const bool at_once = one.kind == operation_kind::receive ||
                         (one.kind == operation_kind::send && how_.posts_at_once);
    if (at_once) {
      begin(op);
      continue;
    }
    processor& on = processors_[one.cpu];
    on.ready.push_back(op);
    while (!on.computes && !on.ready.empty()) {
      const number next = on.ready.front();
      on.ready.pop_front();
      begin(next);
    }
  }
}

bool executed_rank::end_calculations() {
  bool any = false;
  while (!endings_.empty() && endings_.top().first <= now_ns()) {
    const number op = endings_.top().second;
    endings_.pop();
    processor& on = processors_[of_.operations[op].cpu];
    on.computes = false;
    finish(op);
    while (!on.computes && !on.ready.empty()) {
      const number next = on.ready.front();
      on.ready.pop_front();
      begin(next);
    }
    any = true;
  }
  return any;
}

/// Lets messages move, and finishes those that are complete.
bool executed_rank::look() {
  if (requests_.empty()) return false;
  const int count = static_cast<int>(requests_.size());
  std::vector<int> done(requests_.size());
  int number_done = 0;
  measure::check_mpi(
      MPI_Testsome(count, requests_.data(), &number_done, done.data(), MPI_STATUSES_IGNORE),
      "MPI_Testsome");
  if (number_done <= 0) return false;
  std::sort(done.begin(), done.begin() + number_done);
  for (int i = 0; i < number_done; ++i) {
    const auto at = static_cast<std::size_t>(done[static_cast<std::size_t>(i)]);
    finish(operations_[at]);
    if (!buffers_[at].empty()) free_.push_back(std::move(buffers_[at]));
    operations_[at] = std::numeric_limits<number>::max();
  }
  std::size_t kept = 0;
  for (std::size_t at = 0; at < requests_.size(); ++at) {
    if (operations_[at] == std::numeric_limits<number>::max()) continue;
    if (kept != at) {
      requests_[kept] = requests_[at];
      operations_[kept] = operations_[at];
      buffers_[kept] = std::move(buffers_[at]);
    }
    ++kept;
  }
  requests_.resize(kept);
  operations_.resize(kept);
  buffers_.resize(kept);
  return true;
}

/// Gives the core up until something is due: many ranks share one.
void executed_rank::rest(bool may_look) {
  if (may_look && !requests_.empty()) {
    std::this_thread::yield();
    return;
  }
  time_ns until = std::numeric_limits<time_ns>::max();
  if (!endings_.empty()) until = endings_.top().first;
  if (how_.looks.when == look_rule::kind::every && !requests_.empty())
    until = std::min(until, next_look_);
  if (until == std::numeric_limits<time_ns>::max())
    throw error(fmt::format("rank {}: {} of {} operations never run: each waits for another", rank_,
                            of_.size() - finished_, of_.size()));
  const time_ns left = until - now_ns();
  if (left > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left));
}

std::int64_t executed_rank::run() {
  unmet_ = waits_for_;
  finished_ = 0;
  (void)prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // ns: sleeps end in time
  const time_ns begun = now_ns();
  next_look_ = begun + how_.looks.every_ns;
  for (number op = 0; op < of_.size(); ++op) {
    if (unmet_[op] == 0) started_.push_back(op);
  }
  start_ready();
  while (finished_ < of_.size()) {
    const bool is_due = how_.looks.when == look_rule::kind::always || endings_.empty() ||
                        (how_.looks.when == look_rule::kind::every && now_ns() >= next_look_);
    bool moved = end_calculations();
    if (is_due) {
      moved = look() || moved;
      next_look_ = now_ns() + how_.looks.every_ns;
    }
    start_ready();
    if (moved) continue;
    rest(how_.looks.when == look_rule::kind::always || endings_.empty());
  }
  return now_ns() - begun;
}

}  // namespace plait::network::execute
