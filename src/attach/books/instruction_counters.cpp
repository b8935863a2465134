// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/instruction_counters.hpp"

#include <cstring>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait::attach {
namespace {

[[nodiscard]] int open_counter(std::uint32_t type, std::uint64_t what, int group) noexcept {
  perf_event_attr how;
  std::memset(&how, 0, sizeof how);
  how.size = sizeof how;
  how.type = type;
  how.config = what;
  how.read_format = PERF_FORMAT_GROUP;
  how.exclude_kernel = 1;
  how.exclude_hv = 1;
  constexpr int this_thread = 0;
  constexpr int any_processor = -1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &how, this_thread, any_processor, group, PERF_FLAG_FD_CLOEXEC));
}

/// Moves a file to a number that programs do not reach, if there is room.
[[nodiscard]] int out_of_reach(int file) noexcept {
  rlimit most{};
  if (file < 0 || getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur < 256) return file;
  const auto high = static_cast<int>(most.rlim_cur > 4096 ? 4000 : most.rlim_cur - 64);
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, high);
  if (moved < 0) return file;
  close(file);
  return moved;
}

}  // namespace

instruction_counters counters;

void instruction_counters::open(bool stand_in) noexcept {
  constexpr std::uint64_t clock = PERF_COUNT_SW_TASK_CLOCK;
  const std::uint32_t type = stand_in ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
  const std::uint64_t first = stand_in ? clock : std::uint64_t{PERF_COUNT_HW_CPU_CYCLES};
  const std::uint64_t second = stand_in ? clock : std::uint64_t{PERF_COUNT_HW_INSTRUCTIONS};
  const int cycles = out_of_reach(open_counter(type, first, -1));
  if (cycles < 0) return;
  const int instructions = out_of_reach(open_counter(type, second, cycles));
  if (instructions < 0) {
    close(cycles);
    return;
  }
  file_ = cycles;  // the other stays open with the process
}

std::optional<counted_work> instruction_counters::read() const noexcept {
  struct {
    std::uint64_t number;
    std::uint64_t values[2];
  } found{};
  if (::read(file_, &found, sizeof found) != sizeof found || found.number != 2) return std::nullopt;
  return counted_work{found.values[0], found.values[1]};
}

}  // namespace plait::attach
