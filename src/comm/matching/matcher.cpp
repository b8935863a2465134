// SPDX-License-Identifier: BSD-3-Clause
// Runs in the thread that submits; `open` and `let_go` hold the token as well.
#include "comm/matching/matcher.hpp"

#include <map>
#include <memory>
#include <ranges>
#include <string>

#include <plait/collective/algorithm.hpp>
#include <plait/comm/served_window.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"
#include "comm/native.hpp"

namespace plait {
namespace {

constexpr int most_residues = 64;
constexpr int least_tags = 1 << 15;  // MPI promises this many

/// Tags and residues share MPI's tag range.
[[nodiscard]] int residues_for(int tag_upper_bound) {
  int residues = most_residues;
  while (residues > 1 && tag_upper_bound / residues < least_tags) residues /= 2;
  return residues;
}

/// "send 'edge'"
[[nodiscard]] std::string subject(const operation& op) {
  const std::string what =
      op.what == operation::kind::collective ? std::string(to_string(op.called)) : word_of(op);
  return op.name != nullptr ? what + " '" + op.name + "'" : what;
}

}  // namespace

void matcher::open(environment& env, engine* user) {
  world_.rank = env.rank();
  world_.size = env.size();
  world_.user = user;
  world_.open(native_access::of(env).internal);
  void* upper_bound = nullptr;
  int found = 0;
  mpi_call(MPI_Comm_get_attr(world_.messages, MPI_TAG_UB, &upper_bound, &found),
           "MPI_Comm_get_attr");
  const int bound = found != 0 ? *static_cast<int*>(upper_bound) : least_tags - 1;
  residues_ = residues_for(bound);
  largest_tag_ = bound / residues_ - 3;  // the last ones are for collectives
  repetitions_.residues = static_cast<std::uint64_t>(residues_);
}

void matcher::let_go(bool failed) noexcept {
  repetitions_.end();
  for (matching_space* space : spaces_) {
    space->user = nullptr;
    space->given_up = failed;
  }
}

matching_space& matcher::space_of(const communicator& among) {
  matching_space* const space = native_access::space_of(among);
  if (space == nullptr || space->is_world()) return world_;
  if (space->user == world_.user) return *space;
  if (space->size == 0) {
    throw usage_error("this rank is no member of '" + space->name + "'");
  }
  if (space->given_up) {
    throw error("'" + space->name +
                "' was in use when a task failed, and ranks may have counted differently there; "
                "split again");
  }
  if (space->user != nullptr) {
    throw usage_error("'" + space->name +
                      "' is another runtime's as long as that lives; split again for this one");
  }
  space->user = world_.user;
  spaces_.push_back(space);
  return *space;
}

matching_space& matcher::space_for(const operation& op, const communicator& among) {
  try {
    return space_of(among);
  } catch (const usage_error& wrong) {
    throw usage_error(subject(op) + ": " + wrong.what());
  } catch (const error& failed) {
    throw error(subject(op) + ": " + failed.what());
  }
}

void matcher::look_up(operation& op, const communicator& among) {
  if (op.remote != nullptr) {
    op.via = op.remote->home->channel_for(op);
    return;
  }
  matching_space& space = among.is_made() ? space_for(op, among) : world_;
  op.via = space.same_as_last(op);
  if (op.via != nullptr) return;
  if (op.what == operation::kind::collective) {
    auto& all = space.channels[{op.what, 0, 0}];
    if (all == nullptr) all = std::make_unique<channel>(1, &space);  // by the order of calls
    op.via = all.get();
    return;
  }
  const bool send = op.what == operation::kind::send;
  if (op.peer < 0 || op.peer >= space.size) {
    throw usage_error(subject(op) + (send ? " to" : " from") + " rank " + std::to_string(op.peer) +
                      space.suffix() + "; ranks are 0 to " + std::to_string(space.size - 1));
  }
  if (op.of != operation::origin::program) {
    op.tag = largest_tag_ + (op.of == operation::origin::agreement ? 2 : 1);
  } else if (op.tag < 0 || op.tag > largest_tag_) {
    throw usage_error(subject(op) + ": tag " + std::to_string(op.tag) + "; tags are 0 to " +
                      std::to_string(largest_tag_) + " with this MPI library");
  }
  auto& via = space.channels[{op.what, op.peer, op.tag}];
  if (via == nullptr)
    via = std::make_unique<channel>(static_cast<std::uint64_t>(residues_), &space,
                                    op.tag * residues_);
  op.via = via.get();
  space.remember(op);
}

void matcher::attach(operation& op, const communicator& among) {
  join(op, among);
  if (op.again == nullptr && op.via != nullptr) op.again = repetitions_.make();
}

void matcher::enqueue_repeated(std::span<operation* const> all, std::uint64_t iterations) {
  const auto in_order = [](const operation* op) { return op->via != nullptr; };
  std::map<channel*, std::uint64_t> in_one_iteration;
  for (operation* op : all | std::views::filter(in_order)) ++in_one_iteration[op->via];
  for (operation* op : all | std::views::filter(in_order)) {
    const std::uint64_t stride = in_one_iteration[op->via];
    op->stride = stride;
    op->again->begin(*op);
    if (may_start_at_once(*op) && !op->varies) op->is_plain = true;
    op->sequence = op->via->take_sequences(1) - stride;  // raised before each run
  }
  for (const auto& [via, stride] : in_one_iteration)
    (void)via->take_sequences(stride * (iterations - 1));
}

}  // namespace plait
