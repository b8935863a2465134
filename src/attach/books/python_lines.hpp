// SPDX-License-Identifier: BSD-3-Clause
/// Lines of Python that call MPI: each is noted with its names when it is first seen, for its code
/// may be gone when the program ends.  One thread at a time.
#pragma once

#include "attach/books/profile_data.hpp"
#include "attach/calls/python_frames.hpp"

namespace plait::attach {

class python_lines {
 public:
  /// Uses the memory of a profile.
  void open(python_place* places, profile_header& header) noexcept {
    places_ = places;
    header_ = &header;
  }
  /// Returns true if this thread is at the lines of a site, which has some.
  [[nodiscard]] bool are_here(const site_data& site) const noexcept;
  /// Notes the lines that this thread is at, at most `most_callers`; returns how many.  0 where it
  /// runs no Python, or one that is not known here.
  [[nodiscard]] int note_here(caller_data* callers) noexcept;

 private:
  /// Returns the place of a frame, a new one where it has none; -1: there is no room.
  [[nodiscard]] int place_of(const python_frame& at) noexcept;

  python_place* places_ = nullptr;
  profile_header* header_ = nullptr;
};

}  // namespace plait::attach
