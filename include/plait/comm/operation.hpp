// SPDX-License-Identifier: BSD-3-Clause
/// One message, or one access to the memory of another rank, as an engine is given it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <plait/core/clock.hpp>

namespace plait {

class channel;
class repetition;
struct served_window;
namespace collective {
class library_call;
enum class operation : std::uint8_t;
}  // namespace collective

struct operation;

/// Shares the state of a put that completes here early with its `landing`, which completes when the
/// data is there.  Only the holder of the token uses it.
struct put_landing {
  bool landed = true;
  operation* waiting = nullptr;  ///< the landing, started before
};

/// Holds the parts of an operation on a window that a message does not have.  Its owner keeps the
/// window alive.
struct remote_part {
  served_window* home = nullptr;
  std::size_t offset_bytes = 0;  ///< in the memory of `operation::peer`
  bool signals = false;          ///< of a put: then it raises the flag `operation::tag`
  /// Set in a landing, and in a put that completes as soon as its buffer may be used again.
  std::shared_ptr<put_landing> landing = nullptr;
};

/// One message to be sent or received, one operation on a window, or a collective of the MPI
/// library's own.  Owned by the caller, who keeps it and its buffer alive and in place from
/// `engine::post` until `completed` is called; while it is attached, always with the same peer,
/// tag, buffer and size.
struct operation {
  /// Names the kinds of operation. get, put, landing and await_signal have a `remote` part.  A
  /// collective's `call` says everything, and its peer, tag and buffer mean nothing.  A receive, a
  /// get and a wait for a signal complete when their data or signal is here.  A put completes when
  /// its data is there, or when the data has left if the put has a landing, which completes when
  /// the data is there.
  enum class kind : std::uint8_t { receive, send, get, put, landing, await_signal, collective };
  /// Says which layer submitted the message.  Only the program's messages have tags of the program.
  /// All others have tags of the engine, which no message of the program has.
  enum class origin : std::uint8_t {
    program,
    move,
    collective,  ///< `called`
    agreement,   ///< of `called`, on its sizes
  };

  kind what = kind::send;
  origin of = origin::program;
  /// True for a message whose length is fixed when it starts: its owner sets the size before each
  /// post.  A receive is posted with the largest size; when it has completed, `size_bytes` is the
  /// number of bytes that came.
  bool varies = false;
  /// True for a message that both ends leave out at most of its places: see `is_left_out`.
  bool sparse = false;
  bool is_plain = false;           ///< known to be a message that does not vary and is not sparse
  collective::operation called{};  ///< of a collective, by either back end
  int peer = 0;
  int tag = 0;                 ///< of a signal: its flag
  const char* name = nullptr;  ///< in errors; as long as the operation, or null
  void* buffer = nullptr;
  std::size_t size_bytes = 0;
  const remote_part* remote = nullptr;
  collective::library_call* call = nullptr;
  /// Called once, by a thread that holds the token (so it may post, but not poll).  `failure` is
  /// null when the operation succeeded, and when it was given up by `cancel`.
  void (*completed)(operation& self, const std::exception_ptr& failure) noexcept = nullptr;

  // The engine's own.
  channel* via = nullptr;  ///< null without a sequence number
  std::uint64_t sequence = 0;
  repetition* again = nullptr;  ///< of an operation that is attached
  std::uint64_t stride = 0;     ///< places from one of its runs to the next
  operation* next = nullptr;
  ticks posted_at = 0;
};

/// Returns "send", "put_signal".  Not of a collective.
[[nodiscard]] inline const char* word_of(const operation& op) noexcept {
  switch (op.what) {
    case operation::kind::send:
      return "send";
    case operation::kind::receive:
      return "receive";
    case operation::kind::get:
      return "get";
    case operation::kind::await_signal:
      return "await_signal";
    default:
      return op.remote != nullptr && op.remote->signals ? "put_signal" : "put";
  }
}

/// Returns the first place of a channel, not before this one, at which a sparse message is kept. At
/// all others it is left out: neither sent nor received, and complete as soon as its turn has come,
/// with its buffer as it was.  Both ends count places alike, so both leave out the same.  The first
/// `run` places are kept, and then one in each `run`, chosen by a hash, since calls that repeat in
/// a loop would meet every n-th place in step.
[[nodiscard]] inline std::uint64_t kept_place(std::uint64_t place) noexcept {
  constexpr std::uint64_t run = 16;
  if (place < run) return place;
  for (std::uint64_t number = place / run;; ++number) {
    // The finaliser of SplitMix64, so that no distance of places is in step.  [Steele, Lea, Flood
    // 2014]
    std::uint64_t hash = number;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9U;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBU;
    const std::uint64_t kept = number * run + (hash ^ (hash >> 31)) % run;
    if (kept >= place) return kept;
  }
}
[[nodiscard]] inline bool is_left_out(const operation& op) noexcept {
  return op.sparse && kept_place(op.sequence) != op.sequence;
}

/// Returns whether an engine may be asked to start this at once.
[[nodiscard]] inline bool may_start_at_once(const operation& op) noexcept {
  return (op.what == operation::kind::send || op.what == operation::kind::receive) && !op.sparse;
}
/// Returns true for a message that may be over when it has been started: libraries copy small ones
/// out at once.  To ask costs less than to have them among the others at the next look.
[[nodiscard]] inline bool is_small(const operation& op) noexcept {
  constexpr std::size_t largest_bytes = 1024;
  return op.size_bytes <= largest_bytes;
}

}  // namespace plait
