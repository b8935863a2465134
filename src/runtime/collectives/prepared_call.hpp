// SPDX-License-Identifier: BSD-3-Clause
/// Keeps what is found out about a collective call before its steps are submitted, for the next
/// call if that is the same.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <plait/collective/shape.hpp>
#include <plait/runtime/collective_options.hpp>

#include "runtime/collectives/collective_schedules.hpp"

namespace plait {

class channel;
class collective_agreement;

/// A call that fits its buffers, among ranks that are this runtime's.
class prepared_call {
 public:
  collective::shape shape;                   ///< that of the call, with `rank`, `ranks` and `cut`
  std::optional<collective::algorithm> how;  ///< none by the library, and no steps then
  std::shared_ptr<const collective_schedules::entry> steps;
  /// Channels of the messages by which ranks compare sizes, where these may be left out.
  std::vector<channel*> telling;
  /// The agreement of the last such call by schedules that was not recorded, for the next one if it
  /// is over by then.  It tells the same each time, and what it has heard was the same, or has
  /// ended the runtime.
  std::shared_ptr<collective_agreement> agreement;

  explicit prepared_call(const collective_call& call) : shape(call.shape), of_(call) {
    of_.combine = nullptr;  // the program's, which may own something
  }

  /// Returns whether another call would be prepared alike: loops make the same call again.
  [[nodiscard]] bool is_of(const collective_call& call) const noexcept {
    const collective_options& a = of_.options;
    const collective_options& b = call.options;
    return of_.send == call.send && of_.receive == call.receive && of_.word == call.word &&
           a.among == b.among && a.algorithm == b.algorithm && a.commutative == b.commutative &&
           a.back_end == b.back_end && of_.shape == call.shape && !has_boxes(of_) &&
           !has_boxes(call);
  }

 private:
  [[nodiscard]] static bool has_boxes(const collective_call& call) noexcept {
    return call.send_box.has_value() || call.receive_box.has_value();
  }
  collective_call of_;  ///< as it was given
};

}  // namespace plait
