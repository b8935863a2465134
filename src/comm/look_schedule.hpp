// SPDX-License-Identifier: BSD-3-Clause
/// Decides when communication in flight is worth the price of a look.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <plait/comm/engine.hpp>
#include <plait/core/clock.hpp>

namespace plait {

/// A look (MPI_Testsome) costs some microseconds even if nothing has happened, and pulls data
/// through in small pieces if much is under way; too late a look leaves the link idle.  So the
/// first look after a post comes when the message may have arrived: at once if it is small, after
/// as long as its bytes lately took if it is large.  Each fruitless look doubles the distance, up
/// to the worst delay allowed; after a fruitful one the next is due when as much may have arrived
/// again.  A small message is then noticed after at most about twice its flight, a large one costs
/// few looks.
///
/// Written by the holder of the token; `next` may be read by any thread.
class look_schedule {
 public:
  look_schedule(double first_s, double worst_s)
      : worst_(seconds_to_ticks(worst_s)), first_(std::min(seconds_to_ticks(first_s), worst_)) {}

  void posted(ticks now, std::size_t size_bytes = 0) noexcept {
    if (next_.load(std::memory_order_relaxed) == engine::never) since_ = unwatched_from_ = now;
    distance_ = expected(size_bytes);
    set(std::min(next_.load(std::memory_order_relaxed), now + distance_));
  }

  /// An operation was found complete by the look under way.
  void completed(std::size_t size_bytes) noexcept {
    bytes_ += size_bytes;
    ++operations_;
  }

  void looked(ticks now, bool completed, bool in_flight) noexcept {
    last_.store(now, std::memory_order_relaxed);
    if (now - unwatched_from_ > longest_unwatched()) {
      longest_.store(now - unwatched_from_, std::memory_order_relaxed);
    }
    unwatched_from_ = now;
    if (completed) {
      learn(now);
      distance_ = expected(operations_ == 0 ? 0 : bytes_ / operations_);
      bytes_ = operations_ = 0;
    } else {
      distance_ = std::min(worst_, distance_ * 2);
    }
    set(in_flight ? now + distance_ : engine::never);
  }

  /// Nothing is in flight any more.
  void rest() noexcept { set(engine::never); }
  /// Something else than a message wants a look at that time.
  void look_by(ticks at) noexcept { set(std::min(next_.load(std::memory_order_relaxed), at)); }

  [[nodiscard]] ticks next() const noexcept { return next_.load(std::memory_order_relaxed); }
  [[nodiscard]] ticks last() const noexcept { return last_.load(std::memory_order_relaxed); }
  /// The longest time between two looks, or from the first post to the first look.
  [[nodiscard]] ticks longest_unwatched() const noexcept {
    return longest_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] ticks first() const noexcept { return first_; }
  [[nodiscard]] ticks worst() const noexcept { return worst_; }

 private:
  /// How long until a message of that size may be through.
  [[nodiscard]] ticks expected(std::size_t size_bytes) const noexcept {
    const auto transfer = static_cast<ticks>(ticks_per_byte_ * static_cast<double>(size_bytes));
    return std::clamp(first_ + transfer, first_, worst_);
  }

  /// Time for each byte, averaged over some looks.  Small messages say nothing about it.
  void learn(ticks now) noexcept {
    constexpr std::size_t telling_bytes = 16384;
    constexpr double weight = 0.25;
    if (bytes_ >= telling_bytes) {
      const double now_per_byte = static_cast<double>(now - since_) / static_cast<double>(bytes_);
      ticks_per_byte_ += weight * (now_per_byte - ticks_per_byte_);
    }
    since_ = now;
  }

  void set(ticks next) noexcept { next_.store(next, std::memory_order_relaxed); }

  const ticks worst_;
  const ticks first_;
  ticks distance_ = 0;
  ticks since_ = 0;  ///< when what is in flight began to arrive, as far as is known
  std::size_t bytes_ = 0;
  std::size_t operations_ = 0;
  double ticks_per_byte_ = 0;
  std::atomic<ticks> next_{engine::never};
  ticks unwatched_from_ = 0;
  std::atomic<ticks> last_{0};
  std::atomic<ticks> longest_{0};
};

}  // namespace plait
