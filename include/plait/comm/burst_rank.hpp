// SPDX-License-Identifier: BSD-3-Clause
/// One rank's part in timed bursts, over whatever carries its bytes.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>

namespace plait {

/// One burst: the client sends `messages` of `size_bytes` each, by blocking sends; the server
/// answers with as many bytes as one of them once it has received them all.
struct burst {
  int messages = 1;            ///< at least 1
  std::size_t size_bytes = 1;  ///< 1 to 2^30
  double rest_s = 0;           ///< nothing is on the way for so long before it
  double send_pause_s = 0;     ///< the client works so long between two sends
  double receive_pause_s = 0;  ///< the server works so long between two receives
};

/// Times of one burst, on either side.
struct burst_times {
  double round_trip_s = 0;  ///< the client's, from its first send to the answer
  double receiving_s = 0;   ///< the server's, from its first receive's end to its last one's
};

/// The messages of a burst, in their order.
enum class burst_part : std::uint8_t { ready, message, answer };

/// The client's or the server's part.  No thread safety.  A `Wire` has
///
///     void send(burst_part, std::span<const std::byte>);   // blocks
///     void receive(burst_part, std::span<std::byte>);      // blocks
///     double swap(double own_s);                           // returns the other rank's
///     static constexpr const char* name;                   // begins what an error says, or ""
class burst_rank {
 public:
  /// Collective over the two ranks, with the same burst; both get both times.  Errors: `error` when
  /// an answer is not what was sent, and the wire's.
  template <class Wire>
  burst_times run(Wire wire, bool is_client, const burst& what) {
    ++bursts_;
    message_.resize(what.size_bytes);
    const double own_s = is_client ? send_all(wire, what) : receive_all(wire, what);
    const double other_s = wire.swap(own_s);
    return is_client ? burst_times{own_s, other_s} : burst_times{other_s, own_s};
  }

  /// Messages whose content was checked so far, answers included, and their bytes.  On the client.
  [[nodiscard]] std::uint64_t messages_checked() const noexcept { return messages_checked_; }
  [[nodiscard]] std::uint64_t bytes_checked() const noexcept { return bytes_checked_; }

 private:
  // Busy, as computation would be: a sleep would end late, and on a colder core.
  static void work_for(ticks duration) noexcept {
    const ticks end = now_ticks() + duration;
    while (now_ticks() < end) {
    }
  }

  // The n-th message of a burst begins with its number, for the receiver to see while time is
  // taken.
  [[nodiscard]] static std::byte number_of(int message) noexcept {
    return static_cast<std::byte>(message & 0xff);
  }

  // Every burst has bytes of its own, so that nothing left from the one before passes for it; a
  // prime period, so that a message shifted by any power of two is noticed.
  void fill() {
    for (std::size_t i = 0; i < message_.size(); ++i)
      message_[i] = static_cast<std::byte>(1 + (i + bursts_) % 251);
  }

  template <class Wire>
  double send_all(Wire& wire, const burst& what) {
    fill();
    answer_.assign(what.size_bytes, std::byte{0});
    const ticks pause = seconds_to_ticks(what.send_pause_s);
    std::byte ready{};
    wire.receive(burst_part::ready, {&ready, 1});
    work_for(seconds_to_ticks(what.rest_s));

    const ticks start = now_ticks();
    for (int i = 0; i < what.messages; ++i) {
      if (i > 0 && pause > 0) work_for(pause);
      message_[0] = number_of(i);
      wire.send(burst_part::message, message_);
    }
    wire.receive(burst_part::answer, answer_);
    const double round_trip_s = ticks_to_seconds(now_ticks() - start);

    if (answer_ != message_) arrived_wrong<Wire>("the answer", what);
    messages_checked_ += static_cast<std::uint64_t>(what.messages) + 1;
    bytes_checked_ += 2 * what.size_bytes + static_cast<std::uint64_t>(what.messages) - 1;
    return round_trip_s;
  }

  // The answer is what was received last: the client finds its own bytes in it, or not.
  template <class Wire>
  double receive_all(Wire& wire, const burst& what) {
    for (std::byte& one : message_) one = {};
    const ticks pause = seconds_to_ticks(what.receive_pause_s);
    bool in_order = true;
    const std::byte ready{};
    wire.send(burst_part::ready, {&ready, 1});

    ticks first = 0;
    for (int i = 0; i < what.messages; ++i) {
      if (i > 0 && pause > 0) work_for(pause);
      wire.receive(burst_part::message, message_);
      if (i == 0) first = now_ticks();
      in_order = in_order && message_[0] == number_of(i);
    }
    const double receiving_s = ticks_to_seconds(now_ticks() - first);
    wire.send(burst_part::answer, message_);
    if (!in_order) arrived_wrong<Wire>("a message", what);
    return receiving_s;
  }

  template <class Wire>
  [[noreturn]] static void arrived_wrong(const char* what, const burst& of) {
    throw error(std::string(Wire::name) + what + " of " + std::to_string(of.size_bytes) +
                " bytes arrived wrong, in a burst of " + std::to_string(of.messages));
  }

  std::uint64_t bursts_ = 0;
  std::uint64_t messages_checked_ = 0;
  std::uint64_t bytes_checked_ = 0;
  std::vector<std::byte> message_;
  std::vector<std::byte> answer_;
};

}  // namespace plait
