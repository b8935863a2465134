// SPDX-License-Identifier: BSD-3-Clause
#include "forwarder.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include <poll.h>

namespace plait::network::delay_line {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

/// Frames taken from one device before the others have their turn.
constexpr int frames_in_a_turn = 64;

constexpr nanoseconds longest_sleep = std::chrono::seconds(1);

[[nodiscard]] timespec to_timespec(nanoseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {whole.count(), (time - whole).count()};
}

}  // namespace

forwarder::forwarder(const std::vector<std::string>& links, nanoseconds delay)
    : room_(largest_frame_bytes) {
  for (const std::string& name : links)
    links_.push_back({tap(name), tap(name + "x"), wire(delay, room_bytes)});
}

void forwarder::take_from_node(link& from) {
  for (int i = 0; i < frames_in_a_turn; ++i) {
    const std::size_t size = from.node.read(room_);
    if (size == 0) return;
    from.out.send({room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(size)},
                  steady_clock::now());
  }
}

void forwarder::deliver(link& to) {
  const moment now = steady_clock::now();
  while (const std::optional<frame> arrived = to.out.arrived(now)) to.hub.write(*arrived);
}

void forwarder::pass_to_node(const link& to) {
  for (int i = 0; i < frames_in_a_turn; ++i) {
    const std::size_t size = to.hub.read(room_);
    if (size == 0) return;
    to.node.write(std::span(room_).first(size));
  }
}

nanoseconds forwarder::until_next(nanoseconds at_most) const {
  const moment now = steady_clock::now();
  for (const link& each : links_)
    if (const std::optional<moment> due = each.out.next_arrival())
      at_most = std::min(at_most, std::max(nanoseconds(0), nanoseconds(*due - now)));
  return at_most;
}

void forwarder::run(const volatile std::sig_atomic_t& stopped, const sigset_t& waiting) {
  std::vector<pollfd> watched;
  for (const link& each : links_) {
    watched.push_back({each.node.descriptor(), POLLIN, 0});
    watched.push_back({each.hub.descriptor(), POLLIN, 0});
  }
  while (!stopped) {
    const timespec sleep = to_timespec(until_next(longest_sleep));
    const int ready = ppoll(watched.data(), watched.size(), &sleep, &waiting);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (ready > 0 && watched[2 * i].revents) take_from_node(links_[i]);
      if (ready > 0 && watched[2 * i + 1].revents) pass_to_node(links_[i]);
      deliver(links_[i]);
    }
  }
}

}  // namespace plait::network::delay_line
