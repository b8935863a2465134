// SPDX-License-Identifier: BSD-3-Clause
/// A call of one of the MPI library's own non-blocking collectives, as data.  Who makes it is the
/// engine (engine.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <plait/collective/shape.hpp>

namespace plait {

/// Combines the elements of two buffers, into the second: to = to op from if `to_is_left`, else to
/// = from op to.
using combine_bytes =
    std::function<void(std::span<const std::byte> from, std::span<std::byte> to, bool to_is_left)>;

}  // namespace plait

namespace plait::collective {

/// Says which library carries a collective call out.
enum class back_end : std::uint8_t {
  schedules,  ///< plait's own, message by message: see schedule.hpp
  /// The MPI library's non-blocking collectives (MPI_Ibcast, MPI_Iallreduce, …).  MPI matches these
  /// by the order of the calls, so they are called in the order of submission: one whose data is
  /// ready waits for all that were submitted before it to have been called (not completed).  In
  /// checked mode plait's own take their place.
  library,
};

/// Returns why the library cannot carry out the call, and which calls it can; nothing if it can.
/// Neighbourhoods: MPI has them in communicators that all ranks make together, which would block.
/// Buffers: MPI counts in an int.
[[nodiscard]] std::optional<std::string> obstacle_to_library(const shape& call);

/// Returns whether one rank may see an obstacle that another rank does not see.  The other rank
/// would wait in its call.
[[nodiscard]] bool ranks_see_different_sizes(operation what) noexcept;

/// One call, which may be made again when it has completed.  Owned by the caller, who keeps it and
/// the buffers alive and in place while it is in flight.
class library_call {
 public:
  /// Preconditions: no obstacle; the buffers are as large as `footprint_of` says; `combine` where
  /// the operation combines.
  library_call(const shape& call, const void* send, void* receive,
               std::shared_ptr<const combine_bytes> combine, bool commutative);
  ~library_call();
  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;

  [[nodiscard]] operation what() const noexcept { return shape_.what; }

 private:
  friend class library_collectives;
  struct prepared;
  const shape shape_;
  const bool commutative_;
  const std::shared_ptr<prepared> prepared_;
};

}  // namespace plait::collective
