// SPDX-License-Identifier: BSD-3-Clause
/// A collective call whose boxes are packed: what it is carried out on, and the tasks before and
/// after it.
#pragma once

#include <optional>

#include <plait/collective/shape.hpp>
#include <plait/runtime/collective_options.hpp>

#include "runtime/packed_box.hpp"

namespace plait {

class packed_call {
 public:
  /// `shape`: that of the call, with `rank` and `ranks`.  The call outlives it.  Precondition:
  /// `expect_fits`.
  packed_call(const collective_call& call, const collective::shape& shape);

  /// Returns the call on the packed boxes.
  [[nodiscard]] const collective_call& call() const noexcept {
    return packed_.has_value() ? *packed_ : given_;
  }

  void submit_packing(scheduler& tasks) const;
  /// Submits the unpacking, and the tasks that keep the packed memory until the call is over on
  /// this rank.
  void submit_unpacking(scheduler& tasks) const;

 private:
  const collective_call& given_;
  std::optional<collective_call> packed_;  ///< if it has boxes that lie apart
  std::optional<packed_box> send_;
  std::optional<packed_box> receive_;
  bool packs_receive_ = false;
  bool unpacks_receive_ = false;
};

}  // namespace plait
