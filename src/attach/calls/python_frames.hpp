// SPDX-License-Identifier: BSD-3-Clause
/// Functions of Python that this thread is in, read where the interpreter keeps them.  No function
/// of Python is run, no count of references is changed and no lock is taken.  That is safe while
/// the thread is in a function of C: nobody but the thread changes its chain of frames, a frame
/// keeps its code, and code keeps its names, none of which change.  So it does not matter that
/// mpi4py has given the interpreter's lock away.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plait::attach {

/// A function that a thread is in, and the instruction that it is at.
struct python_frame {
  std::uintptr_t code = 0;
  std::uintptr_t instruction = 0;
};

/// Looks for an interpreter whose frames are known here: CPython 3.11, 3.12 and 3.13, each with its
/// lock.  Once, when MPI starts.
void find_python() noexcept;

/// The frames of this thread, the innermost first.
class python_frames {
 public:
  /// None where the thread runs no Python, or one that is not known here.
  python_frames() noexcept;
  /// Reads the next frame; false: there is none.
  [[nodiscard]] bool next(python_frame& to) noexcept;

 private:
  std::uintptr_t frame_ = 0;
};

/// Tells code from other code that has taken its memory: by the number that the interpreter gives
/// it, and in 3.11 by the end of its file's name.
struct python_code {
  std::uint64_t mark = 0;
  std::int32_t first_line = 0;
  bool operator==(const python_code&) const = default;
};
/// Precondition of all that follows: the frame is one of this thread's.
[[nodiscard]] python_code code_of(const python_frame& of) noexcept;
/// Returns false where a frame's code has not the shape that is known; no frame is read from then
/// on.
[[nodiscard]] bool is_sound(const python_frame& of) noexcept;
/// Returns the line of the source; 0: not known.
[[nodiscard]] std::int32_t line_of(const python_frame& of) noexcept;
/// Write names as UTF-8 with a zero at the end.  Of a file that is too long the beginning is left
/// out, of a function the end.
void write_file(const python_frame& of, char* to, std::size_t room) noexcept;
void write_function(const python_frame& of, char* to, std::size_t room) noexcept;

}  // namespace plait::attach
