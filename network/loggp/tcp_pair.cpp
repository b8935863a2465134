// SPDX-License-Identifier: BSD-3-Clause
#include "tcp_pair.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/base/gather.hpp"

namespace plait::network::loggp {
namespace {

constexpr int longest_connect_ms = 2000;
constexpr int longest_accept_ms = 30'000;

/// A file descriptor, closed when it is forgotten.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

[[noreturn]] void failed(const char* call) {
  throw error(std::string("raw TCP: ") + call + ": " + std::strerror(errno));
}

/// Addresses of this host's interfaces that are up, the loopback's last.
[[nodiscard]] std::vector<std::string> addresses() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) failed("getifaddrs");
  std::vector<std::string> found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET_ADDRSTRLEN] = "";
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof text) != nullptr)
      found.emplace_back(text);
  }
  freeifaddrs(all);
  found.emplace_back("127.0.0.1");
  return found;
}

/// A socket that listens on this address alone, and its port; -1 where it cannot.
[[nodiscard]] descriptor listening(const std::string& address, int& port) {
  descriptor made(socket(AF_INET, SOCK_STREAM, 0));
  if (made.get() < 0) failed("socket");
  sockaddr_in at{};
  at.sin_family = AF_INET;
  socklen_t size = sizeof at;
  if (inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1 ||
      bind(made.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
      listen(made.get(), 1) != 0 ||
      getsockname(made.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0)
    return descriptor(-1);
  port = ntohs(at.sin_port);
  return made;
}

[[nodiscard]] bool is_ready(int number, short events, int timeout_ms) {
  pollfd one{.fd = number, .events = events, .revents = 0};
  return poll(&one, 1, timeout_ms) == 1;
}

/// Returns a socket, or -1 where the address does not answer.
[[nodiscard]] int connected_to(const std::string& address, int port) {
  descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  if (made.get() < 0 || inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) return -1;
  if (connect(made.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 &&
      (errno != EINPROGRESS || !is_ready(made.get(), POLLOUT, longest_connect_ms)))
    return -1;
  int wrong = 0;
  socklen_t size = sizeof wrong;
  if (getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &wrong, &size) != 0 || wrong != 0) return -1;
  return made.release();
}

void set_up(int number) {
  const int on = 1;
  if (setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) failed("setsockopt");
  const int flags = fcntl(number, F_GETFL);
  if (flags < 0 || fcntl(number, F_SETFL, flags & ~O_NONBLOCK) != 0) failed("fcntl");
}

/// Rank 0 listens on one of its addresses, and rank 1 connects to it; -1 where that does not work
/// on both.
[[nodiscard]] int connected_by(environment& env, const std::string& address) {
  int port = 0;
  const descriptor listens(env.rank() == 0 ? listening(address, port).release() : -1);
  port = std::stoi(measure::broadcast(env, std::to_string(port)));
  if (port == 0) return -1;
  int found = env.rank() == 0 ? -1 : connected_to(address, port);
  const bool connected = measure::all_of(env, env.rank() == 0 || found >= 0);
  if (connected && env.rank() == 0 && is_ready(listens.get(), POLLIN, longest_accept_ms))
    found = accept(listens.get(), nullptr, nullptr);
  if (measure::all_of(env, found >= 0)) return found;
  if (found >= 0) close(found);
  return -1;
}

[[nodiscard]] int connect_pair(environment& env) {
  std::string all;
  if (env.rank() == 0)
    for (const std::string& address : addresses()) all.append(address).append(" ");
  all = measure::broadcast(env, all);
  std::istringstream words(all);
  std::vector<std::string> ways{std::istream_iterator<std::string>(words), {}};
  // The loopback leads to another host's rank 0 only by mistake.
  if (env.hosts()[0] == env.hosts()[1]) {
    std::ranges::reverse(ways);
  } else {
    ways.pop_back();
  }
  for (const std::string& address : ways)
    if (const int found = connected_by(env, address); found >= 0) return found;
  throw error("raw TCP: the two ranks cannot be connected by any of the addresses " + all);
}

/// send(2) and recv(2), whole.
struct tcp_wire {
  static constexpr const char* name = "raw TCP: ";

  void send(burst_part, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) failed("send");
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void receive(burst_part, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t came = recv(socket, bytes.data(), bytes.size(), MSG_WAITALL);
      if (came < 0 && errno == EINTR) continue;
      if (came == 0) throw error("raw TCP: the other rank has closed the connection");
      if (came < 0) failed("recv");
      bytes = bytes.subspan(static_cast<std::size_t>(came));
    }
  }
  [[nodiscard]] double swap(double own_s) const {
    double other_s = 0;
    send(burst_part::answer, std::as_bytes(std::span(&own_s, 1)));
    receive(burst_part::answer, std::as_writable_bytes(std::span(&other_s, 1)));
    return other_s;
  }

  int socket;
};

}  // namespace

tcp_pair::tcp_pair(environment& env) : is_client_(env.rank() == 0) {
  PLAIT_EXPECTS(env.size() == 2, std::to_string(env.size()));
  socket_ = connect_pair(env);
  set_up(socket_);
}

tcp_pair::~tcp_pair() {
  if (socket_ >= 0) close(socket_);
}

burst_times tcp_pair::run(const burst& what) {
  return bursts_.run(tcp_wire{socket_}, is_client_, what);
}

}  // namespace plait::network::loggp
