// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/communicators.hpp"

#include <algorithm>
#include <utility>

namespace plait::attach {
namespace {

/// The ranks of a group in the world; -1 for those of another world.
[[nodiscard]] std::vector<std::int32_t> world_ranks(MPI_Group group, MPI_Group world) {
  int size = 0;
  PLAIT_REAL(MPI_Group_size)(group, &size);
  std::vector<int> here(static_cast<std::size_t>(size));
  std::vector<std::int32_t> there(static_cast<std::size_t>(size), -1);
  for (int i = 0; i < size; ++i) here[static_cast<std::size_t>(i)] = i;
  if (size == 0) return there;
  PLAIT_REAL(MPI_Group_translate_ranks)(group, size, here.data(), world, there.data());
  for (std::int32_t& one : there) {
    if (one == MPI_UNDEFINED) one = -1;
  }
  return there;
}

[[nodiscard]] std::uint64_t hash_of(const std::vector<std::int32_t>& ranks,
                                    std::uint64_t seed) noexcept {
  for (const std::int32_t rank : ranks) seed = mix(seed, static_cast<std::uint32_t>(rank));
  return seed;
}

}  // namespace

void communicators::begin(int own_rank) {
  own_rank_ = own_rank;
  counters_.assign(1024, {});
  add(constants.comm_world);
  add(constants.comm_self);
}

void communicators::add(MPI_Comm handle) {
  if (handle == constants.comm_null) return;
  MPI_Group group{};
  MPI_Group world{};
  PLAIT_REAL(MPI_Comm_group)(handle, &group);
  PLAIT_REAL(MPI_Comm_group)(constants.comm_world, &world);
  auto made = std::make_shared<communicator_data>();
  made->own_rank = own_rank_;
  made->world_of = world_ranks(group, world);
  std::uint64_t members = hash_of(made->world_of, 1);
  int is_inter = 0;
  PLAIT_REAL(MPI_Comm_test_inter)(handle, &is_inter);
  if (is_inter != 0) {
    made->is_inter = true;
    MPI_Group remote{};
    PLAIT_REAL(MPI_Comm_remote_group)(handle, &remote);
    made->world_of = world_ranks(remote, world);
    members += hash_of(made->world_of, 1);  // the same from both sides
    PLAIT_REAL(MPI_Group_free)(&remote);
  }
  PLAIT_REAL(MPI_Group_free)(&group);
  PLAIT_REAL(MPI_Group_free)(&world);
  made->id = mix(members, made_[members]++);
  known_[number_of(handle)] = std::move(made);
  last_ = nullptr;
}

void communicators::remove(MPI_Comm handle) noexcept {
  known_.erase(number_of(handle));
  last_ = nullptr;
}

communicator_data* communicators::find_slowly(MPI_Comm handle) noexcept {
  auto found = known_.find(number_of(handle));
  if (found == known_.end()) {
    if (handle == constants.comm_null) return nullptr;
    add(handle);
    found = known_.find(number_of(handle));
  }
  last_handle_ = handle;
  last_ = found->second.get();
  return last_;
}

/// Programs that give every message a tag of its own would fill any memory: once there are too many
/// counters the next messages count as the first of their kind, which they nearly always are.
std::uint32_t communicators::next_place(const communicator_data& in, bool sent, int peer,
                                        int tag) noexcept {
  const auto who = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32) |
                   static_cast<std::uint32_t>(tag);
  const std::uint64_t key = mix(mix(in.id, who), sent ? 1 : 2) | 1;
  const std::size_t mask = counters_.size() - 1;
  std::size_t at = key & mask;
  while (counters_[at].key != 0 && counters_[at].key != key) at = (at + 1) & mask;
  if (counters_[at].key == key) return counters_[at].count++;
  if (counted_ >= most_counters) return 0;
  counters_[at] = {key, 1};
  if (2 * ++counted_ > counters_.size()) grow();
  return 0;
}

void communicators::grow() {
  std::vector<counter> larger(2 * counters_.size());
  const std::size_t mask = larger.size() - 1;
  for (const counter& one : counters_) {
    if (one.key == 0) continue;
    std::size_t at = one.key & mask;
    while (larger[at].key != 0) at = (at + 1) & mask;
    larger[at] = one;
  }
  counters_.swap(larger);
}

}  // namespace plait::attach
