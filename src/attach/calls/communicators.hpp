// SPDX-License-Identifier: BSD-3-Clause
/// The program's communicators: a number that is the same on all their ranks, and who is who.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "attach/books/profile_data.hpp"
#include "attach/calls/real_functions.hpp"

namespace plait::attach {

struct communicator_data {
  std::uint64_t id = 0;
  std::vector<std::int32_t> world_of;  ///< rank in the world of each peer; -1: of another world
  std::int32_t own_rank = 0;           ///< in the world
  bool is_inter = false;
  std::uint32_t collectives = 0;

  [[nodiscard]] int world_rank(int peer) const noexcept {
    return peer >= 0 && static_cast<std::size_t>(peer) < world_of.size()
               ? world_of[static_cast<std::size_t>(peer)]
               : -1;
  }
};

/// Numbers without a message: a communicator is known by the ranks of the world that are in it, and
/// by how many of the same ranks were made before it; the ranks of a communicator make their common
/// ones in the same order, or MPI would not have matched them.
class communicators {
 public:
  void begin(int own_rank);
  /// The communicator of a handle, whether or not its making was seen; null for null.
  [[nodiscard]] communicator_data* find(MPI_Comm handle) noexcept {
    if (handle == last_handle_ && last_ != nullptr) [[likely]]
      return last_;
    return find_slowly(handle);
  }
  /// Returns the communicator of a handle for longer than the handle lives.
  [[nodiscard]] std::shared_ptr<communicator_data> hold(MPI_Comm handle) noexcept {
    return find(handle) == nullptr ? nullptr : known_.find(number_of(handle))->second;
  }
  void add(MPI_Comm handle);
  void remove(MPI_Comm handle) noexcept;

  /// Returns the number of earlier messages with the same communicator, direction, peer and tag,
  /// and counts this one.  Returns 0 once there are more such kinds than can be counted.
  [[nodiscard]] std::uint32_t next_place(const communicator_data& in, bool sent, int peer,
                                         int tag) noexcept;

 private:
  struct counter {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
  };
  [[nodiscard]] communicator_data* find_slowly(MPI_Comm handle) noexcept;
  void grow();

  static constexpr std::size_t most_counters = 1 << 18;
  std::unordered_map<std::uint64_t, std::shared_ptr<communicator_data>> known_;
  std::unordered_map<std::uint64_t, std::uint32_t> made_;
  std::vector<counter> counters_;
  std::size_t counted_ = 0;
  MPI_Comm last_handle_ = {};
  communicator_data* last_ = nullptr;
  int own_rank_ = 0;
};

}  // namespace plait::attach
