// SPDX-License-Identifier: BSD-3-Clause
// The functions that the engine's users call, each in the threads that engine.hpp says.  Behind it:
//
// submitting thread: matcher (places in the order of matching)
//
// any thread: activity, driver::post (what was posted, and whether something is in flight)
//
// holder of the token: driver::step, in_flight, completer, served_windows, held_queue
//
// the proxy: proxy, and of the layer look attention with pace and sleeper
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>
#include <plait/core/error.hpp>
#include <plait/core/fair_share.hpp>
#include <sched.h>

#include "comm/engine/driver.hpp"
#include "comm/engine/policy_choice.hpp"
#include "comm/engine/proxy.hpp"
#include "comm/matching/matching_space.hpp"
#include "comm/native.hpp"
#include "look/numbers.hpp"
#include "look/spinning.hpp"

namespace plait {
namespace {

/// Returns how many ranks share this one's core; 1 where the options name cores of its own.
[[nodiscard]] int ranks_a_core(const environment& env, const engine_options& options) {
  return options.cores != 0 ? 1 : processes_a_unit(env.node_units(), env.node_rank());
}

/// Returns the policy for the cores that the options name, or for this rank's fair share.
engine::choice choice_for(const environment& env, const engine_options& options) {
  const int cores =
      options.cores != 0 ? options.cores : fair_share(env.node_units(), env.node_rank());
  engine::choice chosen = choose_policy(options, cores, ranks_a_core(env, options));
  if (!options.remark.empty()) chosen.reason += "; " + options.remark;
  return chosen;
}

/// Returns whether a test that finds nothing complete yields the core inside the MPI library: Open
/// MPI's does where the launcher has started more ranks than it has slots.  To yield once more
/// would double the time until a rank's next look.  By the settings that the user and the launcher
/// hand to a process.  MPI_T knows it too, but opens all of the library's components first, which
/// takes 0.1 s.
[[nodiscard]] bool library_yields() noexcept {
#if defined(OPEN_MPI) || defined(MPI_ABI_VERSION)  // which Open MPI may stand behind
  for (const char* name : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return std::strchr("1tTyY", *value) != nullptr;
  }
#endif
  return false;
}

/// Engines by their owners, of which a process has a few.
struct owned_engines {
  std::mutex mutex;
  std::vector<std::pair<const void*, engine*>> all;
};
owned_engines& owned() {
  static owned_engines engines;
  return engines;
}

}  // namespace

struct engine::implementation {
  implementation(environment& env_, const engine_options& options)
      : env(env_),
        chosen(choice_for(env_, options)),
        sharers(ranks_a_core(env_, options)),
        at_fixed_interval(options.poll_every_s > 0),
        messages(env_, options, chosen.proxy || chosen.busy_workers,
                 longest_delay_s(options, sharers)),
        helper(messages, spins, chosen,
               {.worst_delay_s = longest_delay_s(options, sharers),
                .at_fixed_interval = at_fixed_interval,
                .alone_on_node = env_.node_size() == 1,
                .ranks_a_core = sharers}) {}

  environment& env;
  const choice chosen;
  const int sharers;
  const bool at_fixed_interval;
  const bool yields_in_looks = library_yields();
  MPI_Comm windows_comm = MPI_COMM_NULL;
  driver messages;
  spinning spins;
  proxy helper;
};

engine::engine(environment& env, const engine_options& options) {
  if (!(options.worst_delay_s > 0)) throw usage_error("worst_delay_s must be greater than 0");
  if (!(options.poll_every_s >= 0)) throw usage_error("poll_every_s must be at least 0");
  (void)seconds_per_tick();
  self_ = std::make_unique<implementation>(env, options);
  implementation& s = *self_;
  {
    mpi_token_guard guard(env.token());
    s.messages.matching().open(env, this);
    s.windows_comm = duplicate(s.messages.matching().world().messages);
  }
  if (s.chosen.proxy) s.helper.start();
  env.engines_.push_back(this);
}

engine::~engine() {
  implementation& s = *self_;
  const activity& state = s.messages.state();
  PLAIT_EXPECTS(state.in_flight() == 0,
                "operations in flight: " + std::to_string(state.in_flight()));
  PLAIT_EXPECTS(state.windows() == 0, "a window must end before its runtime");
  s.helper.stop();
  {
    std::lock_guard lock(owned().mutex);
    std::erase_if(owned().all, [this](const auto& one) { return one.second == this; });
  }
  std::erase(s.env.engines_, this);
  mpi_token_guard guard(s.env.token());
  // Freeing is collective in some libraries: not after a failure, where other ranks may be
  // elsewhere.
  const bool failed = state.is_given_up();
  s.messages.matching().let_go(failed);
  s.env.gave_up_ = s.env.gave_up_ || failed;
  if (failed) return;
  s.messages.close_library();
  free_duplicate(s.windows_comm);
  s.messages.matching().close();
}

MPI_Comm native_access::windows_of(engine& messages) noexcept {
  return messages.self_->windows_comm;
}

// --- the submitting thread
// ------------------------------------------------------------------------------------------------

/// On a lane any thread enqueues, as the task on it runs.  One task of the lane follows the other,
/// so the sequence numbers are the lane's order.  The token keeps the lane's channels, which its
/// holder reads, from changing meanwhile.
void engine::enqueue(operation& op, const communicator& among) {
  if (!among.is_lane()) return self_->messages.matching().enqueue(op, among);
  const std::lock_guard guard(*this);
  self_->messages.matching().enqueue(op, among);
}
channel& engine::channel_of(operation like, const communicator& among) {
  self_->messages.matching().join(like, among);
  return *like.via;
}
bool engine::leave_out(std::span<channel* const> channels) {
  return self_->messages.leave_out(channels);
}
void engine::claim(const communicator& among) {
  (void)self_->messages.matching().space_of(among);
}
void engine::attach(operation& op, const communicator& among) {
  self_->messages.matching().attach(op, among);
}
void engine::detach(operation& op) noexcept {
  if (op.again != nullptr) repetition_set::retire(std::exchange(op.again, nullptr));
}
void engine::enqueue_repeated(std::span<operation* const> all, std::uint64_t iterations) {
  self_->messages.matching().enqueue_repeated(all, iterations);
}
int engine::largest_tag() const noexcept {
  return self_->messages.matching().largest_tag();
}

engine::matching engine::matching_of(const operation& op) noexcept {
  const matching_space* const space = op.via != nullptr ? op.via->among() : nullptr;
  if (space == nullptr || space->is_world()) return {0, {}, op.peer};
  const bool has_peer = op.what != operation::kind::collective;
  return {space->number, space->name, has_peer ? space->world_rank(op.peer) : 0};
}

message_survey engine::survey(const std::function<std::string(const operation&)>& name_of,
                              double patience_s) {
  return self_->messages.survey(name_of, patience_s);
}

// --- any thread
// ------------------------------------------------------------------------------------------------

void engine::post(operation& op) {
  self_->messages.post(op);
  self_->helper.wake();
}
engine::at_once engine::start_at_once(operation& op) {
  implementation& s = *self_;
  const at_once became = s.messages.start_at_once(op, nullptr);
  // Others that waited for their turn behind it may have been started.
  if (s.chosen.proxy && became != at_once::later) s.helper.wake();
  return became;
}
engine::at_once engine::enqueue_and_start(operation& op, const communicator& among,
                                          successor succeeds) {
  implementation& s = *self_;
  op.via = nullptr;
  if (s.messages.state().is_given_up()) return at_once::later;
  s.messages.matching().enqueue(op, among);
  const at_once became = s.messages.start_at_once(op, succeeds);
  if (s.chosen.proxy && became != at_once::later) s.helper.wake();
  return became;
}
void engine::watch(awaited& what) {
  self_->messages.watch(what);
  self_->helper.wake();
}
void engine::serve(served_window& window) {
  self_->messages.serve(window);
  self_->helper.wake();
}
void engine::stop_serving(served_window& window) {
  self_->messages.stop_serving(window);
}
void engine::lock() noexcept {
  self_->messages.lock();
}
void engine::unlock() {
  self_->messages.release_token();
}
bool engine::try_lock() noexcept {
  return self_->messages.try_lock();
}
bool engine::poll(bool again) {
  return self_->messages.poll(again);
}
void engine::after_looks(std::function<void()> what) {
  self_->helper.after_looks(std::move(what));
}
void engine::beside_looks(std::function<ticks()> what) {
  self_->helper.beside_looks(std::move(what));
}
void engine::wake_proxy() noexcept {
  self_->helper.call();
}

void engine::serve_owner(const void* owner) {
  std::lock_guard lock(owned().mutex);
  owned().all.emplace_back(owner, this);
}
engine* engine::of_owner(const void* owner) noexcept {
  std::lock_guard lock(owned().mutex);
  const auto found = std::ranges::find(owned().all, owner, &std::pair<const void*, engine*>::first);
  return found == owned().all.end() ? nullptr : found->second;
}

bool engine::cancel(double patience_s) {
  return self_->messages.cancel(patience_s);
}
void engine::worker_passed(ticks now) noexcept {
  self_->helper.passes().passed(now, self_->messages.flight().began());
}
bool engine::poll_in_turn() {
  implementation& s = *self_;
  const bool worked = s.messages.poll(false);
  if (!worked && !s.yields_in_looks) sched_yield();
  return worked;
}
bool engine::may_poll_in_turn() noexcept {
  const driver& messages = self_->messages;
  return !self_->at_fixed_interval &&
         self_->spins.may_look_in_turn(messages.expectations() + messages.completed_operations());
}
ticks engine::shortest_sleep() const noexcept {
  return self_->at_fixed_interval ? 1
                                  : seconds_to_ticks(self_->sharers * look_numbers::least_sleep_s);
}
bool engine::may_spin(ticks awake_since) noexcept {
  return self_->spins.is_allowed(self_->messages.looks(), awake_since);
}
void engine::want_exact_times(bool wanted) noexcept {
  self_->messages.want_exact_times(wanted);
}

// --- any thread, which is told something
// ------------------------------------------------------------------------------------------------

bool engine::cancelled() const noexcept {
  return self_->messages.state().is_given_up();
}
ticks engine::in_flight_until(ticks now) const noexcept {
  return self_->messages.flight().until(now);
}
bool engine::idle() const noexcept {
  return self_->messages.state().is_idle();
}
ticks engine::next_poll() const noexcept {
  return self_->messages.looks().next();
}
const engine::choice& engine::chosen() const noexcept {
  return self_->chosen;
}
engine_statistics engine::statistics() const {
  const driver& messages = self_->messages;
  return {.operations = messages.completed_operations(),
          .polls = messages.polls(),
          .proxy_cpu_s = self_->helper.cpu_seconds(),
          .longest_unwatched_s = ticks_to_seconds(messages.looks().longest_unwatched()),
          .gave_way = self_->spins.gave_way()};
}

}  // namespace plait
