// SPDX-License-Identifier: BSD-3-Clause
#include "comm/one_sided/rma_window.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <sched.h>

#include "comm/mpi_call.hpp"

namespace plait {
namespace {

constexpr std::size_t line = 64;  // bytes of a processor's cache that move together

/// Returns the windows that were not freed, by number.
[[nodiscard]] std::map<int, MPI_Win>& windows_left() {
  static std::map<int, MPI_Win> all;
  return all;
}

/// Returns what MPI says of the window under `key`; null where it says nothing.
template <class T>
[[nodiscard]] T* attribute_of(MPI_Win win, int key) {
  T* value = nullptr;
  int is_known = 0;
  mpi_call(MPI_Win_get_attr(win, key, static_cast<void*>(&value), &is_known), "MPI_Win_get_attr");
  return is_known != 0 ? value : nullptr;
}

}  // namespace

rma_window::rma_window(MPI_Comm comm, const rma_memory& memory)
    : begin_(static_cast<std::byte*>(memory.begin)) {
  static int made = 0;
  number_ = made++;
  memory.is_mpis ? allocate(comm, memory.size_bytes) : expose(comm, memory.size_bytes);
  mpi_call(MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  const int* const model = attribute_of<int>(win_, MPI_WIN_MODEL);
  if (model == nullptr || *model != MPI_WIN_UNIFIED) {
    throw error("MPI_WIN_MODEL: a rank's own accesses and those of others do not meet in memory");
  }
  if (memory.size_bytes > 0) before_ = bytes_before();
  mpi_call(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_), "MPI_Win_lock_all");
}

void rma_window::expose(MPI_Comm comm, std::size_t size_bytes) {
  mpi_call(MPI_Win_create(begin_, static_cast<MPI_Aint>(size_bytes), 1, MPI_INFO_NULL, comm, &win_),
           "MPI_Win_create");
}

/// Takes memory of MPI's, from the beginning of a line on: libraries lay the memory of the ranks of
/// a machine end to end, and begin anywhere.
void rma_window::allocate(MPI_Comm comm, std::size_t size_bytes) {
  const std::size_t lines = (size_bytes + line - 1) / line + 1;
  void* found = nullptr;
  mpi_call(MPI_Win_allocate(static_cast<MPI_Aint>(lines * line), 1, MPI_INFO_NULL, comm,
                            static_cast<void*>(&found), &win_),
           "MPI_Win_allocate");
  std::size_t room = lines * line;
  void* aligned = found;
  begin_ = static_cast<std::byte*>(std::align(line, size_bytes, aligned, room));
}

/// Returns the bytes from where the library counts to where the memory begins.
///
/// MPICH 4.0 over UCX counts from the beginning of what it has registered: of the multiple of 16
/// before, or of another window's memory, where the two overlap or touch the same 16 bytes.  It
/// then says so in MPI_WIN_BASE.
MPI_Aint rma_window::bytes_before() const {
  const std::byte* const base = attribute_of<std::byte>(win_, MPI_WIN_BASE);
  if (base == nullptr) throw error("MPI_WIN_BASE: MPI does not say where a window begins");
  return begin_ - base;
}

rma_window::~rma_window() {
  if (win_ != MPI_WIN_NULL) windows_left()[number_] = win_;
}

/// Makes a window on all ranks or none.  A window that only some ranks have stays with MPI: its end
/// is collective.
std::unique_ptr<rma_window> rma_window::make(MPI_Comm comm, const rma_memory& memory,
                                             std::string& why) {
  std::unique_ptr<rma_window> made;
  why = "another rank cannot make it";
  try {
    made.reset(new rma_window(comm, memory));
  } catch (const error& refused) {
    why = refused.what();
  }
  const int mine = made != nullptr ? 1 : 0;
  int all = 0;
  mpi_call(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (all == 0) {
    if (made != nullptr) made->win_ = MPI_WIN_NULL;
    return nullptr;
  }
  why.clear();
  int ranks = 1;
  mpi_call(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  made->all_before_.resize(static_cast<std::size_t>(ranks));
  mpi_call(MPI_Allgather(&made->before_, 1, MPI_AINT, made->all_before_.data(), 1, MPI_AINT, comm),
           "MPI_Allgather");
  return made;
}

void rma_window::free() {
  mpi_call(MPI_Win_unlock_all(win_), "MPI_Win_unlock_all");
  mpi_call(MPI_Win_free(&win_), "MPI_Win_free");
}

void rma_window::free_what_is_left() noexcept {
  for (auto& [number, win] : std::exchange(windows_left(), {})) {
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
}

namespace {

constexpr int silent_tag = 1;
constexpr double silence_s = 0.02;

/// Words that a rank exposes for the measurement.
struct measured_words {
  std::int64_t source = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};
constexpr std::size_t place_of_source = offsetof(measured_words, source);
constexpr std::size_t place_of_first = offsetof(measured_words, first);
constexpr std::size_t place_of_last = offsetof(measured_words, last);

[[nodiscard]] bool has_come(measured_words& words) {
  return std::atomic_ref<std::int64_t>(words.last).load(std::memory_order_acquire) != 0;
}

/// Calls nothing of MPI's until the last word has come, or for as long as `silence_s`.  What comes
/// before, this rank may have helped with.
[[nodiscard]] bool is_reached_in_silence(MPI_Comm comm, int origin, measured_words& words) {
  mpi_call(MPI_Send(nullptr, 0, MPI_BYTE, origin, silent_tag, comm), "MPI_Send");
  if (has_come(words)) return false;
  const ticks until = now_ticks() + seconds_to_ticks(silence_s);
  while (!has_come(words) && now_ticks() < until) sched_yield();
  return has_come(words);
}

void put_word(const rma_window& window, int target, std::size_t place) {
  const std::int64_t one = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi_call(MPI_Rput(&one, sizeof one, MPI_BYTE, target, window.place(target, place), sizeof one,
                    MPI_BYTE, window.get(), &request),
           "MPI_Rput");
  mpi_call(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  mpi_call(MPI_Win_flush(target, window.get()), "MPI_Win_flush");
}

/// The last word comes only when a get has ended, and a put with its flush.
void reach(MPI_Comm comm, int target, const rma_window& window) {
  mpi_call(MPI_Recv(nullptr, 0, MPI_BYTE, target, silent_tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  std::int64_t got = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi_call(MPI_Rget(&got, sizeof got, MPI_BYTE, target, window.place(target, place_of_source),
                    sizeof got, MPI_BYTE, window.get(), &request),
           "MPI_Rget");
  mpi_call(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  put_word(window, target, place_of_first);
  put_word(window, target, place_of_last);
}

/// Each rank but the first reaches for the one before it: even ones while the odd ones are silent,
/// then the other way round.
[[nodiscard]] bool measured_without_target(MPI_Comm comm, const rma_window& window,
                                           measured_words& words) {
  int rank = 0;
  int size = 1;
  mpi_call(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi_call(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  int mine = 1;
  for (int silent = 0; silent < 2; ++silent) {
    mpi_call(MPI_Barrier(comm), "MPI_Barrier");
    if (rank % 2 == silent && rank + 1 < size) {
      mine = is_reached_in_silence(comm, rank + 1, words) ? mine : 0;
    } else if (rank % 2 != silent && rank > 0) {
      reach(comm, rank - 1, window);
    }
  }
  int all = 0;
  mpi_call(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all != 0;
}

struct known_way {
  bool without_target = false;
  std::string why = {};  ///< no window can be had
};

[[nodiscard]] known_way measure_windows(MPI_Comm comm, bool mpi_memory) {
  known_way found;
  measured_words own;
  const auto window = rma_window::make(
      comm, {.begin = &own, .size_bytes = sizeof own, .is_mpis = mpi_memory}, found.why);
  if (window == nullptr) return found;
  auto& words = *reinterpret_cast<measured_words*>(window->begin());
  std::memset(window->begin(), 0, sizeof words);
  mpi_call(MPI_Win_sync(window->get()), "MPI_Win_sync");
  found.without_target = measured_without_target(comm, *window, words);
  window->free();
  return found;
}

}  // namespace

bool ends_without_target(MPI_Comm comm, bool mpi_memory, std::string& why) {
  static std::array<std::optional<known_way>, 2> known;  // by kind of memory
  auto& way = known[mpi_memory ? 1 : 0];
  if (!way) way = measure_windows(comm, mpi_memory);
  why = way->why;
  return way->without_target;
}

}  // namespace plait
