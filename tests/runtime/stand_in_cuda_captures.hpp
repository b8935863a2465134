// SPDX-License-Identifier: BSD-3-Clause
// Captures of streams in the stand-in for CUDA's driver: which calls they refuse, and which calls
// spoil them, as the documentation says of cuThreadExchangeStreamCaptureMode and
// cuStreamBeginCapture.
#pragma once

#include <algorithm>
#include <list>
#include <thread>

namespace plait::test {

namespace capture_code {
inline constexpr int unsupported = 900;
inline constexpr int invalidated = 901;
inline constexpr int unmatched = 903;
inline constexpr int captured_event = 907;
inline constexpr int wrong_thread = 908;
}  // namespace capture_code

enum class capture_mode : int { global, thread_local_, relaxed };

/// Under the guard.
class captures {
 public:
  /// The calling thread's, for its calls.
  inline static thread_local capture_mode mode = capture_mode::global;

  int begin(const void* stream, capture_mode as) {
    if (find(stream) != all_.end()) return capture_code::unsupported;
    all_.push_back({stream, std::this_thread::get_id(), as});
    return 0;
  }
  int end(const void* stream) {
    const auto found = find(stream);
    if (found == all_.end()) return capture_code::unmatched;
    const one_capture ended = *found;
    if (ended.as != capture_mode::relaxed && ended.by != std::this_thread::get_id())
      return capture_code::wrong_thread;
    all_.erase(found);
    return ended.is_valid ? 0 : capture_code::invalidated;
  }
  /// Returns CUDA's status: 0 none, 1 active, 2 invalidated.
  [[nodiscard]] int status(const void* stream) {
    const auto found = find(stream);
    return found == all_.end() ? 0 : found->is_valid ? 1 : 2;
  }

  /// A call that is not of a capture but might wait for one.  Returns 900 where it is refused,
  /// which spoils what refused it.
  int unsafe_call() {
    int code = 0;
    for (one_capture& one : all_) {
      const bool is_own = one.by == std::this_thread::get_id();
      const bool asks = one.as != capture_mode::relaxed && mode != capture_mode::relaxed;
      if (!asks || (!is_own && (one.as != capture_mode::global || mode != capture_mode::global)))
        continue;
      one.is_valid = false;
      code = capture_code::unsupported;
    }
    return code;
  }
  /// A call that waits for this stream, which no mode allows.
  int waiting_call(const void* stream) {
    const auto found = find(stream);
    if (found == all_.end()) return unsafe_call();
    found->is_valid = false;
    return capture_code::unsupported;
  }

 private:
  struct one_capture {
    const void* stream;
    std::thread::id by;
    capture_mode as;
    bool is_valid = true;
  };
  [[nodiscard]] std::list<one_capture>::iterator find(const void* stream) {
    return std::ranges::find(all_, stream, &one_capture::stream);
  }

  std::list<one_capture> all_;
};

}  // namespace plait::test
