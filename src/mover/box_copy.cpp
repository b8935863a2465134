// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <string>

#include <plait/core/error.hpp>
#include <plait/mover/box_copy.hpp>

namespace plait {
namespace {

using steps = std::array<std::int64_t, patch::most_loops>;

[[nodiscard]] std::size_t bytes_of(std::size_t run_bytes, int loops, const steps& count) noexcept {
  std::size_t bytes = run_bytes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(loops); ++k) {
    bytes *= static_cast<std::size_t>(count[k]);
  }
  return bytes;
}

/// Cells of a face across the fastest axis are runs of one element: a call of memcpy for each costs
/// more than the copy.
template <std::size_t Bytes>
void copy_short_runs(std::byte* to, std::int64_t to_step, const std::byte* from,
                     std::int64_t from_step, std::int64_t count) noexcept {
  for (; count > 0; --count, to += to_step, from += from_step) std::memcpy(to, from, Bytes);
}

void copy_runs(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
               std::int64_t count, std::size_t run_bytes) noexcept {
  switch (run_bytes) {
    case 4:
      return copy_short_runs<4>(to, to_step, from, from_step, count);
    case 8:
      return copy_short_runs<8>(to, to_step, from, from_step, count);
    case 16:
      return copy_short_runs<16>(to, to_step, from, from_step, count);
    case 24:
      return copy_short_runs<24>(to, to_step, from, from_step, count);
    default:
      for (; count > 0; --count, to += to_step, from += from_step) std::memcpy(to, from, run_bytes);
  }
}

}  // namespace

std::size_t patch::size_bytes() const noexcept {
  return bytes_of(run_bytes, loops, count);
}

std::size_t box_copy::size_bytes() const noexcept {
  return bytes_of(run_bytes, loops, count);
}

/// Loops that go on, on both sides, where the next faster one ends are one with it; those of one
/// round are none.
box_copy box_copy::joined() const noexcept {
  box_copy result{.to = to, .from = from, .run_bytes = run_bytes};
  steps& counts = result.count;
  for (auto k = static_cast<std::size_t>(loops); k-- > 0;) {  // the fastest first
    if (count[k] == 1) continue;
    const bool innermost = result.loops == 0;
    const auto last = static_cast<std::size_t>(result.loops) - 1;
    const auto run = static_cast<std::int64_t>(result.run_bytes);
    const std::int64_t to_end = innermost ? run : result.to_step[last] * counts[last];
    const std::int64_t from_end = innermost ? run : result.from_step[last] * counts[last];
    if (to_step[k] != to_end || from_step[k] != from_end) {
      const auto next = static_cast<std::size_t>(result.loops++);
      counts[next] = count[k];
      result.to_step[next] = to_step[k];
      result.from_step[next] = from_step[k];
    } else if (innermost) {
      result.run_bytes *= static_cast<std::size_t>(count[k]);
    } else {
      counts[last] *= count[k];
    }
  }
  std::reverse(counts.begin(), counts.begin() + result.loops);
  std::reverse(result.to_step.begin(), result.to_step.begin() + result.loops);
  std::reverse(result.from_step.begin(), result.from_step.begin() + result.loops);
  return result;
}

patch patch::joined() const noexcept {
  const box_copy both{first, first, run_bytes, loops, count, step, step};
  return both.joined().written();
}

box_copy box_copy::with_gaps() const noexcept {
  // A gap costs the link what it adds to the message, and packing costs two copies of the message:
  // with 1 Gbit/s and copies of 8 GB/s that is even at one part in 32.
  constexpr std::int64_t parts = 32;
  box_copy copy = joined();
  const auto run = static_cast<std::int64_t>(copy.run_bytes);
  const std::int64_t step = copy.to_step[0];
  if (copy.loops != 1 || copy.from_step[0] != step || step < run || (step - run) * parts > run) {
    return *this;
  }
  copy.run_bytes = static_cast<std::size_t>(step * (copy.count[0] - 1) + run);
  copy.loops = 0;
  return copy;
}

void box_copy::run() const noexcept {
  const box_copy copy = joined();
  // Loops it does not have are outer ones of one round.
  steps rounds{1, 1, 1};
  steps to_by{};
  steps from_by{};
  for (std::size_t k = steps().size(), loop = static_cast<std::size_t>(copy.loops); loop > 0;) {
    --k, --loop;
    rounds[k] = copy.count[loop];
    to_by[k] = copy.to_step[loop];
    from_by[k] = copy.from_step[loop];
  }
  for (std::int64_t i = 0; i < rounds[0]; ++i) {
    for (std::int64_t j = 0; j < rounds[1]; ++j) {
      copy_runs(to + i * to_by[0] + j * to_by[1], to_by[2], from + i * from_by[0] + j * from_by[1],
                from_by[2], rounds[2], copy.run_bytes);
    }
  }
}

box_copy make_box_copy(std::span<const std::int64_t> extents, std::size_t element_bytes,
                       std::byte* to, std::span<const std::int64_t> to_strides,
                       const std::byte* from, std::span<const std::int64_t> from_strides) {
  const std::size_t axes = extents.size();
  PLAIT_EXPECTS(axes >= 1 && axes <= patch::most_loops + 1, std::to_string(axes) + " axes");
  std::array<std::int64_t, patch::most_loops + 1> dense{};
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (std::size_t a = axes; a-- > 0; stride *= extents[a]) dense[a] = stride;
  if (to_strides.empty()) to_strides = std::span(dense).first(axes);
  if (from_strides.empty()) from_strides = std::span(dense).first(axes);
  const auto element = static_cast<std::int64_t>(element_bytes);
  PLAIT_EXPECTS(to_strides[axes - 1] == element && from_strides[axes - 1] == element,
                "cells of a row lie behind each other");

  box_copy copy{.to = to, .from = from};
  copy.run_bytes = element_bytes * static_cast<std::size_t>(extents[axes - 1]);
  copy.loops = static_cast<int>(axes) - 1;
  for (std::size_t a = 0; a + 1 < axes; ++a) {
    copy.count[a] = extents[a];
    copy.to_step[a] = to_strides[a];
    copy.from_step[a] = from_strides[a];
  }
  return copy;
}

patch make_patch(std::span<const std::int64_t> extents, std::size_t element_bytes, std::byte* first,
                 std::span<const std::int64_t> strides) {
  return make_box_copy(extents, element_bytes, first, strides, first, strides).written();
}

}  // namespace plait
