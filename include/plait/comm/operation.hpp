// SPDX-License-Identifier: BSD-3-Clause
/// One message, or one access to the memory of another rank, as an engine is given it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <plait/core/clock.hpp>

namespace plait {

class channel;
class repetition;
class served_window;
namespace collective {
class library_call;
enum class operation : std::uint8_t;
}  // namespace collective

/// What an operation on a window has beyond a message.  Its owner keeps the window alive.
struct remote_part {
  served_window* home = nullptr;
  std::size_t offset_bytes = 0;  ///< in the memory of `operation::peer`
  bool signals = false;          ///< of a put: then it raises the flag `operation::tag`
};

/// One message to be sent or received, one operation on a window, or a collective of the MPI
/// library's own.  Owned by the caller, who keeps it and its buffer alive and in place from
/// `engine::post` until `completed` is called; while it is attached, always with the same peer,
/// tag, buffer and size.
struct operation {
  /// get, put and await_signal have a `remote` part; of a collective `call` says all, and its peer,
  /// tag and buffer mean nothing.  A receive, a get and a wait for a signal complete when
  /// what they bring is here; a put, when its data is there.
  enum class kind : std::uint8_t { receive, send, get, put, await_signal, collective };
  /// Whose message it is.  The tags of all but the program's are the engine's, which no message of
  /// the program has.
  enum class origin : std::uint8_t {
    program,
    move,
    collective,  ///< `called`
    agreement,   ///< of `called`, on its sizes
  };

  kind what = kind::send;
  origin of = origin::program;
  collective::operation called{};  ///< of a collective, whoever carries it out
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
  channel* via = nullptr;  ///< null for what has no place in an order of matching
  std::uint64_t sequence = 0;
  repetition* again = nullptr;  ///< of an operation that is attached
  operation* next = nullptr;
  ticks posted_at = 0;
  ticks held_until = 0;
};

}  // namespace plait
