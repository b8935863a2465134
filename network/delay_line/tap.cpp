// SPDX-License-Identifier: BSD-3-Clause
#include "tap.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace plait::network::delay_line {
namespace {

constexpr const char* device_file = "/dev/net/tun";

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

tap::tap(const std::string& name)
    : descriptor_(open(device_file, O_RDWR | O_NONBLOCK | O_CLOEXEC)) {
  if (descriptor_ < 0)
    fail(fmt::format("{}, which a delay of links needs, cannot be opened", device_file));
  ifreq request{};
  if (name.empty() || name.size() >= sizeof request.ifr_name) {
    close(descriptor_);
    throw std::runtime_error(
        fmt::format("device name '{}': use 1 to {} characters", name, sizeof request.ifr_name - 1));
  }
  name.copy(request.ifr_name, name.size());
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  // Large segments pass whole, as between veth devices; cutting them costs a processor at 1 Gbit/s.
  if (ioctl(descriptor_, TUNSETIFF, &request) != 0 ||
      ioctl(descriptor_, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) != 0) {
    const int error = errno;
    close(descriptor_);
    errno = error;
    fail(fmt::format("device {} cannot be made", name));
  }
}

tap::~tap() {
  if (descriptor_ >= 0) close(descriptor_);
}

tap::tap(tap&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::size_t tap::read(std::span<std::byte> room) const {
  const ssize_t got = ::read(descriptor_, room.data(), room.size());
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool tap::write(std::span<const std::byte> bytes) const {
  return ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

}  // namespace plait::network::delay_line
