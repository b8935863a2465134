// SPDX-License-Identifier: BSD-3-Clause
/// A message of a device's memory, which goes through memory of the host, whole or in parts.
#pragma once

#include <cstddef>

#include <plait/comm/communicator.hpp>
#include <plait/device/device_array.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

struct runtime_state;

namespace detail {
/// Lets the model choose the number of parts.
inline constexpr int parts_by_model = 0;
/// Errors: those of a send or a receive.
void submit_staged(runtime_state& s, task_name name, device_span<const std::byte> from, int peer,
                   int tag, const communicator& among, int parts);
void submit_staged(runtime_state& s, task_name name, device_span<std::byte> to, int peer, int tag,
                   const communicator& among, int parts);
/// Errors: usage_error for a number below 0.
void expect_parts(task_name name, int parts);
}  // namespace detail

/// A send or a receive about to be submitted, which happens at the end of the full expression.
/// `Byte` is const for a send.
template <class Byte>
class [[maybe_unused]] staged_message {
 public:
  /// `among` lives until the end of the full expression.
  staged_message(runtime_state& s, task_name name, device_span<Byte> memory, int peer, int tag,
                 const communicator& among) noexcept
      : state_(s), name_(name), memory_(memory), peer_(peer), tag_(tag), among_(among) {}
  staged_message(const staged_message&) = delete;
  staged_message& operator=(const staged_message&) = delete;
  ~staged_message() noexcept(false) {
    if (!is_dropped_) detail::submit_staged(state_, name_, memory_, peer_, tag_, among_, parts_);
  }

  /// Cuts the message into so many messages of the same tag, as equal as cache lines allow: part k
  /// is copied while part k-1 travels and part k-2 is copied on the other side.  The receiver names
  /// as many bytes and parts.  Without a number, or with 0, the model chooses the one that takes
  /// least time (model/staged.hpp), of rank 0's network and its first device's bus.  Errors:
  /// usage_error for a number below 0; then there is no message.
  ///
  ///     rt.send("edge", in(edge), left).parts();
  ///     rt.recv("ghost", out(ghost), right).parts();
  staged_message& parts(int count = detail::parts_by_model) {
    is_dropped_ = true;
    detail::expect_parts(name_, count);
    is_dropped_ = false;
    parts_ = count;
    return *this;
  }

 private:
  runtime_state& state_;
  task_name name_;
  device_span<Byte> memory_;
  int peer_;
  int tag_;
  const communicator& among_;
  int parts_ = 1;
  bool is_dropped_ = false;
};

}  // namespace plait
