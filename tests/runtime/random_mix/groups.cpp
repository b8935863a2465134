// SPDX-License-Identifier: BSD-3-Clause
// The communicators of mixed programs, as every rank knows them without asking MPI.
#include <algorithm>

#include "statement.hpp"

namespace plait::test::mix {
namespace {

/// The group of each rank, if it has one, and whether ranks count backwards in it.
struct division {
  const char* name;
  std::optional<int> colour;
  bool backwards = false;
};

[[nodiscard]] division divide(std::size_t communicator, int rank, int ranks) {
  switch (communicator) {
    case 2:
      return {"half", 2 * rank / ranks};
    case 3:
      return {"parity", rank % 2, true};
    case 4:
      return {"alone", rank};
    case 5:
      return {"all but one", ranks < 3 || rank != 1 ? std::optional(0) : std::nullopt, true};
    default:
      return {"all", 0};
  }
}

}  // namespace

std::size_t group::rank_of(int world_rank) const {
  return static_cast<std::size_t>(std::ranges::find(members, world_rank) - members.begin());
}

std::vector<group> groups_of(std::size_t communicator, int ranks) {
  std::vector<group> all;
  for (int colour = 0; colour < ranks; ++colour) {
    group one{communicator, {}};
    for (int rank = 0; rank < ranks; ++rank) {
      if (divide(communicator, rank, ranks).colour == colour) one.members.push_back(rank);
    }
    if (divide(communicator, 0, ranks).backwards) std::ranges::reverse(one.members);
    if (!one.members.empty()) all.push_back(std::move(one));
  }
  return all;
}

std::vector<communicator> make_communicators(environment& env) {
  std::vector<communicator> all{communicator{}, env.world()};
  for (std::size_t i = all.size(); i < communicators; ++i) {
    const division d = divide(i, env.rank(), env.size());
    all.push_back(env.world().split(d.name, d.colour, d.backwards ? -env.rank() : 0));
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    all.push_back(env.world().lane("lane " + std::to_string(i)));
  }
  return all;
}

}  // namespace plait::test::mix
