// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matching/repetition.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "comm/byte_count.hpp"

namespace plait {
namespace {

/// Upper limit of the persistent requests of one engine, so that a graph of very many messages does
/// not take memory without end.
constexpr std::size_t most_requests = std::size_t{1} << 14;

// Where a persistent request is faster than a new one each time.  Time with persistent requests
// over time without, `message --only "plait replayed anew,plait replayed persistent" --policy
// workers`, 2 ranks on shared memory, lower quartiles of 41 to 101 interleaved samples:
//
//   Open MPI 4.1.4   one request a message (stream): 512 B 0.95, 4 KiB 0.97, 64 KiB 0.96; 8 B 1.12,
//                    and 0.96 with persistent receives only: small sends are copied out at once,
//                    without a request, if they are not persistent.
//                    64 requests a message (ping-pong): 8 B 1.07, 512 B 1.06, 64 KiB 1.04: they are
//                    cold when their turn comes.
//   MPICH 4.0.2      medians of the ratios of neighbouring samples, in two runs: ping-pong 1.03 to
//                    1.07 and 0.96 to 1.00 (64 KiB 1.29), stream 1.00 to 1.03 and 0.99 to 1.00.
#if defined(OPEN_MPI)
constexpr std::size_t smallest_send = 257;
constexpr std::size_t smallest_receive = 0;
#else
constexpr std::size_t smallest_send = SIZE_MAX;
constexpr std::size_t smallest_receive = SIZE_MAX;
#endif
constexpr std::uint64_t most_tags = 8;  // of one message; 1 pays, 64 do not

}  // namespace

void repetition::begin(const operation& op) noexcept {
  pays_ = !gave_up_ && !op.varies && home_->pays(op);
}

MPI_Request* repetition::make_request_for(const operation& op, int mpi_tag, MPI_Comm comm) {
  home_->free_retired();
  const auto known = std::ranges::find(requests_, mpi_tag, &entry::mpi_tag);
  latest_ = static_cast<std::size_t>(known - requests_.begin());
  if (known == requests_.end()) {
    requests_.push_back({mpi_tag, MPI_REQUEST_NULL});
    return nullptr;
  }
  if (known->request == MPI_REQUEST_NULL && home_->requests_ < most_requests) {
    known->request = op.what == operation::kind::send
                         ? make_request(MPI_Send_init, "MPI_Send_init", op.buffer, op.size_bytes,
                                        op.peer, mpi_tag, comm)
                         : make_request(MPI_Recv_init, "MPI_Recv_init", op.buffer, op.size_bytes,
                                        op.peer, mpi_tag, comm);
    ++home_->requests_;
  }
  return known->request != MPI_REQUEST_NULL ? &known->request : nullptr;
}

void repetition::give_up(MPI_Request request) noexcept {
  gave_up_ = true;
  pays_ = false;
  for (entry& e : requests_) {
    if (e.request != request || request == MPI_REQUEST_NULL) continue;
    e.request = MPI_REQUEST_NULL;
    --home_->requests_;
  }
}

void repetition::free_requests() noexcept {
  for (entry& e : requests_) {
    if (e.request == MPI_REQUEST_NULL) continue;
    MPI_Request_free(&e.request);
    --home_->requests_;
  }
  requests_.clear();
}

bool repetition_set::pays(const operation& op) const noexcept {
  if (persistent_ != persistence::where_faster) return persistent_ == persistence::always;
  if (op.size_bytes < (op.what == operation::kind::send ? smallest_send : smallest_receive))
    return false;
  // R / gcd(R, stride), R being a power of two: whatever costs a division costs it per message.
  const int twos = std::min(std::countr_zero(op.stride), 63);
  return residues >> twos <= most_tags;
}

repetition* repetition_set::make() {
  auto one = std::make_unique<repetition>(*this);
  live_.insert(one.get());
  return one.release();
}

void repetition_set::retire(repetition* unused) noexcept {
  repetition_set* const home = unused->home_;
  if (home != nullptr) home->live_.erase(unused);
  if (home == nullptr || unused->requests_.empty()) {
    delete unused;
    return;
  }
  unused->next_ = home->retired_.load(std::memory_order_relaxed);
  while (!home->retired_.compare_exchange_weak(unused->next_, unused, std::memory_order_release,
                                               std::memory_order_relaxed)) {
  }
}

void repetition_set::free_retired() noexcept {
  if (retired_.load(std::memory_order_relaxed) == nullptr) return;
  repetition* list = retired_.exchange(nullptr, std::memory_order_acquire);
  while (list != nullptr) {
    repetition* const one = std::exchange(list, list->next_);
    one->free_requests();
    delete one;
  }
}

void repetition_set::end() noexcept {
  free_retired();
  for (repetition* one : live_) {
    one->free_requests();
    one->home_ = nullptr;
  }
  live_.clear();
}

}  // namespace plait
