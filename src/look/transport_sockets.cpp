// SPDX-License-Identifier: BSD-3-Clause
#include "look/transport_sockets.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "look/numbers.hpp"

namespace plait {
namespace {

[[nodiscard]] int option_of(int descriptor, int name) noexcept {
  int value = -1;
  socklen_t length = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

[[nodiscard]] bool is_connected_tcp(int descriptor) noexcept {
  if (option_of(descriptor, SO_TYPE) != SOCK_STREAM) return false;
  const int domain = option_of(descriptor, SO_DOMAIN);
  if (domain != AF_INET && domain != AF_INET6) return false;
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  return getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) == 0;
}

/// Of what is no socket any more, 0.
[[nodiscard]] std::uint64_t waiting_at(int descriptor) noexcept {
  int bytes = 0;
  return ioctl(descriptor, FIONREAD, &bytes) == 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

[[nodiscard]] socket_bytes bytes_of(int descriptor) noexcept {
  const std::uint64_t before = waiting_at(descriptor);
  tcp_info told{};
  socklen_t length = sizeof told;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &told, &length) != 0) return {};
  const std::uint64_t after = waiting_at(descriptor);
  const std::uint64_t received = told.tcpi_bytes_received;
  return {static_cast<std::size_t>(after), received - std::min(received, std::max(before, after)),
          received - std::min({received, before, after})};
}

}  // namespace

transport_sockets::transport_sockets()
    : arrivals_(epoll_create1(EPOLL_CLOEXEC)),
      room_(epoll_create1(EPOLL_CLOEXEC)),
      wakes_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

transport_sockets::~transport_sockets() {
  for (const int descriptor : {arrivals_, room_, wakes_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

transport_sockets::socket* transport_sockets::find_known(int descriptor,
                                                         std::uint64_t inode) noexcept {
  const auto found = std::ranges::find_if(known_, [&](const socket& one) {
    return one.descriptor == descriptor && one.inode == inode;
  });
  return found == known_.end() ? nullptr : &*found;
}

bool transport_sockets::watch(int descriptor) const noexcept {
  epoll_event arrival{.events = EPOLLIN | EPOLLET, .data = {.fd = descriptor}};
  epoll_event room{.events = EPOLLOUT | EPOLLET, .data = {.fd = descriptor}};
  return epoll_ctl(arrivals_, EPOLL_CTL_ADD, descriptor, &arrival) == 0 &&
         epoll_ctl(room_, EPOLL_CTL_ADD, descriptor, &room) == 0;
}

/// Connections are opened early or never: each search waits twice as long as the one before.
void transport_sockets::find(ticks now) {
  if (now < next_find_) return;
  const ticks longest = seconds_to_ticks(look_numbers::longest_search_s);
  find_distance_ = std::clamp(2 * find_distance_, longest / 1024, longest);
  next_find_ = now + find_distance_;
  DIR* const open_files = opendir("/proc/self/fd");
  if (open_files == nullptr) return;
  std::vector<socket> found;
  while (const dirent* entry = readdir(open_files)) {
    const int descriptor = std::atoi(entry->d_name);
    struct stat what {};
    if (entry->d_name[0] == '.' || fstat(descriptor, &what) != 0 || !S_ISSOCK(what.st_mode)) {
      continue;
    }
    if (const socket* same = find_known(descriptor, what.st_ino)) {
      found.push_back(*same);
    } else if (is_connected_tcp(descriptor) && watch(descriptor)) {
      found.push_back({.descriptor = descriptor, .inode = what.st_ino, .news = {}});
    }
  }
  closedir(open_files);
  known_.swap(found);
}

socket_news transport_sockets::wait(ticks at_most, bool to_news) {
  std::array<pollfd, 3> sets{{{wakes_, POLLIN, 0}, {arrivals_, POLLIN, 0}, {room_, POLLIN, 0}}};
  // Without a descriptor to be woken by, it wakes by itself.
  if (wakes_ < 0 && at_most < 0) at_most = seconds_to_ticks(look_numbers::longest_search_s) / 128;
  const double seconds = std::max(0.0, ticks_to_seconds(at_most));
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(seconds);
  timeout.tv_nsec = static_cast<long>(1e9 * (seconds - static_cast<double>(timeout.tv_sec)));
  socket_news found;
  if (to_news) {
    for (socket& one : known_) one.news = {};
  }
  const timespec* const until = at_most < 0 ? nullptr : &timeout;
  if (ppoll(sets.data(), to_news ? sets.size() : 1, until, nullptr) <= 0) return found;
  if (sets[0].revents != 0) {
    std::uint64_t count = 0;
    (void)!read(wakes_, &count, sizeof count);
  }
  if (sets[1].revents != 0) read_arrivals(found);
  if (sets[2].revents != 0) {
    std::array<epoll_event, 64> events;
    found.room = epoll_wait(room_, events.data(), static_cast<int>(events.size()), 0) > 0;
  }
  return found;
}

void transport_sockets::read_arrivals(socket_news& found) {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(arrivals_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    const auto one = std::ranges::find(known_, descriptor, &socket::descriptor);
    if (one == known_.end() || one->left_alone >= look_numbers::looks_left_alone) continue;
    one->news = bytes_of(descriptor);
    found.arrived = true;
    found.waiting_bytes += one->news.waiting;
  }
}

void transport_sockets::wake() noexcept {
  const std::uint64_t one = 1;
  (void)!write(wakes_, &one, sizeof one);
}

/// Asks for what was read: as much as that may have arrived meanwhile.
void transport_sockets::looked() {
  for (socket& one : known_) {
    const socket_bytes news = std::exchange(one.news, {});
    if (news.waiting == 0 || one.left_alone >= look_numbers::looks_left_alone) continue;
    if (bytes_of(one.descriptor).read_at_least > news.read_at_most) {
      one.left_alone = 0;
      carry_messages_ = true;
    } else if (++one.left_alone == look_numbers::looks_left_alone) {
      epoll_ctl(arrivals_, EPOLL_CTL_DEL, one.descriptor, nullptr);
      epoll_ctl(room_, EPOLL_CTL_DEL, one.descriptor, nullptr);
    }
  }
}

socket_bytes transport_sockets::bytes() const noexcept {
  socket_bytes sum;
  for (const socket& one : known_) {
    if (one.left_alone >= look_numbers::looks_left_alone) continue;
    const socket_bytes part = bytes_of(one.descriptor);
    sum.waiting += part.waiting;
    sum.read_at_least += part.read_at_least;
    sum.read_at_most += part.read_at_most;
  }
  return sum;
}

}  // namespace plait
