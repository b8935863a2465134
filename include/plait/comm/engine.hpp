// SPDX-License-Identifier: BSD-3-Clause
/// The progress engine: starts non-blocking operations and notices their completion.  The engine
/// knows nothing of tasks.  The layers above hand it operations and are called back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <plait/comm/communicator.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/message_survey.hpp>
#include <plait/comm/operation.hpp>
#include <plait/comm/progress_policy.hpp>
#include <plait/core/clock.hpp>

namespace plait {

struct served_window;
struct awaited_requests;

/// Something else than a message that a task waits for, such as a request of the program's own.
struct awaited {
  /// Returns whether the wait is over.  Called by a thread that holds the token, at every poll.
  bool (*finished)(awaited& self) = nullptr;
  /// Called once, by a thread that holds the token, when the wait is over or is given up.
  void (*completed)(awaited& self) noexcept = nullptr;
  bool given_up = false;
  /// MPI requests, if that is all that is waited for.  They are tested with those of others, and
  /// `finished` is not called.
  awaited_requests* requests = nullptr;
};

/// Counts the engine's work, for the ledger.
struct engine_statistics {
  std::uint64_t operations = 0;  ///< completed
  std::uint64_t polls = 0;       ///< looks for completed operations
  double proxy_cpu_s = 0;        ///< processor time of the proxy thread
  /// Longest time without a poll while operations were in flight or a window was served.  Compare
  /// `worst_delay_s`, and four times that after a long wait, on a machine that may be busy with
  /// other things.
  double longest_unwatched_s = 0;
  std::uint64_t gave_way =
      0;  ///< times threads that spun stopped because others wanted their cores
};

/// Matching (promise 2), on each communicator by itself.  The k-th send to a (destination, tag)
/// carries the MPI tag tag * R + k mod R, and so does the k-th receive from a (source, tag); both
/// sides count in order of submission (`enqueue`).  Operations of one residue are started in that
/// order, so MPI's own order keeps them apart; operations of different residues cannot meet, so
/// they are started as soon as their data is ready.  R only decides how far readiness may run out
/// of order without waiting.  Collectives of the MPI library's own have no tags: they are a channel
/// with R = 1, on a communicator of their own, so that all ranks make the same calls in the same
/// order.
///
/// Posting (`post`) tries the token; if another thread holds it, the operation is pushed to a
/// lock-free stack and the token tried again.  Whoever holds it empties the stack before and after
/// giving it up. Why no operation is left behind: the poster pushes, then finds the token held; the
/// holder releases it, then looks at the stack.  All four are seq_cst, so either the poster's
/// second try succeeds or the holder sees the push.
class engine {
 public:
  /// Collective.  Starts the proxy thread if the policy has one.  Errors: usage_error; MPI errors.
  engine(environment& env, const engine_options& options);
  /// Collective.  Precondition: no operation is in flight, no window is served.
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Gives `op` its sequence number on a communicator, whose ranks number its peer.  One thread, in
  /// order of submission; of a lane that was claimed, any thread, each call after the one before
  /// it.  Errors: usage_error for a peer or a tag out of range, and for a
  /// communicator of which this rank is no member, or that another engine uses; `error` for a
  /// communicator that was in use when a task failed.  Of operations on windows only signals have
  /// sequence numbers, and their peer and place are not checked
  /// (`exposed_memory::expect_in_range`).
  void enqueue(operation& op, const communicator& among = {});
  /// Makes a communicator this engine's, as the first `enqueue` among its ranks does.  For callers
  /// that must know that it may be used before they submit anything else.  Errors: as `enqueue`.
  void claim(const communicator& among);
  /// Prepares `op` for `enqueue_repeated`, without a sequence number yet.  From the second time
  /// that its MPI tag comes on, the operation runs on a persistent MPI request.
  void attach(operation& op, const communicator& among = {});
  /// Undoes `attach`: lets the persistent requests go.  For an operation that is not in flight; no
  /// effect on one that is not attached.  The thread that enqueues; after the engine's end, too.
  static void detach(operation& op) noexcept;
  /// Gives all of `ops`, in this order, their sequence numbers for `iterations` iterations.  Each
  /// is posted once an iteration, after its `sequence` has been raised by its `stride`.
  void enqueue_repeated(std::span<operation* const> ops, std::uint64_t iterations);
  /// Returns the channel of messages `like` this one; it lives as long as the communicator.  The
  /// thread that enqueues, not in a lane.  Errors: as `enqueue`.
  [[nodiscard]] channel& channel_of(operation like, const communicator& among);
  /// Takes the next place of each channel, if a sparse message is left out there, of all of them,
  /// and returns whether it did.  Returns false too where that cannot be told without waiting.
  /// Then `enqueue` and `post` these messages.  The thread that enqueues.
  [[nodiscard]] bool leave_out(std::span<channel* const> channels);
  [[nodiscard]] int largest_tag() const noexcept;

  /// Says where an operation with a sequence number is matched.
  struct matching {
    int communicator = 0;        ///< a number that no other has which the two ranks have in common
    std::string_view name = {};  ///< of all ranks empty; as long as the environment lives
    int peer = 0;                ///< among all ranks
  };
  [[nodiscard]] static matching matching_of(const operation& op) noexcept;

  /// Starts `op` now or as soon as the holder of the token gets to it.  Thread-safe.
  void post(operation& op);

  /// Says what became of a message that was to be started at once.
  enum class at_once : std::uint8_t {
    later,      ///< nothing: give it to `post`
    over,       ///< it is over, and `completed` is not called
    under_way,  ///< it has been started; see `start_at_once`
  };
  /// Starts a message here and now, if its turn has come and no other thread has the token.  One
  /// that is under way counts as posted: `completed` is called, before the return for one that has
  /// failed, and for a receive that is over and `varies`.  Precondition: `may_start_at_once`.
  /// Errors: `error` with what MPI says; then it is over.
  [[nodiscard]] at_once start_at_once(operation& op);
  /// Returns the operation that stands for `begun` from now on, and is posted.
  using successor = operation& (*)(operation& begun) noexcept;
  /// Enqueues a message and starts it as `start_at_once` does.  `op` need not stay at its address:
  /// if the message is under way, `succeeds(op)` is called under the token and goes on for it.  One
  /// that has been given up by `cancel` is not enqueued, and `op.via` stays null.  The thread that
  /// enqueues, not in a lane.  Preconditions: `may_start_at_once`; the message does not vary.
  /// Errors: those of `enqueue`, with `op.via` null; `error` with what MPI says, also of a message
  /// that has failed at once.  Then it is over.
  [[nodiscard]] at_once enqueue_and_start(operation& op, const communicator& among,
                                          successor succeeds);

  /// Polls for `what`, which must stay at its address until it is completed.  Counts as
  /// communication in flight.  Thread-safe.
  void watch(awaited& what);

  /// Serves a window until `stop_serving`.  Requests of other ranks are answered whether or not
  /// anything of this rank's own is in flight.  Operations on the window may be posted meanwhile.
  /// The thread that enqueues.
  void serve(served_window& window);
  void stop_serving(served_window& window);

  /// Takes the token for MPI calls of the program's own, waiting for it, and gives it back.
  /// Operations that others posted meanwhile are started then.
  void lock() noexcept;
  void unlock();
  /// Takes the token for several starts, if it is free; then `unlock` gives it back.
  [[nodiscard]] bool try_lock() noexcept;

  /// Polls: drives operations, unless another thread is doing so.  Returns whether anything started
  /// or completed.  `again`: the caller polls without pause, and does not make the others poll less
  /// often each time that it has found nothing.  Thread-safe.
  bool poll(bool again = false);

  /// Polls, and lets other threads have the core where nothing has started or completed.
  bool poll_in_turn();

  /// Lets the proxy call `what` after each of its looks that has completed something, without the
  /// token; null: nothing.  Returns when no call of what was there before is under way.  Any thread
  /// but the proxy.
  void after_looks(std::function<void()> what);

  /// Lets the proxy call `what` when it is woken by `wake_proxy`, and again when it was told to;
  /// null: nothing.  `what` returns a time of `now_ticks`, or `never`, and is called without the
  /// token.  Returns when no call of what was there before is under way.  Any thread but the proxy.
  void beside_looks(std::function<ticks()> what);
  /// Any thread; never blocks.  No effect where there is no proxy.
  void wake_proxy() noexcept;

  /// Says which object above this engine is its owner, for `of_owner`.
  void serve_owner(const void* owner);
  /// Returns the engine that serves `owner`, or null.  Any thread.
  [[nodiscard]] static engine* of_owner(const void* owner) noexcept;

  /// Gives up operations that have not completed.  Receives are cancelled, sends have `patience_s`
  /// to complete, and further posts complete at once without effect.  For a rank on which a task
  /// has failed.  Returns false if some neither completed nor could be cancelled: MPI still uses
  /// their buffers.  Thread-safe.
  [[nodiscard]] bool cancel(double patience_s = 1.0);
  /// Returns whether `cancel` has been called.
  [[nodiscard]] bool cancelled() const noexcept;

  /// Returns the ticks until `now` during which at least one operation was in flight.  Thread-safe,
  /// wait-free but for a writer in the middle of an update.
  [[nodiscard]] ticks in_flight_until(ticks now) const noexcept;
  /// Returns whether no thread needs to poll: nothing is in flight, and no window is served.
  [[nodiscard]] bool idle() const noexcept;

  /// Asks for the exact time of each post, which a trace needs.  Otherwise that time may be that of
  /// the last poll.  Any thread.
  void want_exact_times(bool wanted) noexcept;

  /// Returns when the next poll is worth its price; `never` if nothing is in flight.
  [[nodiscard]] ticks next_poll() const noexcept;
  static constexpr ticks never = INT64_MAX;

  /// Notes that a worker has come by between two tasks, where it polls if a poll is due.  Where
  /// workers do so often enough, the proxy leaves polling to them.  Thread-safe.
  void worker_passed(ticks now) noexcept;

  /// Returns whether an idle worker may poll without pause.  Where other threads turn out to want
  /// its core, the worker may do so only for a moment after each post and completion.  The worker
  /// has not slept since `awake_since`.  Thread-safe.
  [[nodiscard]] bool may_spin(ticks awake_since) noexcept;

  /// Returns whether an idle worker on a core that ranks share may go on with `poll_in_turn`.  Not
  /// for ever: after some polls since anything moved it sleeps, `shortest_sleep` or longer, from
  /// poll to poll.  Thread-safe.
  [[nodiscard]] bool may_poll_in_turn() noexcept;
  [[nodiscard]] ticks shortest_sleep() const noexcept;

  /// Names the policy in force (never `automatic`, but the policy it stands for) and the reason.
  struct choice {
    bool proxy = false;         ///< a proxy thread exists
    bool proxy_spins = false;   ///< ... and does not sleep,
    bool gives_way = false;     ///< ... but for a while where others want its core
    bool idle_workers = false;  ///< idle workers poll
    bool busy_workers = false;  ///< workers poll between tasks when a poll is due
    std::string name;
    std::string reason;
  };
  [[nodiscard]] const choice& chosen() const noexcept;

  [[nodiscard]] engine_statistics statistics() const;

  /// Lists the messages that are under way and those that have come unasked, for a report when
  /// nothing moves.  Calls `name_of` under the token, while the operation cannot complete.  Tries
  /// for `patience_s` to get the token.  The thread that enqueues.  Cost: a probe for each rank.
  [[nodiscard]] message_survey survey(const std::function<std::string(const operation&)>& name_of,
                                      double patience_s = 0.5);

 private:
  friend struct native_access;
  struct implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace plait
