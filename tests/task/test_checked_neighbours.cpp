// SPDX-License-Identifier: BSD-3-Clause
// Checked mode when what its own decoder uses is on the pages that it closes.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace {

thread_local double beside_the_stack_guard[2];

/// Returns the complaint of `wait` when a task reads one of the 8-byte words at `data`, another's.
std::string found(std::span<double> data) {
  plait::scheduler s{{.checked = true}};
  std::vector<double> y(1);
  s.task(
      "owner", [](auto) {}, plait::out(data));
  s.task(
      "reads",
      [data](std::vector<double>& to) { to[0] = *static_cast<const volatile double*>(&data[1]); },
      plait::out(y));
  try {
    s.wait();
  } catch (const plait::access_error& e) {
    return e.what();
  }
  return "nothing";
}

constexpr const char* lie =
    "task 'reads' reads bytes 8 to 15 of what task 'owner' names as its access 1 (out), without an "
    "access to it";

TEST(neighbours, of_the_stack_guard_are_checked) {
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  const auto data = reinterpret_cast<std::uintptr_t>(&beside_the_stack_guard[0]);
  ASSERT_EQ(data / 4096, (thread + 0x28) / 4096) << "the test shows nothing";
  EXPECT_EQ(found(beside_the_stack_guard), lie);
}

TEST(neighbours, of_data_of_the_c_library_are_checked) {
  for (FILE* file : {stdin, stdout, stderr}) {
    EXPECT_EQ(found({reinterpret_cast<double*>(file), 2}), lie);
  }
}

}  // namespace
