// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <plait/comm/communicator.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>

#include "comm/matching/matching_space.hpp"
#include "comm/mpi_call.hpp"
#include "comm/native.hpp"

namespace plait {
namespace {

int duplicates = 0;  ///< that live; the holder of the token

/// A number that is new to every rank of `comm`, and the largest of what they say.
struct agreement {
  int number;
  int largest;
};
[[nodiscard]] agreement agree(environment& env, MPI_Comm comm, int say) {
  int& taken = native_access::of(env).numbers_taken;
  const int mine[2] = {taken, say};
  int all[2] = {0, 0};
  mpi_call(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  taken = all[0] + 1;
  return {taken, all[1]};
}

[[nodiscard]] std::shared_ptr<matching_space> make_space(environment& env, std::string name,
                                                         int number) {
  auto made = std::make_shared<matching_space>();
  made->env = &env;
  made->name = std::move(name);
  made->number = number;
  return made;
}

[[nodiscard]] bool uses_tcp_among(const matching_space& space) {
  const std::vector<std::string>& hosts = space.env->hosts();
  const auto host_of = [&](int rank) -> const std::string& {
    return hosts[static_cast<std::size_t>(space.world_rank(rank))];
  };
  if (native_access::of(*space.env).has_rdma_card) return false;
  for (int rank = 1; rank < space.size; ++rank) {
    if (host_of(rank) != host_of(0)) return true;
  }
  return false;
}

/// `comm`: MPI_COMM_NULL on a rank that is no member.
void fill(matching_space& space, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_rank(comm, &space.rank);
  MPI_Comm_size(comm, &space.size);
  space.world_ranks = ranks_in(native_access::of(*space.env).internal, comm, space.size);
  space.open(comm);
}

}  // namespace

std::vector<int> ranks_in(MPI_Comm world, MPI_Comm comm, int size) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  mpi_call(MPI_Comm_group(world, &all), "MPI_Comm_group");
  mpi_call(MPI_Comm_group(comm, &some), "MPI_Comm_group");
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> found(own.size());
  mpi_call(MPI_Group_translate_ranks(some, size, own.data(), all, found.data()),
           "MPI_Group_translate_ranks");
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return found;
}

// It shall not stand for a message of any rank.
static_assert(no_rank != MPI_ANY_SOURCE && no_rank != MPI_ROOT && no_rank != MPI_UNDEFINED);
static_assert(MPI_PROC_NULL < 0);

bool detail::is_proc_null(int peer) noexcept {
  return peer == MPI_PROC_NULL;
}

/// MPI libraries have between some thousands and 65536 communicators, and name an internal error or
/// none when there are no more.
MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  if (const int code = MPI_Comm_dup(comm, &made); code != MPI_SUCCESS) {
    throw error("MPI_Comm_dup: " + mpi_error_text(code) + "; plait uses " +
                std::to_string(duplicates) +
                " duplicates of communicators, two for each runtime, lane and plait::communicator. "
                "Lanes and communicators live as long as the environment: make few, and use them "
                "again");
  }
  ++duplicates;
  mpi_call(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return made;
}

void free_duplicate(MPI_Comm& one) noexcept {
  if (one == MPI_COMM_NULL) return;
  MPI_Comm_free(&one);
  --duplicates;
}

void matching_space::open(MPI_Comm parent) {
  messages = duplicate(parent);
  if (is_world()) return;
  try {
    together = duplicate(parent);
  } catch (...) {
    close();
    throw;
  }
}

void matching_space::close() noexcept {
  free_duplicate(together);
  free_duplicate(messages);
}

communicator native_access::make(std::shared_ptr<matching_space> space) {
  space->uses_tcp = uses_tcp_among(*space);
  of(*space->env).spaces.push_back(space);
  return communicator(std::move(space));
}
matching_space* native_access::space_of(const communicator& among) noexcept {
  return among.self_.get();
}

communicator environment::world() {
  auto& spaces = native_->spaces;
  if (spaces.empty() || !spaces.front()->is_world()) {
    auto all = make_space(*this, "all ranks", 0);
    all->rank = rank_;
    all->size = size_;
    all->uses_tcp = uses_tcp_among(*all);
    spaces.insert(spaces.begin(), all);
  }
  return native_access::as_communicator(spaces.front());
}

communicator communicator::split(std::string name, std::optional<int> colour, int key) const {
  PLAIT_EXPECTS(self_ != nullptr, "no communicator; environment::world() is one");
  PLAIT_EXPECTS(size() > 0, "'" + self_->name + "' is split by a rank that is no member");
  environment& env = *self_->env;
  const MPI_Comm parent = self_->is_world() ? native_access::of(env).internal : self_->together;
  native_access::await_all(env, parent);
  mpi_token_guard guard(env.token());
  const bool wrong = colour.has_value() && *colour < 0;
  const auto [number, any_wrong] = agree(env, parent, wrong ? 1 : 0);
  if (any_wrong != 0) {
    throw usage_error("communicator '" + name +
                      "': a rank gives a negative colour; colours are 0 or more, and std::nullopt "
                      "for a rank that shall be in none");
  }
  auto made = make_space(env, std::move(name), number);
  MPI_Comm part = MPI_COMM_NULL;
  mpi_call(MPI_Comm_split(parent, colour.value_or(MPI_UNDEFINED), key, &part), "MPI_Comm_split");
  fill(*made, part);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  return native_access::make(std::move(made));
}

communicator communicator::lane(std::string name) const {
  communicator made = split(std::move(name), 0, rank());
  made.self_->is_lane = true;
  return made;
}

bool communicator::says_lane() const noexcept {
  return self_->is_lane;
}

const std::string& communicator::name() const {
  PLAIT_EXPECTS(self_ != nullptr, "no communicator");
  return self_->name;
}
int communicator::size() const {
  PLAIT_EXPECTS(self_ != nullptr, "no communicator");
  return self_->size;
}
int communicator::rank() const {
  PLAIT_EXPECTS(self_ != nullptr && size() > 0, "this rank is no member");
  return self_->rank;
}
bool communicator::uses_tcp() const {
  PLAIT_EXPECTS(self_ != nullptr, "no communicator");
  return self_->uses_tcp;
}
int communicator::world_rank(int rank) const {
  PLAIT_EXPECTS(self_ != nullptr && rank >= 0 && rank < size(), std::to_string(rank));
  return self_->world_rank(rank);
}

communicator adopt(environment& env, MPI_Comm comm, std::string name) {
  int is_inter = 0;
  {
    mpi_token_guard guard(env.token());
    mpi_call(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  }
  if (is_inter != 0) {
    throw usage_error("communicator '" + name + "': an intercommunicator cannot be adopted");
  }
  native_access::await_all(env, comm);
  mpi_token_guard guard(env.token());
  auto made = make_space(env, std::move(name), agree(env, comm, 0).number);
  fill(*made, comm);
  if (std::ranges::find(made->world_ranks, MPI_UNDEFINED) != made->world_ranks.end()) {
    made->close();
    throw usage_error("communicator '" + made->name +
                      "': it has processes that are not among the ranks of this job");
  }
  return native_access::make(std::move(made));
}

}  // namespace plait
