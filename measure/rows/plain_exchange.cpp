// SPDX-License-Identifier: BSD-3-Clause
#include "plain_exchange.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "measure/base/mpi_check.hpp"

namespace plait::measure {

plain_exchange::~plain_exchange() {
  for (MPI_Request& one : requests_)
    if (one != MPI_REQUEST_NULL) MPI_Request_free(&one);
}

MPI_Request* plain_exchange::add(std::size_t size_bytes, int peer, int tag) {
  messages_.push_back({.peer = peer, .tag = tag, .size_bytes = size_bytes});
  completed_.resize(messages_.size());
  return &requests_.emplace_back(MPI_REQUEST_NULL);
}

void plain_exchange::add_receive(std::span<double> into, int peer, int tag) {
  PLAIT_EXPECTS(receives_ == messages_.size(), "receives before sends");
  ++receives_;
  MPI_Request* const request = add(into.size_bytes(), peer, tag);
  check_mpi(MPI_Recv_init(into.data(), static_cast<int>(into.size()), MPI_DOUBLE, peer, tag,
                          communicator_, request),
            "MPI_Recv_init");
}

void plain_exchange::add_send(std::span<const double> from, int peer, int tag) {
  MPI_Request* const request = add(from.size_bytes(), peer, tag);
  check_mpi(MPI_Send_init(from.data(), static_cast<int>(from.size()), MPI_DOUBLE, peer, tag,
                          communicator_, request),
            "MPI_Send_init");
}

void plain_exchange::post(std::size_t first, std::size_t count) {
  if (count == 0) return;  // Open MPI refuses to start none
  check_mpi(MPI_Startall(static_cast<int>(count), requests_.data() + first), "MPI_Startall");
  const ticks now = now_ticks();
  for (std::size_t i = first; i < first + count; ++i) messages_[i].posted = now;
  pending_ += static_cast<int>(count);
}

void plain_exchange::post_receives() {
  ++exchanges_;
  post(0, receives_);
}

void plain_exchange::post_sends() {
  post(receives_, requests_.size() - receives_);
}

void plain_exchange::note_completed(int count) {
  if (count == MPI_UNDEFINED || count == 0) return;
  const ticks now = now_ticks();
  for (int i = 0; i < count; ++i)
    messages_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])].completed = now;
  pending_ -= count;
}

bool plain_exchange::test() {
  if (pending_ == 0) return true;
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  note_completed(count);
  return pending_ == 0;
}

void plain_exchange::wait() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  pending_ = 0;
}

void plain_exchange::wait_noting() {
  while (pending_ > 0) {
    int count = 0;
    check_mpi(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                           completed_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitsome");
    note_completed(count);
  }
}

void plain_exchange::exchange() {
  post_receives();
  pack();
  post_sends();
  wait();
  unpack();
}

void plain_exchange::exchange_sparsely(std::chrono::microseconds between_looks) {
  post_receives();
  pack();
  post_sends();
  while (!test()) std::this_thread::sleep_for(between_looks);
  unpack();
}

void plain_exchange::start(stopwatch& watch) {
  post_receives();
  watch.lap(activity::posting, "post receives");
  if (packs_) {
    pack();
    watch.lap(activity::compute, "pack");
  }
  post_sends();
  watch.lap(activity::posting, "post sends");
}

bool plain_exchange::look(stopwatch& watch) {
  const bool done = test();
  watch.lap(activity::posting, "look");
  return done;
}

void plain_exchange::finish(stopwatch& watch) {
  if (watch.recording()) {
    wait_noting();
  } else {
    wait();
  }
  watch.lap(activity::exposed, "wait");
  if (watch.recording()) add_messages_to(watch);
  if (!unpacks_) return;
  unpack();
  watch.lap(activity::compute, "unpack");
}

std::vector<sent_bytes> plain_exchange::sent() const {
  std::vector<sent_bytes> result;
  for (std::size_t i = receives_; i < messages_.size(); ++i)
    result.push_back({messages_[i].peer, static_cast<double>(messages_[i].size_bytes)});
  return result;
}

void plain_exchange::add_messages_to(stopwatch& watch) const {
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const message& one = messages_[i];
    const bool sent = i >= receives_;
    const message_side side{.sent = sent,
                            .peer = one.peer,
                            .tag = one.tag,
                            .place = exchanges_,
                            .size_bytes = one.size_bytes};
    watch.add_message(fmt::format("{} {}", sent ? "send to" : "receive from", one.peer), side,
                      one.posted, one.completed);
  }
}

}  // namespace plait::measure
