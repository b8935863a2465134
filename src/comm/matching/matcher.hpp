// SPDX-License-Identifier: BSD-3-Clause
/// Gives operations their places in the order of matching: spaces, channels, tags.  Runs in the
/// thread that submits.  See `engine` for the argument.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/comm/communicator.hpp>
#include <plait/comm/engine.hpp>

#include "comm/matching/channel.hpp"
#include "comm/matching/matching_space.hpp"
#include "comm/matching/repetition.hpp"

namespace plait {

/// Submitting thread only, but for what says otherwise.
class matcher {
 public:
  explicit matcher(persistence persistent) : repetitions_(persistent) {}

  /// Collective.  Holds the token.  Errors: MPI errors.
  void open(environment& env, engine* user);
  /// Holds the token, when nothing is in flight.  `failed`: ranks may have counted differently.
  void let_go(bool failed) noexcept;
  /// Collective.  Holds the token, after `let_go`.
  void close() noexcept { world_.close(); }

  /// The channel of `op` among these ranks; checks peer and tag.  Errors: as `engine::enqueue`.
  void join(operation& op, const communicator& among) {
    op.via = op.remote == nullptr && !among.is_made() ? world_.same_as_last(op) : nullptr;
    if (op.via == nullptr) look_up(op, among);
  }
  void attach(operation& op, const communicator& among);
  void enqueue(operation& op, const communicator& among) {
    join(op, among);
    if (op.via != nullptr) op.sequence = op.via->take_sequences(1);
  }
  void enqueue_repeated(std::span<operation* const> all, std::uint64_t iterations);
  /// The first call makes the communicator's space this engine's.  Errors: as `engine::claim`.
  matching_space& space_of(const communicator& among);

  /// Returns the largest tag that the program may use.  Any thread.
  [[nodiscard]] int largest_tag() const noexcept { return largest_tag_; }
  /// Returns the number of residues, each of which has MPI tags of its own.  Any thread.
  [[nodiscard]] int residues() const noexcept { return residues_; }
  /// `world`, and the communicators that are this engine's to use.  Their channels are also read
  /// by who holds the token while nothing is submitted.
  [[nodiscard]] const std::vector<matching_space*>& spaces() const noexcept { return spaces_; }
  [[nodiscard]] const matching_space& world() const noexcept { return world_; }

 private:
  void look_up(operation& op, const communicator& among);
  [[nodiscard]] matching_space& space_for(const operation& op, const communicator& among);

  matching_space world_;
  std::vector<matching_space*> spaces_{&world_};
  repetition_set repetitions_;
  int residues_ = 1;
  int largest_tag_ = 0;
};

}  // namespace plait
