// SPDX-License-Identifier: BSD-3-Clause
/// A virtual Ethernet device of Linux (TAP): what the kernel sends over the device is read here,
/// and what is written here arrives at the kernel.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace plait::network::delay_line {

/// The largest frame: a segment of 64 KiB that the kernel has not cut yet, Ethernet's header, and
/// the header that says how to cut it (struct virtio_net_hdr).
inline constexpr std::size_t largest_frame_bytes = 65536 + 14 + 10;

class tap {
 public:
  /// Makes the device in this process's network namespace; the device may be moved to another one
  /// afterwards, and vanishes with this object.  Errors: std::runtime_error in one line.
  explicit tap(const std::string& name);
  ~tap();
  tap(tap&& other) noexcept;
  tap(const tap&) = delete;
  tap& operator=(const tap&) = delete;
  tap& operator=(tap&&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// Reads one frame into `room`, of `largest_frame_bytes`.  Returns its size in bytes, 0 where
  /// there is none.
  [[nodiscard]] std::size_t read(std::span<std::byte> room) const;

  /// Writes one frame, `bytes`.  Returns false where the kernel did not take it, and the frame is
  /// lost, as frames may be.
  bool write(std::span<const std::byte> bytes) const;

 private:
  int descriptor_;
};

}  // namespace plait::network::delay_line
