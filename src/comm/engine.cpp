// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>
#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/core/event_count.hpp>
#include <plait/core/fair_share.hpp>
#include <sched.h>

#include "comm/channel.hpp"
#include "comm/core_watch.hpp"
#include "comm/flight_clock.hpp"
#include "comm/library_collectives.hpp"
#include "comm/look_schedule.hpp"
#include "comm/matching_space.hpp"
#include "comm/message_survey.hpp"
#include "comm/mpi_call.hpp"
#include "comm/native.hpp"
#include "comm/one_sided/service.hpp"
#include "comm/proxy_thread.hpp"
#include "comm/repetition.hpp"
#include "comm/transfer.hpp"

namespace plait {
namespace {

/// A count with one writer at a time, the holder of the token.
void raise(std::atomic<std::uint64_t>& count) noexcept {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Whether a step looks for what has completed; `again`: it is one of many without pause.
enum class look : std::uint8_t { no, once, again };

/// The time, read when somebody first asks for it: 16 to 24 ns, of which a message needs none where
/// others are in flight and looked after.
class moment {
 public:
  moment() noexcept = default;
  explicit moment(ticks at) noexcept : at_(at) {}
  [[nodiscard]] ticks now() noexcept {
    if (at_ == unread) at_ = now_ticks();
    return at_;
  }

 private:
  static constexpr ticks unread = -1;
  ticks at_ = unread;
};

constexpr double first_look_s = 20e-6;
constexpr int most_residues = 64;
constexpr int least_tags = 1 << 15;  // MPI promises this many

/// Tags and residues share MPI's tag range.
[[nodiscard]] int residues_for(int tag_upper_bound) {
  int residues = most_residues;
  while (residues > 1 && tag_upper_bound / residues < least_tags) residues /= 2;
  return residues;
}

[[nodiscard]] std::string delay_text(double worst_delay_s) {
  char text[64];
  std::snprintf(text, sizeof text, "a completion is noticed within %.3g ms", 1e3 * worst_delay_s);
  return text;
}

[[nodiscard]] engine::choice choose(const engine_options& options, int fair_share) {
  const std::string delay = delay_text(options.worst_delay_s);
  switch (options.policy) {
    case progress::dedicated:
      return {.proxy = true, .proxy_spins = true, .name = "dedicated", .reason = "asked for"};
    case progress::sleeping:
      return {.proxy = true, .name = "sleeping", .reason = "asked for; " + delay};
    case progress::workers:
      return {.idle_workers = true,
              .busy_workers = true,
              .name = "workers",
              .reason = "asked for; a completion is noticed between tasks"};
    case progress::none:
      return {.name = "none", .reason = "asked for; a completion is noticed in wait()"};
    case progress::automatic:
      break;
  }
  const auto number = [](int n, const char* of) {
    return std::to_string(n) + of + (n == 1 ? "" : "s");
  };
  const std::string counts = number(options.workers, " worker") + " on " +
                             number(fair_share, " core") + " of this rank's share";
  if (fair_share > options.workers) {
    return {.proxy = true,
            .proxy_spins = true,
            .gives_way = true,
            .idle_workers = true,
            .name = "dedicated",
            .reason = counts + ": one is free for the proxy, which sleeps while others want it"};
  }
  return {.proxy = true,
          .idle_workers = true,
          .busy_workers = true,
          .name = "sleeping+workers",
          .reason = counts + ": none is free for a proxy; " + delay};
}

/// What threads of this process know of their cores, whichever engine they spin for.
constinit spin_licence licence_to_spin;

/// "send 'edge'"
[[nodiscard]] std::string subject(const operation& op) {
  const std::string what = op.what == operation::kind::collective
                               ? std::string(to_string(op.called))
                           : op.what == operation::kind::send ? "send"
                                                              : "receive";
  return op.name != nullptr ? what + " '" + op.name + "'" : what;
}

/// Other ranks wait for what this one can no longer do, and no task here would say so.
[[noreturn]] void fail_others(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "plait: %s: a window cannot answer other ranks any more: %s\n",
                 process_label().c_str(), e.what());
  }
  detail::abort_job();
}

}  // namespace

struct engine::implementation {
  implementation(environment& env_, const engine_options& options);

  // Holder of the token only
  // ------------------------------------------------------------------------
  bool drain();
  void take_up(operation& op, moment& when);
  void admit(operation& op, moment& when);
  void start(operation& op, moment& when);
  void start_one_sided(operation& op, moment& when);
  bool test(look which);
  bool test_watched();
  bool look_after_windows();
  void end_one_sided(one_sided_service::finished_list done);
  [[nodiscard]] bool nothing_in_flight() const noexcept {
    return transfers.empty() && watched.empty() && one_sided == 0;
  }
  [[nodiscard]] bool nothing_to_look_after() const noexcept {
    return nothing_in_flight() && windows.empty();
  }
  [[nodiscard]] bool mpi_uses_memory() const noexcept;
  void complete(operation& op, const std::exception_ptr& failure);
  void settle(operation& op, const std::exception_ptr& failure);
  bool release_held();
  [[nodiscard]] bool hold_back(operation& op);
  [[nodiscard]] bool gives_token_way() const noexcept;
  bool look_as_proxy();
  void give_way(ticks now) noexcept;
  void one_more_active() noexcept;
  void one_less_active() noexcept;
  /// Any thread.  In this order: what is taken from `posted` is counted before.
  [[nodiscard]] bool is_idle() const noexcept {
    return posted.load(std::memory_order_seq_cst) == nullptr &&
           active.load(std::memory_order_seq_cst) == 0 &&
           served.load(std::memory_order_seq_cst) == 0;
  }

  bool step(look which, operation* here = nullptr);
  /// A step that does not look would have nothing to do but to start an operation, and nothing is
  /// set aside for a while.
  [[nodiscard]] bool nothing_waits_for_a_step() const noexcept {
    return options.disturb.probability <= 0 && posted.load(std::memory_order_seq_cst) == nullptr;
  }
  void release_token();
  void proxy_loop();

  environment& env;
  const engine_options options;
  choice chosen;
  MPI_Comm windows_comm = MPI_COMM_NULL;
  int residues = 1;
  int largest_tag = 0;

  void join_channel(operation& op, const communicator& among);        // submitting thread
  [[nodiscard]] matching_space& space_of(const communicator& among);  // the same
  [[nodiscard]] matching_space& space_for(const operation& op, const communicator& among);
  void push(operation& op) noexcept;  // any thread
  void wake_proxy() noexcept;         // any thread

  matching_space world;
  /// `world`, and the communicators that are this engine's to use.  Submitting thread.
  std::vector<matching_space*> spaces{&world};
  repetition_set repetitions;

  alignas(64) std::atomic<operation*> posted{
      nullptr};  ///< Treiber stack; popped all at once: no ABA
  /// Taken up and not completed.  The holder of the token writes it: no locked instruction, but
  /// from zero on, where others may have seen that nothing is in flight and look for a last time
  /// before they sleep (event_count, `proxy_rests`).
  alignas(64) std::atomic<std::int64_t> active{0};
  std::atomic<int> served{0};  ///< windows
  std::atomic<bool> stopping{false};
  std::atomic<bool> cancelled{false};
  std::atomic<bool> exact_times{false};  ///< each operation's `posted_at` is read from the clock
  event_count proxy_events;
  /// It sleeps until it is told that something is in flight.  Set before it asks for the last time
  /// whether something is, read after something has become so, all seq_cst: one of the two sees the
  /// other.
  std::atomic<bool> proxy_rests{false};

  // Under the token.
  transfer_set transfers;
  collective::library_collectives library;
  bool completed_since_looked = false;  ///< not told to `looks`
  bool lost = false;  ///< MPI has requests that can be followed no more, and their buffers
  std::vector<awaited*> watched;
  std::vector<one_sided_service*> windows;
  std::size_t one_sided = 0;  ///< operations on windows that were started and have not completed
  flight_clock flight;
  look_schedule looks;
  std::vector<operation*> held_starts;
  std::vector<std::pair<operation*, std::exception_ptr>> held_completions;
  std::mt19937_64 random;
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> polls{0};
  std::atomic<std::uint64_t> gave_way{0};

  proxy_thread proxy;
};

engine::implementation::implementation(environment& env_, const engine_options& options_)
    : env(env_),
      options(options_),
      repetitions(options_.persistent_requests),
      looks(first_look_s, options_.worst_delay_s),
      random(options_.disturb.seed) {}

engine::engine(environment& env, const engine_options& options) {
  if (!(options.worst_delay_s > 0)) throw usage_error("worst_delay_s must be greater than 0");
  (void)seconds_per_tick();
  self_ = std::make_unique<implementation>(env, options);
  implementation& s = *self_;
  {
    mpi_token_guard guard(env.token());
    s.world.rank = env.rank();
    s.world.size = env.size();
    s.world.user = this;
    s.world.open(native_access::of(env).internal);
    void* upper_bound = nullptr;
    int found = 0;
    mpi_call(MPI_Comm_get_attr(s.world.messages, MPI_TAG_UB, &upper_bound, &found),
             "MPI_Comm_get_attr");
    const int bound = found != 0 ? *static_cast<int*>(upper_bound) : least_tags - 1;
    s.residues = residues_for(bound);
    s.largest_tag = bound / s.residues - 3;  // the last ones are for collectives
    s.repetitions.residues = static_cast<std::uint64_t>(s.residues);
    mpi_call(MPI_Comm_dup(s.world.messages, &s.windows_comm), "MPI_Comm_dup");
    mpi_call(MPI_Comm_set_errhandler(s.windows_comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  s.chosen = choose(options, fair_share(env.node_units(), env.node_rank()));
  if (s.chosen.proxy) s.proxy.start([&s] { s.proxy_loop(); });
  env.engines_.push_back(this);
}

MPI_Comm native_access::windows_of(engine& messages) noexcept {
  return messages.self_->windows_comm;
}

engine::~engine() {
  implementation& s = *self_;
  PLAIT_EXPECTS(s.active.load() == 0, "operations in flight: " + std::to_string(s.active.load()));
  PLAIT_EXPECTS(s.served.load() == 0, "a window must end before its runtime");
  s.stopping.store(true, std::memory_order_seq_cst);
  s.proxy_events.notify_all();
  s.proxy.join();
  std::erase(s.env.engines_, this);
  mpi_token_guard guard(s.env.token());
  s.repetitions.end();
  // Freeing is collective in some libraries: not after a failure, where other ranks may be
  // elsewhere.
  const bool failed = s.cancelled.load();
  for (matching_space* space : s.spaces) {
    space->user = nullptr;
    space->given_up = failed;
  }
  if (failed) return;
  s.library.close();
  MPI_Comm_free(&s.windows_comm);
  s.world.close();
}

matching_space& engine::implementation::space_of(const communicator& among) {
  matching_space* const space = native_access::space_of(among);
  if (space == nullptr || space->is_world()) return world;
  if (space->user == world.user) return *space;
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
  space->user = world.user;
  spaces.push_back(space);
  return *space;
}

matching_space& engine::implementation::space_for(const operation& op, const communicator& among) {
  try {
    return space_of(among);
  } catch (const usage_error& wrong) {
    throw usage_error(subject(op) + ": " + wrong.what());
  } catch (const error& failed) {
    throw error(subject(op) + ": " + failed.what());
  }
}

void engine::implementation::join_channel(operation& op, const communicator& among) {
  if (op.remote != nullptr) {
    op.via = op.remote->home->channel_for(op);
    return;
  }
  matching_space& space = space_for(op, among);
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
    op.tag = largest_tag + (op.of == operation::origin::agreement ? 2 : 1);
  } else if (op.tag < 0 || op.tag > largest_tag) {
    throw usage_error(subject(op) + ": tag " + std::to_string(op.tag) + "; tags are 0 to " +
                      std::to_string(largest_tag) + " with this MPI library");
  }
  auto& via = space.channels[{op.what, op.peer, op.tag}];
  if (via == nullptr) via = std::make_unique<channel>(static_cast<std::uint64_t>(residues), &space);
  op.via = via.get();
}

engine::matching engine::matching_of(const operation& op) noexcept {
  const matching_space* const space = op.via != nullptr ? op.via->among() : nullptr;
  if (space == nullptr || space->is_world()) return {0, {}, op.peer};
  const bool has_peer = op.what != operation::kind::collective;
  return {space->number, space->name, has_peer ? space->world_rank(op.peer) : 0};
}

void engine::attach(operation& op, const communicator& among) {
  self_->join_channel(op, among);
  if (op.again == nullptr && op.via != nullptr) op.again = self_->repetitions.make();
}

/// Whoever holds the token frees the requests at its next step, if the engine does not end before.
void engine::detach(operation& op) noexcept {
  if (op.again != nullptr) repetition_set::retire(std::exchange(op.again, nullptr));
}

void engine::enqueue(operation& op, const communicator& among) {
  self_->join_channel(op, among);
  if (op.via != nullptr) op.sequence = op.via->take_sequences(1);
}

void engine::claim(const communicator& among) {
  (void)self_->space_of(among);
}

void engine::enqueue_repeated(std::span<operation* const> all, std::uint64_t iterations) {
  std::vector<operation*> ops(all.begin(), all.end());
  std::erase_if(ops, [](const operation* op) { return op->via == nullptr; });
  std::map<channel*, std::uint64_t> in_one_iteration;
  for (operation* op : ops) op->sequence = in_one_iteration[op->via]++;
  std::map<channel*, std::uint64_t> first;
  for (const auto& [via, count] : in_one_iteration) {
    first[via] = via->take_sequences(count * iterations);
  }
  for (operation* op : ops) {
    op->again->stride = in_one_iteration[op->via];
    op->sequence += first[op->via] - op->again->stride;  // `next_iteration` comes before each run
  }
}

void engine::next_iteration(operation& op) noexcept {
  if (op.again != nullptr) op.sequence += op.again->stride;
}

int engine::largest_tag() const noexcept {
  return self_->largest_tag;
}
bool engine::cancelled() const noexcept {
  return self_->cancelled.load();
}
const engine::choice& engine::chosen() const noexcept {
  return self_->chosen;
}
void engine::want_exact_times(bool wanted) noexcept {
  self_->exact_times.store(wanted, std::memory_order_relaxed);
}
ticks engine::next_look() const noexcept {
  return self_->looks.next();
}
bool engine::idle() const noexcept {
  return self_->is_idle();
}
ticks engine::in_flight_until(ticks now) const noexcept {
  return self_->flight.until(now);
}

void engine::implementation::one_more_active() noexcept {
  const auto before = active.load(std::memory_order_relaxed);
  active.store(before + 1, before == 0 ? std::memory_order_seq_cst : std::memory_order_relaxed);
}
void engine::implementation::one_less_active() noexcept {
  active.store(active.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

/// After something was put in flight.  The proxy may sleep past its first look; where workers look
/// too that does not matter, unless it sleeps without limit.
void engine::implementation::wake_proxy() noexcept {
  if (!chosen.busy_workers || proxy_rests.load(std::memory_order_seq_cst)) {
    proxy_events.notify_one();
  }
}

void engine::post(operation& op) {
  implementation& s = *self_;
  // Where somebody looks all the time, the last look is as good: a reading takes longer than all
  // else that is done here.
  const bool lately = (s.chosen.proxy || s.chosen.busy_workers) && s.looks.next() != never &&
                      !s.exact_times.load(std::memory_order_relaxed);
  op.posted_at = lately ? s.looks.last() : now_ticks();
  if (mpi_token::any_held_here()) {  // in `completed` of another operation
    moment when;
    s.one_more_active();
    s.take_up(op, when);
  } else if (s.env.token().try_acquire()) {
    s.one_more_active();
    if (s.nothing_waits_for_a_step()) {
      moment when;
      s.admit(op, when);
    } else {
      s.step(look::no, &op);
    }
    s.release_token();
  } else {
    s.push(op);
    if (s.env.token().try_acquire()) {
      s.step(look::no);
      s.release_token();
    }
  }
  s.wake_proxy();
}

/// For whoever has the token, or gets it next.
void engine::implementation::push(operation& op) noexcept {
  operation* head = posted.load(std::memory_order_relaxed);
  do {
    op.next = head;
  } while (!posted.compare_exchange_weak(head, &op, std::memory_order_seq_cst,
                                         std::memory_order_relaxed));
}

void engine::lock() noexcept {
  self_->env.token().acquire();
}
void engine::unlock() {
  self_->release_token();
}

void engine::watch(awaited& what) {
  implementation& s = *self_;
  s.env.token().acquire();
  s.one_more_active();
  const ticks now = now_ticks();
  if (s.nothing_in_flight()) s.flight.take_off(now);
  s.watched.push_back(&what);
  s.looks.posted(now);
  s.step(look::once);  // and, after `cancel`, gives it up
  s.release_token();
  s.wake_proxy();
}

void engine::serve(one_sided_service& window) {
  implementation& s = *self_;
  s.env.token().acquire();
  s.windows.push_back(&window);
  s.served.fetch_add(1, std::memory_order_seq_cst);
  s.looks.posted(now_ticks());
  s.release_token();
  s.wake_proxy();
}

void engine::stop_serving(one_sided_service& window) {
  implementation& s = *self_;
  s.env.token().acquire();
  if (s.cancelled.load()) {
    one_sided_service::finished_list left;
    window.abandon(left);
    s.end_one_sided(std::move(left));
  }
  if (std::erase(s.windows, &window) > 0) s.served.fetch_sub(1, std::memory_order_seq_cst);
  if (s.nothing_to_look_after()) s.looks.rest();
  s.release_token();
}

bool engine::may_spin(ticks awake_since) noexcept {
  static thread_local struct {
    core_watch core;
    ticks awake_since = 0;
    unsigned calls = 0;
  } own;
  if (!licence_to_spin.is_valid()) {
    own.calls = 0;
    return self_->looks.is_early();
  }
  if (std::exchange(own.awake_since, awake_since) != awake_since) own.calls = 0;
  if (++own.calls % 64 == 0) {  // most waits are over before
    const ticks now = now_ticks();
    if (own.calls == 64) {
      own.core.begin(now);
    } else if (own.core.is_wanted(now)) {
      self_->give_way(now);
    }
  }
  return true;
}

void engine::implementation::give_way(ticks now) noexcept {
  if (licence_to_spin.withdraw(now)) gave_way.fetch_add(1, std::memory_order_relaxed);
}

bool engine::poll(bool again) {
  implementation& s = *self_;
  if (idle() || s.gives_token_way() || !s.env.token().try_acquire()) return false;
  const bool worked = s.step(again ? look::again : look::once);
  s.release_token();
  return worked;
}

/// Gives the token back, and takes it again for operations that were pushed by threads that found
/// it held.
void engine::implementation::release_token() {
  for (;;) {
    env.token().release();
    if (posted.load(std::memory_order_seq_cst) == nullptr || !env.token().try_acquire()) return;
    step(look::no);
  }
}

/// Starts what was posted, `here` too, and, if it looks, completes what has finished; callbacks may
/// post in turn.
bool engine::implementation::step(look which, operation* here) {
  repetitions.free_retired();
  bool worked = drain();
  if (here != nullptr) {
    moment when;
    take_up(*here, when);
  }
  if (which != look::no && !nothing_to_look_after()) {
    bool completed = test(which);
    completed = test_watched() || completed;
    completed = look_after_windows() || completed;
    raise(polls);
    completed_since_looked = completed_since_looked || completed;
    // Whoever polls without pause reads the clock for one look in 16, and when nothing is left in
    // flight.  [profile of an 8-byte ping-pong: clock readings were a third of plait's part of it]
    const bool landed = completed && nothing_in_flight();
    if (landed || which == look::once || polls.load(std::memory_order_relaxed) % 16 == 0) {
      const ticks now = now_ticks();
      if (landed) flight.land(now);
      looks.looked(now, std::exchange(completed_since_looked, false), !nothing_to_look_after());
    }
    worked = worked || completed;
  }
  worked = release_held() || worked;
  while (drain()) worked = true;
  if (nothing_to_look_after()) looks.rest();
  if (!held_starts.empty() || !held_completions.empty()) {
    const ticks now = now_ticks();
    for (const operation* op : held_starts) looks.look_by(op->held_until, now);
    for (const auto& [op, failure] : held_completions) looks.look_by(op->held_until, now);
  }
  return worked;
}

bool engine::implementation::drain() {
  if (posted.load(std::memory_order_seq_cst) == nullptr) return false;
  one_more_active();  // the first; nobody finds nothing while the others are counted
  operation* newest = posted.exchange(nullptr, std::memory_order_seq_cst);
  operation* oldest = nullptr;
  while (newest != nullptr) {
    if (oldest != nullptr) one_more_active();
    operation* next = newest->next;
    newest->next = std::exchange(oldest, newest);
    newest = next;
  }
  moment when;
  while (oldest != nullptr) take_up(*std::exchange(oldest, oldest->next), when);
  return true;
}

void engine::implementation::take_up(operation& op, moment& when) {
  if (hold_back(op)) {
    held_starts.push_back(&op);
  } else {
    admit(op, when);
  }
}

/// Starts the operation and those that were parked behind it, or parks it until its turn.
void engine::implementation::admit(operation& op, moment& when) {
  if (cancelled.load(std::memory_order_relaxed)) {
    settle(op, nullptr);
    return;
  }
  if (op.remote != nullptr) {
    start_one_sided(op, when);
    return;
  }
  channel& via = *op.via;
  if (!via.may_start(op)) {
    via.park(op);
    return;
  }
  start(op, when);
  while (operation* next = via.unpark()) start(*next, when);
}

void engine::implementation::start(operation& op, moment& when) {
  op.via->started(op);
  const int mpi_tag = op.tag * residues + static_cast<int>(op.via->residue(op));
  try {
    const bool first = nothing_in_flight();
    if (op.what == operation::kind::collective) {
      transfers.add(op, library.start(*op.call, op.via->among()->library));
    } else if (transfers.start(op, mpi_tag, op.via->among()->messages)) {
      complete(op, nullptr);
      return;
    }
    if (first) flight.take_off(when.now());
    if (looks.wants_to_know_of_posts()) {
      looks.posted(when.now());
    } else {
      looks.posted_since_last();
    }
  } catch (...) {
    complete(op, std::current_exception());
  }
}

void engine::implementation::start_one_sided(operation& op, moment& when) {
  one_sided_service::finished_list done;
  const bool first = nothing_in_flight();
  ++one_sided;
  try {
    op.remote->home->service().start(op, done);
  } catch (...) {
    done.push_back({&op, std::current_exception()});
  }
  if (done.empty()) {
    if (first) flight.take_off(when.now());
    looks.posted(when.now());
  } else {
    end_one_sided(std::move(done));
    if (nothing_in_flight()) {
      if (!first) flight.land(when.now());
    } else {
      flight.take_off(when.now());
      looks.posted(when.now());
    }
  }
}

void engine::implementation::end_one_sided(one_sided_service::finished_list done) {
  one_sided -= done.size();
  for (const auto& [op, failure] : done) complete(*op, failure);
}

bool engine::implementation::look_after_windows() {
  bool moved = false;
  // By place: a completion may end the wait for the end of a window.
  for (std::size_t i = 0; i < windows.size(); ++i) {
    one_sided_service::finished_list done;
    try {
      moved = windows[i]->look(done) || moved;
    } catch (...) {
      const auto failure = std::current_exception();
      windows[i]->abandon(done);
      if (done.empty()) fail_others(failure);
      for (auto& one : done) one.failure = failure;
    }
    moved = moved || !done.empty();
    end_one_sided(std::move(done));
  }
  return moved;
}

bool engine::implementation::test(look which) {
  // A test that finds nothing lets MPI progress, and what that has completed the next one finds.
  // Who has nothing else to do asks again at once: the way back to it costs as much as a test.
  int tries = which == look::again ? 4 : 1;
  try {
    auto finished = transfers.test(which != look::again);
    while (finished.empty() && --tries > 0 && !transfers.empty() && !env.token().wanted() &&
           posted.load(std::memory_order_relaxed) == nullptr) {
      finished = transfers.test(false);
    }
    for (const auto& [op, failure] : finished) complete(*op, failure);
    return !finished.empty();
  } catch (...) {
    // The library refuses the call itself: nothing in flight can be followed any more.
    const auto failure = std::current_exception();
    lost = true;
    for (operation* op : transfers.abandon()) complete(*op, failure);
    return true;
  }
}

bool engine::implementation::test_watched() {
  if (watched.empty()) return false;
  const bool give_up = cancelled.load(std::memory_order_relaxed);
  std::vector<awaited*> done;
  std::erase_if(watched, [&](awaited* what) {
    if (what->finished(*what)) {
      done.push_back(what);
    } else if (give_up) {
      what->given_up = true;
      done.push_back(what);
    }
    return !done.empty() && done.back() == what;
  });
  for (awaited* what : done) {
    one_less_active();
    what->completed(*what);
  }
  return !done.empty();
}

void engine::implementation::complete(operation& op, const std::exception_ptr& failure) {
  if (hold_back(op)) {
    held_completions.emplace_back(&op, failure);
  } else {
    settle(op, failure);
  }
}

void engine::implementation::settle(operation& op, const std::exception_ptr& failure) {
  raise(operations);
  one_less_active();
  op.completed(op,
               failure);  // the owner may free it, and the last one's owner this engine's clients
}

// --- disturbance
// --------------------------------------------------------------------------------------

/// Whether, with the disturbance's probability, the operation shall be set aside, until
/// `held_until`.
bool engine::implementation::hold_back(operation& op) {
  const disturbance& d = options.disturb;
  if (d.probability <= 0 || cancelled.load(std::memory_order_relaxed)) return false;
  std::uniform_real_distribution<double> uniform(0, 1);
  if (uniform(random) >= d.probability) return false;
  op.held_until = now_ticks() + seconds_to_ticks(uniform(random) * d.longest_delay_s);
  return true;
}

/// Goes on with operations whose time is up, in random order.
bool engine::implementation::release_held() {
  if (held_starts.empty() && held_completions.empty()) return false;
  const bool all = cancelled.load(std::memory_order_relaxed);
  const ticks now = now_ticks();
  const auto due = [&](const operation* op) { return all || op->held_until <= now; };
  std::vector<operation*> starts;
  std::erase_if(held_starts, [&](operation* op) {
    if (due(op)) starts.push_back(op);
    return due(op);
  });
  std::vector<std::pair<operation*, std::exception_ptr>> completions;
  std::erase_if(held_completions, [&](const auto& held) {
    if (due(held.first)) completions.push_back(held);
    return due(held.first);
  });
  std::shuffle(starts.begin(), starts.end(), random);
  std::shuffle(completions.begin(), completions.end(), random);
  moment when(now);
  for (operation* op : starts) admit(*op, when);
  for (const auto& [op, failure] : completions) settle(*op, failure);
  return !starts.empty() || !completions.empty();
}

// --- the end of a rank on which a task failed
// -----------------------------------------------------------

/// ... on behalf of what is in flight.
bool engine::implementation::mpi_uses_memory() const noexcept {
  return lost || !transfers.empty() || one_sided > 0;
}

bool engine::cancel(double patience_s) {
  implementation& s = *self_;
  s.env.token().acquire();
  s.cancelled.store(true, std::memory_order_seq_cst);
  s.step(look::no);
  for (matching_space* space : s.spaces) {
    for (auto& [key, via] : space->channels) {
      for (operation* op : via->give_up()) s.settle(*op, nullptr);
    }
  }
  for (one_sided_service* window : s.windows) {
    one_sided_service::finished_list done;
    window->give_up(done);
    s.end_one_sided(std::move(done));
  }
  s.transfers.cancel_receives();
  const ticks give_up = now_ticks() + seconds_to_ticks(patience_s);
  do {
    for (const matching_space* space : s.spaces) s.transfers.drop_messages_to_self(*space);
    s.step(look::once);
  } while (s.mpi_uses_memory() && now_ticks() < give_up);
  const bool clean = !s.mpi_uses_memory();
  s.release_token();
  return clean;
}

// --- when nothing moves
// -------------------------------------------------------------------------------------

message_survey engine::survey(const std::function<std::string(const operation&)>& name_of,
                              double patience_s) {
  implementation& s = *self_;
  const ticks give_up = now_ticks() + seconds_to_ticks(patience_s);
  if (!s.env.token().acquire_unless([give_up] { return now_ticks() >= give_up; })) return {};
  message_survey found;
  try {
    s.step(look::no);  // what was posted counts as started
    found = survey_messages({.transfers = s.transfers,
                             .spaces = s.spaces,
                             .held_back = s.held_starts,
                             .windows = s.windows,
                             .name_of = name_of,
                             .largest_tag = s.largest_tag,
                             .residues = s.residues});
  } catch (...) {
    s.release_token();
    throw;
  }
  s.release_token();
  return found;
}

// --- the proxy
// ------------------------------------------------------------------------------------------

/// `dedicated`: polls without pause while anything is in flight, but as `sleeping` for a while
/// where it may give way and others want its core.  `sleeping`: sleeps until a look is due.  Where
/// workers look between tasks, it sleeps until one is overdue, unless it has been the only one to
/// look for a while: then their tasks are long, and it looks as if there were none.  [jacobi3d,
/// 512x512x64, in the lab: a proxy that came 60 us after a look was due made 2400 looks a run
/// beside 450 of the worker, at 0.07 s of processor time of 0.85, and hid 0.65; one that waits
/// until a look is overdue makes 170 beside 530, at 0.02 s, and hides 0.80 like workers alone]
void engine::implementation::proxy_loop() {
  const auto stop = [this] { return stopping.load(std::memory_order_seq_cst); };
  const auto sleep_unless = [this](auto condition, ticks timeout) {
    const auto key = proxy_events.prepare();
    if (condition()) {
      proxy_events.cancel();
    } else {
      proxy_events.wait(key, timeout);
    }
  };
  const auto idle = [&] { return !stop() && is_idle(); };
  // More often than not something is in flight again soon, and to wake this thread costs whoever
  // posts it a system call, two thirds of the latency of a small message.  So it is a while before
  // it wants to be woken.
  const auto rest = [&] {
    if (chosen.proxy_spins) {
      const ticks until = now_ticks() + seconds_to_ticks(50e-6);
      while (idle() && now_ticks() < until) __builtin_ia32_pause();
    } else if (chosen.busy_workers) {
      for (int naps = 0; naps < 32 && idle(); ++naps) sleep_unless(stop, looks.worst());
    }
    proxy_rests.store(true, std::memory_order_seq_cst);
    sleep_unless([&] { return !idle(); }, -1);
    proxy_rests.store(false, std::memory_order_seq_cst);
  };
  core_watch core;
  bool watching = false;
  ticks own_last = 0;  // its own last look
  int looks_in_a_row = 0;
  while (!stop()) {
    if (is_idle()) {
      watching = false;
      rest();
    } else if (chosen.proxy_spins && (!chosen.gives_way || licence_to_spin.is_valid())) {
      if (!look_as_proxy()) sched_yield();
      if (!chosen.gives_way) continue;
      const ticks now = now_ticks();
      if (!std::exchange(watching, true)) {
        core.begin(now);
      } else if (core.is_wanted(now)) {
        give_way(now);
      }
    } else {
      watching = false;
      // `never`: something was posted that whoever has the token has not started yet.
      if (looks.last() != own_last) looks_in_a_row = 0;
      const auto due = [&] {
        return chosen.busy_workers && looks_in_a_row < 4 ? looks.overdue() : looks.next();
      };
      const ticks at = due();
      if ((at == engine::never || now_ticks() >= at) && look_as_proxy()) {
        own_last = looks.last();
        ++looks_in_a_row;
      }
      sleep_unless(stop, std::clamp(due() - now_ticks(), looks.first(), looks.worst()));
    }
  }
}

/// Whoever waits for the token goes first, unless nobody has looked for too long: tasks that call
/// MPI_Test in a loop wait for it all the time.
bool engine::implementation::gives_token_way() const noexcept {
  return env.token().wanted() && now_ticks() < looks.overdue();
}

/// Returns false if another thread has the token.
bool engine::implementation::look_as_proxy() {
  if (gives_token_way() || !env.token().try_acquire()) return false;
  step(look::once);
  release_token();
  return true;
}

engine_statistics engine::statistics() const {
  return {.operations = self_->operations.load(),
          .polls = self_->polls.load(),
          .proxy_cpu_s = self_->proxy.cpu_seconds(),
          .longest_unwatched_s = ticks_to_seconds(self_->looks.longest_unwatched()),
          .gave_way = self_->gave_way.load()};
}

}  // namespace plait
