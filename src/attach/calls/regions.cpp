// SPDX-License-Identifier: BSD-3-Clause
// Regions that the program names.  Each thread has a stack of those that are open.  A region is a
// place in a tree: its name, and the region around it.  Those of the thread that started MPI count,
// and at MPI_THREAD_MULTIPLE those of each thread from its first call of MPI on.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>

#include "attach/calls/call.hpp"
#include "attach/calls/hooks.hpp"

namespace plait::attach {
namespace {

constexpr std::size_t name_bytes = sizeof(region_data::name) - 1;
constexpr int most_open = 64;

/// Regions of one thread.
struct open_regions {
  struct one_region {
    std::int32_t number;
    ticks begin;
  };
  int count = 0;
  std::uint32_t unseen = 0;    ///< begun before this thread's regions count, around all others
  std::uint32_t too_many = 0;  ///< begun inside all others, where there is no more room
  one_region open[most_open] = {};

  [[nodiscard]] std::int32_t innermost() const noexcept {
    return count == 0 ? no_region : open[count - 1].number;
  }
};
thread_local constinit open_regions own_regions;

/// Names that were seen lately, by the address of their text, which may have changed since, and the
/// region around them.
struct known_name {
  const char* text = nullptr;
  std::int32_t around = -1;  ///< of no region at first
  std::int32_t number = no_region;
};
constexpr int known_bits = 8;
known_name lately[1 << known_bits];

/// Numbers of all regions by their name and the region around them: a hash table, half empty at
/// most.
constexpr int number_bits = 10;
std::uint16_t numbers[1 << number_bits];
static_assert(2 * most_regions <= 1 << number_bits);

[[nodiscard]] known_name& place_of(const char* text, std::int32_t around) noexcept {
  const auto mixed = (reinterpret_cast<std::uintptr_t>(text) + static_cast<std::uint32_t>(around)) *
                     0x9e3779b97f4a7c15;
  return lately[mixed >> (64 - known_bits)];
}

/// Locks the books where several threads call MPI at once.
class books_lock {
 public:
  books_lock() noexcept {
    if (attached.locks_books) attached.books.lock();
  }
  ~books_lock() {
    if (attached.locks_books) attached.books.unlock();
  }
  books_lock(const books_lock&) = delete;
  books_lock& operator=(const books_lock&) = delete;
};

[[nodiscard]] bool counts_here() noexcept {
  if (!is_attached.load(std::memory_order_relaxed)) return false;
  return own_thread.is_main || (attached.locks_books && own_thread.last_exit != 0);
}

[[nodiscard]] bool has_name(std::int32_t number, const char* name) noexcept {
  return std::strncmp(attached.notes.region(number).name, name, name_bytes) == 0;
}

/// Returns the place of a region in the table, which holds its number, or none yet.
[[nodiscard]] std::uint16_t& number_of(std::int32_t around, const char* name) noexcept {
  std::uint64_t mixed = static_cast<std::uint32_t>(around);
  for (std::size_t i = 0; i < name_bytes && name[i] != '\0'; ++i)
    mixed = (mixed + static_cast<unsigned char>(name[i]) + 1) * 0x9e3779b97f4a7c15;
  for (std::uint64_t slot = mixed >> (64 - number_bits);; slot = (slot + 1) % std::size(numbers)) {
    std::uint16_t& number = numbers[slot];
    if (number == no_region) return number;
    if (attached.notes.region(number).around == around && has_name(number, name)) return number;
  }
}

/// Returns the region of that name inside another; `no_region` where there is no more room.
[[nodiscard]] std::int32_t find_region(std::int32_t around, const char* name) noexcept {
  known_name& known = place_of(name, around);
  if (known.text == name && known.around == around && has_name(known.number, name))
    return known.number;
  std::uint16_t& number = number_of(around, name);
  if (number == no_region) {
    profile_header& h = attached.notes.header();
    if (h.regions + 1 == most_regions) return no_region;
    region_data& made = attached.notes.region(h.regions + 1);
    std::memcpy(made.name, name, strnlen(name, name_bytes));
    made.around = around;
    number = static_cast<std::uint16_t>(++h.regions);
  }
  known = {name, around, number};
  return number;
}

inline void open_region(open_regions& own, std::int32_t number, ticks at) noexcept {
  own.open[own.count++] = {number, at};
  own_thread.region = number;
  attached.notes.region(number).open_since = at;
}

void begin_region(const char* name, ticks at) noexcept {
  open_regions& own = own_regions;
  if (!counts_here()) {
    ++own.unseen;
    return;
  }
  const books_lock lock;
  const bool has_room = own.too_many == 0 && own.count < most_open;
  const std::int32_t number = has_room ? find_region(own.innermost(), name) : no_region;
  if (number == no_region) {
    ++own.too_many;
    ++attached.notes.header().regions_left_out;
    return;
  }
  open_region(own, number, at);
}

inline void close_innermost(open_regions& own, ticks at) noexcept {
  // The thread's own copy of the number: to read both words of the entry at once, right after they
  // were written one by one, would wait for the store.
  const std::int32_t number = own_thread.region;
  const ticks begin = own.open[--own.count].begin;
  region_data& one = attached.notes.region(number);
  ++one.count;
  one.time += at - begin;
  one.open_since = 0;
  own_thread.region = one.around;
  if (attached.notes_calls) [[unlikely]]
    attached.notes.add_call(own_thread.number, begin, at, -number, 0, false,
                            own_thread.failing_loop);
}

/// Ends the innermost regions until `left` are open.  All but the last are not ended by their own
/// names; a mark need not be.
void close_until(int left, ticks at) noexcept {
  open_regions& own = own_regions;
  while (own.count > left + 1) {
    region_data& one = attached.notes.region(own.innermost());
    if (!is_mark(one)) ++one.not_ended;
    close_innermost(own, at);
  }
  close_innermost(own, at);
}

void end_region(const char* name, ticks at) noexcept {
  open_regions& own = own_regions;
  if (own.too_many > 0) {
    --own.too_many;
    return;
  }
  const bool counts = counts_here();
  int place = counts ? own.count : 0;
  while (place > 0 && !has_name(own.open[place - 1].number, name)) --place;
  if (place == 0 && own.unseen > 0) {
    --own.unseen;
    return;
  }
  if (!counts) return;
  const books_lock lock;
  if (place > 0) return close_until(place - 1, at);
  profile_header& h = attached.notes.header();
  ++h.stray_ends;
  std::memset(h.stray_name, 0, sizeof h.stray_name);
  std::memcpy(h.stray_name, name, strnlen(name, name_bytes));
}

/// Returns true where nothing but the region itself is to be seen to: the thread that started MPI
/// is outside MPI, no other thread writes to the books, and all regions inside which it is have
/// room.
[[nodiscard]] inline bool is_plain(const open_regions& own, const char* name) noexcept {
  return own_thread.depth == 0 && own_thread.is_main &&
         is_attached.load(std::memory_order_relaxed) && !attached.locks_books &&
         own.too_many == 0 && name != nullptr;
}

/// Begins a region that was begun before, by a text at the same address; returns true if it has.
[[nodiscard]] inline bool begin_known(const char* name, ticks at) noexcept {
  open_regions& own = own_regions;
  if (!is_plain(own, name) || own.count == most_open) return false;
  const known_name& known = place_of(name, own_thread.region);
  if (known.text != name || known.around != own_thread.region || !has_name(known.number, name))
    return false;
  open_region(own, known.number, at);
  return true;
}

/// Ends the innermost region if it has that name; returns true if it has.
[[nodiscard]] inline bool end_innermost(const char* name, ticks at) noexcept {
  open_regions& own = own_regions;
  if (!is_plain(own, name) || own.count == 0 || !has_name(own_thread.region, name)) return false;
  close_innermost(own, at);
  return true;
}

/// Returns true if MPI itself has made the call.
[[nodiscard]] bool is_call_of_mpi(std::uintptr_t stack) noexcept {
  return own_thread.depth != 0 && !end_abandoned_call(stack);
}

/// Begins and ends regions in all other cases.
[[gnu::noinline]] void begin_otherwise(const char* name, ticks at, std::uintptr_t stack) noexcept {
  if (!is_call_of_mpi(stack)) begin_region(name == nullptr ? "?" : name, at);
}
[[gnu::noinline]] void end_otherwise(const char* name, ticks at, std::uintptr_t stack) noexcept {
  if (!is_call_of_mpi(stack)) end_region(name == nullptr ? "?" : name, at);
}

/// From one call of MPI_Pcontrol to the next the program is in a region.
void set_mark(int level, ticks at) noexcept {
  if (!counts_here()) return;
  open_regions& own = own_regions;
  int place = own.count;
  while (place > 0 && !is_mark(attached.notes.region(own.open[place - 1].number))) --place;
  if (place > 0) {
    const books_lock lock;
    close_until(place - 1, at);
  }
  char name[32];
  std::snprintf(name, sizeof name, "%s%d)", mark_text, level);
  begin_region(name, at);
}

/// MPI gives the call no meaning of its own, and both libraries have it do nothing.
int control(int level, decltype(&MPI_Pcontrol) next, const call_place& from) {
  if (is_inside_mpi(from)) return PLAIT_REAL(MPI_Pcontrol)(level);
  set_mark(level, from.at);
  own_thread.depth = 1;
  const int result = next(level);
  own_thread.depth = 0;
  return result;
}

}  // namespace
}  // namespace plait::attach

/// Called by what <plait/region.h> and its like in Fortran and Python find by these names.
extern "C" PLAIT_EXPORTED void plait_region_begin(const char* name) {
  const plait::attach::call_place from = PLAIT_CALL_PLACE;
  if (!plait::attach::begin_known(name, from.at)) [[unlikely]]
    plait::attach::begin_otherwise(name, from.at, from.stack);
}
extern "C" PLAIT_EXPORTED void plait_region_end(const char* name) {
  const plait::attach::call_place from = PLAIT_CALL_PLACE;
  if (!plait::attach::end_innermost(name, from.at)) [[unlikely]]
    plait::attach::end_otherwise(name, from.at, from.stack);
}

extern "C" PLAIT_EXPORTED int MPI_Pcontrol(const int level, ...) {
  return plait::attach::control(level, PLAIT_NEXT(MPI_Pcontrol), PLAIT_CALL_PLACE);
}
extern "C" PLAIT_EXPORTED int PMPI_Pcontrol(const int level, ...) {
  return plait::attach::control(level, PLAIT_REAL(MPI_Pcontrol), PLAIT_CALL_PLACE);
}
