// SPDX-License-Identifier: BSD-3-Clause
#include "task_pair.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"

namespace plait::network::collectives {
namespace {

constexpr int message_tag = 1;
constexpr int answer_tag = 2;
constexpr int times_tag = 3;
// Until the other one has heard when to begin.
constexpr double rest_after_notice_s = 2e-4;

// Busy, as computation is.
void work_for(double duration_s) {
  const ticks end = now_ticks() + seconds_to_ticks(duration_s);
  while (now_ticks() < end) {
  }
}

template <class Byte, class Submit>
void in_pieces(runtime& rt, std::span<Byte> whole, Submit&& submit) {
  const collective::pieces cut = collective::usual_pieces(rt.env().world());
  const std::size_t most = collective::piece_size(whole.size(), cut, 1);
  for (std::size_t offset = 0; offset < whole.size(); offset += most)
    submit(whole.subspan(offset, std::min(most, whole.size() - offset)));
}

double since_s(ticks start) {
  return ticks_to_seconds(now_ticks() - start);
}

// Differs from message to message and along each, so that nothing left from the one before passes
// for it.
std::byte made(std::size_t index, int message) {
  return static_cast<std::byte>(1 + (index + static_cast<std::size_t>(message)) % 251);
}

void make(std::span<std::byte> bytes, int message) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = made(i, message);
}

bool is_made(std::span<const std::byte> bytes, int message) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != made(i, message)) return false;
  return true;
}

}  // namespace

void send_in_pieces(runtime& rt, std::span<const std::byte> whole, int to, int tag) {
  in_pieces(rt, whole,
            [&](std::span<const std::byte> piece) { rt.send("message", in(piece), to, tag); });
}

void receive_in_pieces(runtime& rt, std::span<std::byte> whole, int from, int tag) {
  in_pieces(rt, whole,
            [&](std::span<std::byte> piece) { rt.recv("message", out(piece), from, tag); });
}

task_pair::task_pair(runtime& rt, int client, int server)
    : rt_(rt), client_(client), server_(server), is_client_(rt.env().rank() == client) {
  PLAIT_EXPECTS(client != server, fmt::format("{} and {}", client, server));
}

bool task_pair::takes_part() const noexcept {
  return is_client_ || rt_.env().rank() == server_;
}

burst_times task_pair::run(const burst& what) {
  PLAIT_EXPECTS(takes_part() && what.messages >= 1 && what.size_bytes >= 1,
                fmt::format("{} of {} bytes", what.messages, what.size_bytes));
  make_room(what);
  return exchange(is_client_ ? send_all(what) : receive_all(what));
}

void task_pair::make_room(const burst& what) {
  message_.resize(what.size_bytes);
  make(message_, ++made_);
  answer_.assign(what.size_bytes, std::byte{0});
  landing_.resize(static_cast<std::size_t>(what.messages));
  for (auto& one : landing_) one.resize(what.size_bytes);
}

double task_pair::send_all(const burst& what) {
  meet();
  work_for(what.rest_s);
  const ticks start = now_ticks();
  for (int i = 0; i < what.messages; ++i) {
    if (i > 0 && what.send_pause_s > 0) work_for(what.send_pause_s);
    send_in_pieces(rt_, message_, server_, message_tag);
  }
  receive_in_pieces(rt_, answer_, server_, answer_tag);
  rt_.wait();
  const double round_trip_s = since_s(start);
  if (answer_ != message_)
    throw error(fmt::format("the answer of {} bytes arrived wrong, in a burst of {}",
                            what.size_bytes, what.messages));
  return round_trip_s;
}

double task_pair::receive_all(const burst& what) {
  double receiving_s = 0;
  meet();
  if (what.receive_pause_s > 0) {
    receiving_s = received_apart_s(what);
  } else {
    for (auto& one : landing_) receive_in_pieces(rt_, one, client_, message_tag);
  }
  send_in_pieces(rt_, landing_.back(), client_, answer_tag);
  rt_.wait();
  return receiving_s;
}

// From the first one's end to the last one's.
double task_pair::received_apart_s(const burst& what) {
  ticks first = 0;
  for (auto& one : landing_) {
    if (&one != &landing_.front()) work_for(what.receive_pause_s);
    receive_in_pieces(rt_, one, client_, message_tag);
    rt_.wait();
    if (&one == &landing_.front()) first = now_ticks();
  }
  return since_s(first);
}

double task_pair::in_turn_s(int messages, std::size_t size_bytes, const common_start& when) {
  PLAIT_EXPECTS(takes_part() && messages >= 1,
                std::to_string(rt_.env().rank()) + ", " + std::to_string(messages));
  message_.resize(size_bytes);
  ++made_;
  if (is_client_) {
    make(message_, made_);
  } else {
    std::ranges::fill(message_, std::byte{0});
  }
  const auto now_s = [&] { return ticks_to_seconds(now_ticks()) + when.offset_s; };
  const double start_s =
      exchange(now_s() + when.rest_s + rest_after_notice_s).round_trip_s;  // the client's
  while (now_s() < start_s) {
  }
  for (int i = 0; i < messages; ++i) {
    if ((i % 2 == 0) == is_client_) {
      send_in_pieces(rt_, message_, peer(), message_tag);
    } else {
      receive_in_pieces(rt_, message_, peer(), message_tag);
    }
  }
  rt_.wait();
  const burst_times both = exchange(now_s() - start_s);
  if (!is_made(message_, made_))
    throw error(fmt::format("a message of {} bytes arrived wrong, in turn", size_bytes));
  return std::max(both.round_trip_s, both.receiving_s);
}

void task_pair::meet() {
  (void)exchange(0);
}

burst_times task_pair::exchange(double own_s) {
  double other_s = 0;
  measure::check_mpi(MPI_Sendrecv(&own_s, 1, MPI_DOUBLE, peer(), times_tag, &other_s, 1, MPI_DOUBLE,
                                  peer(), times_tag, native(rt_.env()), MPI_STATUS_IGNORE),
                     "MPI_Sendrecv");
  return is_client_ ? burst_times{own_s, other_s} : burst_times{other_s, own_s};
}

}  // namespace plait::network::collectives
