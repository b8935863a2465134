// SPDX-License-Identifier: BSD-3-Clause
// Checked mode: data that a task touches without an access is found, to the byte, and named.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "checked.hpp"

namespace plait::test {
namespace {

TEST(lie, an_undeclared_read_is_named) {
  std::vector<double> interior(1000), rim(1000);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("interior", set_to_one, inout(interior));
              s.task(
                  "rim", [&](std::span<double> r) { r[0] = load(&interior[8]); },
                  out(std::span(rim)));
            }),
            "task 'rim' reads bytes 64 to 71 of what task 'interior' names as its access 1 "
            "(inout), without an access to it");
}

TEST(lie, an_undeclared_write_is_named) {
  std::vector<double> a(1000), b(1000), c(1000);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "first", [](const auto&, auto&) {}, in(a), out(b));
              s.task(
                  "second", [&](auto&) { store(&b[999], 1.0); }, out(c));
            }),
            "task 'second' writes bytes 7992 to 7999 of what task 'first' names as its access 2 "
            "(out), without an access to it");
}

TEST(lie, of_a_task_that_a_task_has_submitted_is_named) {
  std::vector<double> x(1000), y(1000);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("other", set_to_one, inout(y));
              s.task(
                  "parent",
                  [&](std::span<double> all) {
                    s.task("child", set_to_one, inout(all.subspan(0, 500)));
                    s.task(
                        "bad child", [&](std::span<double> some) { some[0] = load(&y[1]); },
                        out(all.subspan(500, 500)));
                  },
                  inout(std::span(x)));
            }),
            "task 'bad child' reads bytes 8 to 15 of what task 'other' names as its access 1 "
            "(inout), without an access to it");
}

TEST(lie, a_write_to_what_is_declared_in_is_named) {
  std::vector<int> a(5000), b(5000);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "copy",
                  [](std::span<int> to, const std::vector<int>& from) {
                    to[1] = from[1];
                    store(const_cast<int*>(&from[2]), 7);
                  },
                  out(std::span(b)), in(a));
            }),
            "task 'copy' writes bytes 8 to 11 of its access 2, which it declares in");
  EXPECT_EQ(a[2], 7);
}

TEST(lie, a_variable_that_is_raised_is_read_and_written) {
  std::vector<std::uint32_t> x(3000), y(1);
  const std::string text = found([&](scheduler& s) {
    s.task(
        "owner", [](auto&) {}, out(x));
    s.task(
        "raises", [&](auto&) { asm volatile("incl %0"
                                            : "+m"(x[2000])); }, out(y));
  });
  EXPECT_EQ(text,
            "task 'raises' reads and writes bytes 8000 to 8003 of what task 'owner' names as its "
            "access 1 (out), without an access to it");
  EXPECT_EQ(x[2000], 1U);
}

TEST(lie, one_byte_beyond_a_declared_span_is_named) {
  const pages memory(3);
  const auto left = memory.as<std::uint8_t>(0, 6000);
  const auto right = memory.as<std::uint8_t>(6000, 6000);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task(
            "right", [](auto) {}, out(right));
        s.task(
            "left",
            [](std::span<std::uint8_t> x) {
              for (std::size_t i = 0; i <= x.size(); ++i) store(x.data() + i, std::uint8_t{3});
            },
            out(left));
      }),
      "task 'left' writes byte 0 of what task 'right' names as its access 1 (out), without an "
      "access to it");
  EXPECT_EQ(right[0], 3);
  EXPECT_EQ(right[1], 0);
}

TEST(lie, a_wide_access_that_is_half_declared_is_cut_to_the_byte) {
  const pages memory(2);
  for (const std::size_t border : {1000U, 4093U}) {  // the second lies across two pages
    const auto left = memory.as<std::uint8_t>(0, border);
    const auto right = memory.as<std::uint8_t>(border, 100);
    EXPECT_EQ(found([&](scheduler& s) {
                s.task(
                    "right", [](auto) {}, out(right));
                s.task(
                    "left",
                    [](std::span<std::uint8_t> x) {
                      const std::uint8_t* at = x.data() + x.size() - 5;
                      asm volatile("movdqu %0, %%xmm0" ::"m"(*at) : "xmm0");
                    },
                    inout(left));
              }),
              "task 'left' reads bytes 0 to 10 of what task 'right' names as its access 1 (out), "
              "without an access to it");
  }
}

TEST(lie, data_in_one_page_with_declared_data_is_told_apart) {
  const pages memory(1);
  const auto x = memory.as<int>(0, 1);
  const auto y = memory.as<int>(4, 1);
  const auto z = memory.as<int>(8, 1);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "y", [](auto) {}, out(y));
              s.task(
                  "z", [](auto) {}, out(z));
              s.task(
                  "x",
                  [&](std::span<int> mine) {
                    store(&mine[0], load(&mine[0]) + 1);
                    store(&mine[0], load(&y[0]));
                  },
                  inout(x));
            }),
            "task 'x' reads bytes 0 to 3 of what task 'y' names as its access 1 (out), without an "
            "access to it");
}

TEST(lie, data_on_the_stack_of_the_program_is_found) {
  int x = 1;
  int y = 2;
  int z = 3;
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "set", [](int& v) { v = 5; }, out(x));
              s.task(
                  "add", [&x](const int& a, int& b) { b = a + load(&x); }, in(y), out(z));
            }),
            "task 'add' reads bytes 0 to 3 of what task 'set' names as its access 1 (out), without "
            "an access to it");
  EXPECT_EQ(z, 7);
}

int global_number = 4;
TEST(lie, a_global_variable_is_found) {
  int y = 0;
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "set", [](int& v) { v = 5; }, out(global_number));
              s.task(
                  "add", [](int& b) { b = load(&global_number); }, out(y));
            }),
            "task 'add' reads bytes 0 to 3 of what task 'set' names as its access 1 (out), without "
            "an access to it");
}

const std::array<double, 4096> table{};
TEST(lie, data_that_cannot_be_written_may_be_declared_and_forgotten) {
  double y = 0;
  const auto body = [](const std::array<double, 4096>& t, double& v) { v = load(&t[5]); };
  const auto forgetful = [](double& v) { v = load(&table[600]); };
  EXPECT_EQ(found([&](scheduler& s) { s.task("reads", body, in(table), out(y)); }), "nothing");
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("reads", body, in(table), out(y));
              s.task("forgets", forgetful, out(y));
            }),
            "task 'forgets' reads bytes 4800 to 4807 of what task 'reads' names as its access 1 "
            "(in), without an access to it");
}

TEST(lie, a_large_span_is_found_as_one_range) {
  std::vector<double> a(40'000), b(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("owner", set_to_one, out(std::span(a)));
              s.task(
                  "sum",
                  [&](std::span<double> to) {
                    double sum = 0;
                    for (std::size_t i = 1000; i < 21'000; ++i) sum += load(&a[i]);
                    to[0] = sum;
                  },
                  out(std::span(b)));
            }),
            "task 'sum' reads bytes 8000 to 167999 of what task 'owner' names as its access 1 "
            "(out), without an access to it");
  EXPECT_EQ(b[0], 20'000);
}

TEST(lie, every_other_element_is_told_as_some_of_the_range) {
  std::vector<double> a(1000), b(10);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task("owner", set_to_one, out(std::span(a)));
        s.task(
            "strides",
            [&](std::span<double>) {
              for (std::size_t i = 0; i < 1000; i += 2) store(&a[i], 2.0);
            },
            out(std::span(b)));
      }),
      "task 'strides' writes some of bytes 0 to 7991 of what task 'owner' names as its access "
      "1 (out), without an access to it");
}

TEST(lie, several_data_are_each_named) {
  std::vector<double> a(1000), b(1000), c(1000);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task("a", set_to_one, out(std::span(a)));
        s.task("b", set_to_one, out(std::span(b)));
        s.task(
            "c",
            [&](std::span<double> to) {
              for (std::size_t i = 0; i < 100; ++i) {
                to[i] = load(&a[i]);
                store(&b[i], to[i]);
              }
            },
            out(std::span(c)));
      }),
      "task 'c' reads bytes 0 to 799 of what task 'a' names as its access 1 (out), without an "
      "access to it; it writes bytes 0 to 799 of what task 'b' names as its access 1 (out), "
      "without an access to it");
}

TEST(name, the_task_before_that_wrote_is_named_first) {
  std::vector<double> x(100), y(100);
  const auto nothing = [](auto&) {};
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("reader before", nothing, in(x));
              s.task("first writer", nothing, out(x));
              s.task("second writer", nothing, out(x));
              s.task("reader", nothing, in(x));
              s.task(
                  "lies", [&](auto&) { store(&x[0], 1.0); }, out(y));
              s.task("later writer", nothing, out(x));
            }),
            "task 'lies' writes bytes 0 to 7 of what task 'second writer' names as its access 1 "
            "(out), without an access to it");
}

TEST(name, a_later_task_is_named_when_there_is_no_other) {
  std::vector<double> x(100), y(100);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "lies", [&](auto&) { store(&x[0], 1.0); }, out(y));
              s.task(
                  "later", [](auto&) {}, in(x));
            }),
            "task 'lies' writes bytes 0 to 7 of what task 'later' names as its access 1 (in), "
            "without an access to it");
}

TEST(name, what_is_named_by_also_counts) {
  std::vector<double> x(100), y(100), z(100);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                   "owner", [](auto&) {}, in(x))
                  .also(out(y));
              s.task(
                   "honest", [&](auto&) { store(&y[0], 1.0); }, in(z))
                  .also(inout(y));
              s.task(
                  "lies", [&](auto&) { store(&y[1], 1.0); }, out(z));
            }),
            "task 'lies' writes bytes 8 to 15 of what task 'honest' names as its access 2 (inout), "
            "without an access to it");
}

}  // namespace
}  // namespace plait::test
