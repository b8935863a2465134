// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/python_lines.hpp"

#include <bit>

namespace plait::attach {
namespace {

constexpr int most_tries = 64;

[[nodiscard]] bool is_at(const python_place& place, const python_frame& at) noexcept {
  return place.instruction == at.instruction && place.code == at.code &&
         code_of(at) == python_code{place.mark, place.first_line};
}

}  // namespace

bool python_lines::are_here(const site_data& site) const noexcept {
  python_frames frames;
  python_frame at;
  for (int i = 0; i < site.callers; ++i) {
    if (!frames.next(at) || !is_at(places_[site.caller[i].address], at)) return false;
  }
  return true;
}

int python_lines::note_here(caller_data* callers) noexcept {
  python_frames frames;
  python_frame at;
  int count = 0;
  while (count < most_callers && frames.next(at)) {
    const int place = place_of(at);
    if (place < 0) break;
    callers[count] = {};
    callers[count].address = static_cast<std::uint64_t>(place);
    callers[count].base = frame_base::python;
    ++count;
  }
  return count;
}

int python_lines::place_of(const python_frame& at) noexcept {
  static_assert(std::has_single_bit(unsigned{most_python_places}));
  constexpr int bits = std::countr_zero(unsigned{most_python_places});
  auto slot = static_cast<int>((at.instruction * 0x9e3779b97f4a7c15) >> (64 - bits));
  for (int tries = 0; tries < most_tries; ++tries, slot = (slot + 1) % most_python_places) {
    python_place& one = places_[slot];
    if (one.code != 0 && !is_at(one, at)) continue;
    if (one.code != 0) return slot;
    if (!is_sound(at)) return -1;
    const python_code code = code_of(at);
    one.instruction = at.instruction;
    one.mark = code.mark;
    one.first_line = code.first_line;
    one.line = line_of(at);
    write_file(at, one.file, sizeof one.file);
    write_function(at, one.function, sizeof one.function);
    one.code = at.code;
    ++header_->python_places;
    return slot;
  }
  return -1;
}

}  // namespace plait::attach
