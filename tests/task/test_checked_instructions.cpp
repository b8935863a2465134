// SPDX-License-Identifier: BSD-3-Clause
// Checked mode finds the bytes that any instruction touches: copies, strings, vectors and masks,
// and the bytes that a system call touches.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>
#include <unistd.h>

#include "checked.hpp"

namespace plait::test {
namespace {

TEST(lie, a_copy_into_undeclared_memory_is_found_whole) {
  for (const std::size_t count : {1U, 3U, 8U, 15U, 17U, 33U, 100U, 1000U, 5000U, 40'000U}) {
    std::vector<std::uint8_t> from(50'000), to(50'000), mine(1);
    std::iota(from.begin(), from.end(), std::uint8_t{0});
    EXPECT_EQ(found([&](scheduler& s) {
                s.task(
                    "owner", [](auto&) {}, out(to));
                s.task(
                    "copies",
                    [&](const std::vector<std::uint8_t>& source, auto&) {
                      std::memcpy(to.data() + 11, source.data() + 3, count);
                    },
                    in(from), out(mine));
              }),
              "task 'copies' writes " +
                  (count == 1 ? "byte 11" : "bytes 11 to " + std::to_string(10 + count)) +
                  " of what task 'owner' names as its access 1 (out), without an access to it");
    EXPECT_TRUE(
        std::equal(from.begin() + 3, from.begin() + 3 + static_cast<long>(count), to.begin() + 11));
  }
}

TEST(lie, a_copy_one_byte_beyond_what_it_may_read_is_found) {
  const pages memory(8);
  for (const std::size_t count : {2U, 8U, 15U, 16U, 17U, 31U, 33U, 64U, 100U, 1000U, 20'000U}) {
    const auto source = memory.as<std::uint8_t>(0, count);
    const auto next = memory.as<std::uint8_t>(count, 100);
    std::vector<std::uint8_t> mine(count + 1);
    EXPECT_EQ(found([&](scheduler& s) {
                s.task(
                    "next", [](auto) {}, out(next));
                s.task(
                    "copies",
                    [](auto from, auto& to) { std::memcpy(to.data(), from.data(), to.size()); },
                    in(source), out(mine));
              }),
              "task 'copies' reads byte 0 of what task 'next' names as its access 1 (out), without "
              "an access to it");
  }
}

TEST(lie, filling_and_repeated_string_instructions_are_found) {
  for (const std::size_t count : {5U, 300U, 9000U}) {
    std::vector<std::uint8_t> data(20'000), mine(20'000, 4);
    const auto owner = [](auto&) {};
    const std::string expected = "task 'fills' writes bytes 100 to " + std::to_string(99 + count) +
                                 " of what task 'owner' names as its access 1 (out), without an "
                                 "access to it";
    EXPECT_EQ(found([&](scheduler& s) {
                s.task("owner", owner, out(data));
                s.task(
                    "fills", [&](auto&) { std::memset(data.data() + 100, 9, count); }, out(mine));
              }),
              expected);
    EXPECT_EQ(std::count(data.begin(), data.end(), 9), count);
    EXPECT_EQ(found([&](scheduler& s) {
                s.task("owner", owner, out(data));
                s.task(
                    "fills",
                    [&](auto& from) {
                      void* to = data.data() + 100;
                      const void* source = from.data();
                      std::size_t left = count;
                      asm volatile("rep movsb" : "+D"(to), "+S"(source), "+c"(left)::"memory");
                    },
                    out(mine));
              }),
              expected);
    EXPECT_EQ(std::count(data.begin(), data.end(), 4), count);
    EXPECT_EQ(
        found([&](scheduler& s) {
          s.task("owner", owner, out(data));
          s.task(
              "fills",
              [&](auto&) {
                void* to = data.data() + 100 + count - 1;
                std::size_t left = count;
                asm volatile("std\n\trep stosb\n\tcld" : "+D"(to), "+c"(left) : "a"(5) : "memory");
              },
              out(mine));
        }),
        expected);
    EXPECT_EQ(std::count(data.begin(), data.end(), 5), count);
  }
}

[[gnu::noinline, gnu::optimize("O3")]] void axpy(double f, const double* x, double* y,
                                                 std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += f * x[i];
}
[[gnu::noinline, gnu::optimize("O3"), gnu::target("avx2,fma")]] void axpy_avx2(double f,
                                                                               const double* x,
                                                                               double* y,
                                                                               std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += f * x[i];
}
[[gnu::noinline, gnu::optimize("O3"), gnu::target("avx512f,avx512vl,prefer-vector-width=512")]] void
axpy_avx512(double f, const double* x, double* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += f * x[i];
}

TEST(lie, vectorised_loops_are_found_to_the_byte) {
  std::vector<void (*)(double, const double*, double*, std::size_t)> kernels{&axpy};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(&axpy_avx2);
  }
  if (__builtin_cpu_supports("avx512vl")) kernels.push_back(&axpy_avx512);
  const pages memory(8);
  for (const auto kernel : kernels) {
    for (const std::size_t n : {1U, 3U, 5U, 64U, 1001U}) {
      for (const std::size_t lie : {0U, 1U, 2U, 3U, 9U}) {
        const auto x = memory.as<double>(0, n);
        const auto behind_x = memory.as<double>(n * 8, 20);
        const auto y = memory.as<double>(16384 + 24, n);
        const auto behind_y = memory.as<double>(16384 + 24 + n * 8, 20);
        const std::string text = found([&](scheduler& s) {
          s.task(
              "behind", [](auto, auto) {}, out(behind_x, behind_y));
          s.task(
              "axpy",
              [&](std::span<const double> from, std::span<double> to) {
                kernel(2.0, from.data(), to.data(), to.size() + lie);
              },
              in(x), inout(y));
        });
        if (lie == 0) {
          EXPECT_EQ(text, "nothing") << n;
          continue;
        }
        const std::string bytes = "bytes 0 to " + std::to_string(8 * lie - 1);
        EXPECT_EQ(text, "task 'axpy' reads " + bytes +
                            " of what task 'behind' names as its access 1 (out), without an access "
                            "to it; it reads and writes " +
                            bytes +
                            " of what task 'behind' names as its access 2 (out), without an access "
                            "to it")
            << n;
      }
    }
  }
}

TEST(lie, a_masked_access_touches_only_its_elements) {
  if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw")) {
    std::puts("no masked accesses on this processor: nothing to see");
    return;
  }
  const pages memory(1);
  const auto x = memory.as<std::uint8_t>(0, 40);
  const auto y = memory.as<std::uint8_t>(40, 60);
  for (const std::uint64_t last : {39U, 40U, 45U}) {
    const std::string text = found([&](scheduler& s) {
      s.task(
          "y", [](auto) {}, out(y));
      s.task(
          "x",
          [last](std::span<std::uint8_t> to) {
            const std::uint64_t mask = (std::uint64_t{2} << last) - 1;
            asm volatile(
                "kmovq %1, %%k1\n\t"
                "vmovdqu8 %%zmm0, (%0)%{%%k1%}" ::"r"(to.data()),
                "r"(mask)
                : "memory");
          },
          inout(x));
    });
    const std::string bytes = last == 40 ? "byte 0" : "bytes 0 to 5";
    EXPECT_EQ(text, last == 39 ? "nothing"
                               : "task 'x' writes " + bytes +
                                     " of what task 'y' names as its access 1 (out), without an "
                                     "access to it");
  }
}

TEST(lie, what_a_system_call_reads_or_writes_is_found) {
  std::vector<char> a(10'000, 'a'), b(10'000), c(1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto owner = [](auto&) {};
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("owner", owner, out(a));
              s.task("owner of b", owner, out(b));
              s.task(
                  "writes",
                  [&](auto&) {
                    EXPECT_EQ(write(ends[1], a.data() + 5, 5000), 5000);
                    EXPECT_EQ(read(ends[0], b.data(), 5000), 5000);
                  },
                  out(c));
            }),
            "task 'writes' reads bytes 5 to 5004 of what task 'owner' names as its access 1 (out), "
            "without an access to it; it writes bytes 0 to 4999 of what task 'owner of b' names as "
            "its access 1 (out), without an access to it");
  EXPECT_EQ(b[4999], 'a');
  close(ends[0]);
  close(ends[1]);
}

TEST(lie, reading_a_string_is_found) {
  std::vector<char> text(5000, 'x');
  text.back() = 0;
  std::size_t length = 0;
  const std::string said = found([&](scheduler& s) {
    s.task(
        "owner", [](auto&) {}, out(text));
    s.task(
        "measures", [&](std::size_t& n) { n = std::strlen(text.data()); }, out(length));
  });
  EXPECT_TRUE(said.starts_with("task 'measures' reads bytes ")) << said;
  EXPECT_EQ(length, 4999U);
}

}  // namespace
}  // namespace plait::test
