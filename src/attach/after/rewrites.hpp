// SPDX-License-Identifier: BSD-3-Clause
/// Patterns that calls of MPI form, and how a program is written so that it computes meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plait::attach {

enum class call_pattern : std::uint8_t {
  none,
  blocking_exchange,  ///< of ghosts, by a send and a receive
  sendrecv_chain,     ///< one neighbour after another
  waited_at_once,     ///< started, with next to nothing in between
  transpose,          ///< all to all, at once
  collective,         ///< another one that is over when the call is
  calls_in_a_row,     ///< short ones
  barrier,
};

/// "sendrecv_chain"; "" of none.
[[nodiscard]] std::string_view name_of(call_pattern of) noexcept;
/// "Sendrecv calls one after another"; "" where the call says it already.
[[nodiscard]] std::string_view words_of(call_pattern of) noexcept;

/// Returns lines in the language of the source file, by its suffix: Fortran, Python, else C.
/// `call`: "MPI_Allreduce", and `in_a_row` how many of them are.  No line where nothing has to be
/// written anew.
[[nodiscard]] std::vector<std::string> rewritten(call_pattern of, std::string_view call,
                                                 std::uint64_t in_a_row, std::string_view file);

}  // namespace plait::attach
