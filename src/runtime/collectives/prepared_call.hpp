// SPDX-License-Identifier: BSD-3-Clause
/// Keeps what is found out about a collective call before its steps are submitted, for the next
/// call if that is the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <plait/collective/shape.hpp>
#include <plait/runtime/collective_options.hpp>

#include "runtime/collectives/collective_schedules.hpp"
#include "runtime/collectives/short_call.hpp"

namespace plait {

class channel;

/// A call that fits its buffers, among ranks that are this runtime's.
class prepared_call {
 public:
  collective::shape shape;  ///< that of the call, with `rank`, `ranks` and `cut`
  std::shared_ptr<const collective_schedules::entry> steps;  ///< none by the library
  bool tells = false;                                        ///< messages beside it tell sizes
  /// Channels of these messages, where they may be left out.
  std::vector<channel*> telling;
  /// Bytes that a short call reads, and those that it writes too; nothing if it is none.
  std::optional<short_call::accesses> short_memory;
  bool has_short_agreement = false;
  bool is_repeated = false;
  short_calls calls;
  /// Agreements of such calls.  Each tells the same each time, and what it has heard was the same,
  /// or has ended the runtime.
  short_calls agreements;

  explicit prepared_call(const collective_call& call) : shape(call.shape), of_(call) {
    of_.combine = nullptr;  // the program's, which may own something
  }

  /// Returns whether another call would be prepared alike: loops make the same call again.
  [[nodiscard]] bool is_of(const collective_call& call) const noexcept {
    const collective::shape& a = of_.shape;
    const collective::shape& b = call.shape;
    const bool is_of_vectors = short_memory.has_value();  // without boxes or lists
    return of_.send == call.send && of_.receive == call.receive && of_.word == call.word &&
           a.what == b.what && a.root == b.root && a.element_bytes == b.element_bytes &&
           a.count == b.count && a.in_place == b.in_place && a.fragment_bytes == b.fragment_bytes &&
           of_.options == call.options && !has_boxes(call) &&
           (is_of_vectors || (a == b && !has_boxes(of_)));
  }
  [[nodiscard]] bool is_free() const noexcept { return calls.are_free() && agreements.are_free(); }
  [[nodiscard]] static bool has_boxes(const collective_call& call) noexcept {
    return call.send_box.has_value() || call.receive_box.has_value();
  }

 private:
  collective_call of_;  ///< as it was given
};

/// The calls of a program's loop, found by their buffers.  Submitting thread.
class prepared_calls {
 public:
  /// Returns what is known of such a call, by `prepare()` if nothing is.
  [[nodiscard]] prepared_call& of(const collective_call& call, const auto& prepare) {
    std::unique_ptr<prepared_call>& place = all_[place_of(call)];
    if (place != nullptr && place->is_of(call)) {
      place->is_repeated = true;
      return *place;
    }
    auto& free_place = place == nullptr || place->is_free() ? place : once_;
    free_place = prepare();
    return *free_place;
  }

 private:
  static constexpr unsigned places_log2 = 5;
  [[nodiscard]] static std::size_t place_of(const collective_call& call) noexcept {
    const std::uint64_t key = call.receive.begin + 3 * call.send.begin +
                              (static_cast<std::uint64_t>(call.shape.what) << 32U);
    return (key * 0x9E3779B97F4A7C15U) >> (64U - places_log2);
  }
  std::array<std::unique_ptr<prepared_call>, std::size_t{1} << places_log2> all_;
  std::unique_ptr<prepared_call> once_;  ///< whose place has another in flight; never in one task
};

}  // namespace plait
