// SPDX-License-Identifier: BSD-3-Clause
/// Persistent requests, which an engine keeps for operations that are posted again and again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include <mpi.h>
#include <plait/comm/engine.hpp>

namespace plait {

class repetition_set;

/// One operation's.  A persistent request is bound to an MPI tag, and the operation's changes with
/// its place from one run to the next (see `engine`), so there is one for each tag that has come
/// twice: R / gcd(R, messages of its channel in one iteration) of them while nothing else uses the
/// channel, and R at most.  Replays cannot be laid out so that one is enough: where a replay begins
/// depends on what was submitted before, the peer may submit what this rank replays, and both count
/// places alike.
class repetition {
 public:
  explicit repetition(repetition_set& home) noexcept : home_(&home) {}

  /// Begins runs of `op` that lie `op.stride` places of its channel apart.  Submitting thread, when
  /// the operation is not in flight.
  void begin(const operation& op) noexcept;

  // Holder of the token
  // ---------------------------------------------------------------------------------------------
  /// The inactive persistent request for the next run of `op`; null when an ordinary one is better.
  /// For MPI_Start, which may put another in its place.  Errors: `error` with what MPI says.
  [[nodiscard, gnu::always_inline]] MPI_Request* request_for(const operation& op, int mpi_tag,
                                                             MPI_Comm comm) {
    if (!pays_) return nullptr;
    latest_ = latest_ + 1 < requests_.size() ? latest_ + 1 : 0;
    if (latest_ < requests_.size()) {
      entry& next = requests_[latest_];
      if (next.mpi_tag == mpi_tag && next.request != MPI_REQUEST_NULL) return &next.request;
    }
    return make_request_for(op, mpi_tag, comm);
  }
  /// The message on `request` failed, or the request was freed while it was active.  It is not
  /// used again, and the operation runs on ordinary requests from now on: a persistent receive that
  /// Open MPI 4.1 has truncated does not complete a second time, and aborts when it is freed.
  void give_up(MPI_Request request) noexcept;

 private:
  friend class repetition_set;
  struct entry {
    int mpi_tag;
    MPI_Request request;  ///< MPI_REQUEST_NULL until the tag comes again
  };
  [[nodiscard]] MPI_Request* make_request_for(const operation& op, int mpi_tag, MPI_Comm comm);
  void free_requests() noexcept;

  repetition_set* home_;  ///< null when the engine has ended
  repetition* next_ = nullptr;
  std::vector<entry> requests_;
  bool pays_ = false;
  bool gave_up_ = false;
  std::size_t latest_ = 0;  ///< the tags come in turn: the next one is most likely behind this
};

/// All of an engine's.
class repetition_set {
 public:
  explicit repetition_set(persistence persistent) noexcept : persistent_(persistent) {}
  repetition_set(const repetition_set&) = delete;
  repetition_set& operator=(const repetition_set&) = delete;
  std::uint64_t residues = 1;  ///< R; see `engine`

  /// Submitting thread.
  [[nodiscard]] repetition* make();
  /// Deletes it.  Requests that it has are freed when the next is made there, or at the end: not by
  /// a step, for the program may call MPI while nothing is in flight.  Submitting thread, when its
  /// operation is not in flight.
  static void retire(repetition* unused) noexcept;

  /// Frees all requests.  Operations may still name their repetitions, which have no home any more.
  /// Submitting thread, which holds the token.
  void end() noexcept;

 private:
  friend class repetition;
  /// Holder of the token.
  void free_retired() noexcept;
  /// Returns true if `op` shall run on persistent requests.
  [[nodiscard]] bool pays(const operation& op) const noexcept;

  const persistence persistent_;
  std::unordered_set<repetition*> live_;
  std::atomic<repetition*> retired_{nullptr};  ///< Treiber stack; popped all at once: no ABA
  std::size_t requests_ = 0;
};

}  // namespace plait
