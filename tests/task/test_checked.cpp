// SPDX-License-Identifier: BSD-3-Clause
// Checked mode: tasks that touch what they have not declared are found, to the byte, and no others.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

/// Returns the complaint that `wait` throws about the tasks of `program`, or "nothing".
std::string found(const std::function<void(scheduler&)>& program) {
  scheduler s{{.checked = true}};
  program(s);
  try {
    s.wait();
  } catch (const plait::access_error& e) {
    return e.what();
  }
  return "nothing";
}

template <class T>
[[gnu::noinline]] T load(const T* from) {
  return *const_cast<const volatile T*>(from);
}
template <class T>
[[gnu::noinline]] void store(T* to, T value) {
  *const_cast<volatile T*>(to) = value;
}

/// Zeroed memory that begins at a page.
struct pages {
  explicit pages(std::size_t count)
      : bytes(count * 4096), data(static_cast<std::byte*>(std::aligned_alloc(4096, bytes))) {
    std::memset(data, 0, bytes);
  }
  ~pages() { std::free(data); }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  template <class T>
  [[nodiscard]] std::span<T> as(std::size_t from_byte, std::size_t count) const {
    return {reinterpret_cast<T*>(data + from_byte), count};
  }

  std::size_t bytes;
  std::byte* data;
};

void touch(std::span<double> x) {
  for (double& each : x) each = 1;
}

// --- each kind of lie ----------------------------------------------------------------------------

TEST(lie, an_undeclared_read_is_named) {
  std::vector<double> interior(1000), rim(1000);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("interior", touch, inout(interior));
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
              s.task("other", touch, inout(y));
              s.task(
                  "parent",
                  [&](std::span<double> all) {
                    s.task("child", touch, inout(all.subspan(0, 500)));
                    s.task(
                        "bad child", [&](std::span<double> some) { some[0] = load(&y[1]); },
                        out(all.subspan(500, 500)));
                  },
                  inout(std::span(x)));
            }),
            "task 'bad child' reads bytes 8 to 15 of what task 'other' names as its access 1 "
            "(inout), without an access to it");
}

TEST(truth, every_access_word_and_waiting_pass) {
  std::vector<double> x(1000);
  double total = 0;
  int turns = 0;
  EXPECT_EQ(found([&](scheduler& s) {
              for (int i = 0; i < 4; ++i) {
                s.task("touch", touch, inout(std::span(x).subspan(250 * i, 250)));
                s.task(
                    "sum",
                    [](std::span<const double> some, double& mine, int& n) {
                      mine = std::accumulate(some.begin(), some.end(), 0.0);
                      ++n;
                    },
                    in(std::span(x).subspan(250 * i, 250)), plait::reduce(total),
                    plait::commutative(turns));
              }
              s.wait_on(total);
              EXPECT_EQ(s.task(
                             "twice", [](double t) { return 2 * t; }, in(total))
                            .result()
                            .get(),
                        2000);
            }),
            "nothing");
  EXPECT_EQ(turns, 4);
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
  std::vector<double> a(200'000), b(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("owner", touch, out(std::span(a)));
              s.task(
                  "sum",
                  [&](std::span<double> to) {
                    double sum = 0;
                    for (std::size_t i = 1000; i < 101'000; ++i) sum += load(&a[i]);
                    to[0] = sum;
                  },
                  out(std::span(b)));
            }),
            "task 'sum' reads bytes 8000 to 807999 of what task 'owner' names as its access 1 "
            "(out), without an access to it");
  EXPECT_EQ(b[0], 100'000);
}

TEST(lie, every_other_element_is_told_as_some_of_the_range) {
  std::vector<double> a(1000), b(10);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task("owner", touch, out(std::span(a)));
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
        s.task("a", touch, out(std::span(a)));
        s.task("b", touch, out(std::span(b)));
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

// --- whose it is ---------------------------------------------------------------------------------

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

// --- a model -------------------------------------------------------------------------------------

template <std::size_t Bytes>
void touch_bytes(std::byte* at, bool write) {
  struct chunk {
    std::array<std::byte, Bytes> bytes;
  };
  static thread_local chunk buffer;
  if (write) {
    std::memcpy(at, &buffer, Bytes);
    asm volatile("" ::: "memory");
  } else {
    std::memcpy(&buffer, at, Bytes);
    asm volatile("" ::"r"(&buffer) : "memory");
  }
}

/// The bytes of others that a random task touches are found, all of them and no others.
TEST(random_accesses, are_told_as_a_model_says) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  constexpr void (*touches[])(std::byte*, bool) = {
      &touch_bytes<1>,  &touch_bytes<2>,   &touch_bytes<4>,  &touch_bytes<7>,
      &touch_bytes<8>,  &touch_bytes<16>,  &touch_bytes<24>, &touch_bytes<32>,
      &touch_bytes<64>, &touch_bytes<100>, &touch_bytes<500>};
  constexpr std::size_t widths[] = {1, 2, 4, 7, 8, 16, 24, 32, 64, 100, 500};
  const pages memory(5);
  scheduler s{{.checked = true}};
  int lies = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t first = below(3000);  // registered: [first, end)
    const std::size_t end = memory.bytes - below(3000);
    std::vector<char> mine(memory.bytes, 0);
    s.task(
        "owner", [](auto) {}, out(memory.as<std::byte>(first, end - first)));
    struct planned {
      std::size_t width;
      std::size_t at;
      bool write;
    };
    std::vector<planned> plan;
    for (std::size_t n = below(30); n > 0; --n) {
      const std::size_t width = below(std::size(widths));
      plan.push_back({width, below(memory.bytes - widths[width]), below(2) == 0});
    }
    {
      auto liar = s.task("liar", [&] {
        for (const planned& p : plan) touches[p.width](memory.data + p.at, p.write);
      });
      for (std::size_t n = below(6); n > 0; --n) {
        const std::size_t begin = first + below(end - first);
        const std::size_t count = below(below(2) == 0 ? 50 : 6000);
        const std::size_t last = std::min(begin + count, end);
        liar.also(inout(memory.as<std::byte>(begin, last - begin)));
        std::fill(mine.begin() + static_cast<long>(begin), mine.begin() + static_cast<long>(last),
                  1);
      }
    }
    std::vector<char> touched[2] = {std::vector<char>(memory.bytes, 0),
                                    std::vector<char>(memory.bytes, 0)};
    for (const planned& p : plan) {
      for (std::size_t i = p.at; i < p.at + widths[p.width]; ++i) {
        if (i >= first && i < end && mine[i] == 0) touched[p.write ? 1 : 0][i] = 1;
      }
    }
    const auto text = [&](const std::vector<char>& map) {
      const auto begin = std::find(map.begin(), map.end(), 1);
      const auto last = std::find(map.rbegin(), map.rend(), 1).base();
      const auto count = std::count(map.begin(), map.end(), 1);
      const std::string from = std::to_string(begin - map.begin() - static_cast<long>(first));
      if (last - begin == 1) return "byte " + from;
      return (count == last - begin ? "bytes " : "some of bytes ") + from + " to " +
             std::to_string(last - map.begin() - static_cast<long>(first) - 1);
    };
    const bool reads = std::count(touched[0].begin(), touched[0].end(), 1) > 0;
    const bool writes = std::count(touched[1].begin(), touched[1].end(), 1) > 0;
    std::string expected = "nothing";
    if (reads || writes) {
      expected = "task 'liar'";
      if (reads) expected += " reads " + text(touched[0]);
      if (reads && writes) expected += " and";
      if (writes) expected += " writes " + text(touched[1]);
      expected += " of what task 'owner' names as its access 1 (out), without an access to it";
      ++lies;
    }
    std::string said = "nothing";
    try {
      s.wait();
    } catch (const plait::access_error& e) {
      said = e.what();
    }
    ASSERT_EQ(said, expected) << "trial " << trial;
  }
  EXPECT_GT(lies, 50);
}

// --- no false alarm ------------------------------------------------------------------------------

TEST(truth, tasks_may_use_memory_that_nobody_names) {
  std::vector<double> x(1000, 2.0), y(1000);
  std::string text;
  EXPECT_EQ(found([&](scheduler& s) {
              for (int round = 0; round < 20; ++round) {
                s.task(
                    "allocates",
                    [&text](const std::vector<double>& from, std::vector<double>& to) {
                      std::vector<double> copy(from);
                      std::vector<std::string> words;
                      for (double each : copy) words.push_back("number " + std::to_string(each));
                      std::sort(words.begin(), words.end());
                      text = words.front();
                      std::copy(copy.begin(), copy.end(), to.begin());
                      std::function<double(int)> sum = [&](int n) {
                        return n < 0 ? 0.0 : to[static_cast<std::size_t>(n)] + sum(n - 1);
                      };
                      if (sum(999) != 2000.0) throw std::runtime_error("wrong sum");
                    },
                    in(x), out(y));
                s.task(
                    "scales",
                    [](std::vector<double>& v) {
                      for (double& each : v) each *= 1;
                    },
                    inout(x));
              }
            }),
            "nothing");
  EXPECT_EQ(text, "number 2.000000");
}

TEST(truth, memory_freed_after_wait_may_be_used_by_tasks) {
  scheduler s{{.checked = true}};
  for (const std::size_t count : {100U, 100'000U}) {
    auto data = std::make_unique<std::vector<int>>(count, 1);
    s.task(
        "old", [](auto&) {}, inout(*data));
    s.wait();
    data.reset();
    int sum = 0;
    s.task(
        "new",
        [count](int& to) {
          const std::vector<int> same_place(count, 1);
          to = std::accumulate(same_place.begin(), same_place.end(), 0);
        },
        out(sum));
    s.wait();
    EXPECT_EQ(sum, static_cast<int>(count));
  }
}

TEST(truth, exceptions_pass_through_and_inside_of_tasks) {
  scheduler s{{.checked = true}};
  int x = 0;
  int y = 0;
  s.task(
      "other", [](int&) {}, out(y));
  s.task(
      "throws",
      [](int& to) {
        try {
          throw std::string("inside");
        } catch (const std::string& text) {
          to = static_cast<int>(text.size());
        }
        throw std::runtime_error("outside");
      },
      out(x));
  try {
    s.wait();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "outside");
  }
  EXPECT_EQ(x, 6);
}

TEST(truth, a_lie_is_told_before_what_the_task_throws) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "owner", [](auto&) {}, out(x));
              s.task(
                  "lies",
                  [&](auto&) {
                    store(&x[0], 4);
                    throw std::runtime_error("too late");
                  },
                  out(y));
            }),
            "task 'lies' writes bytes 0 to 3 of what task 'owner' names as its access 1 (out), "
            "without an access to it; then it threw: too late");
}

TEST(truth, tasks_may_call_the_system) {
  std::vector<char> x(6000, 'x'), y(6000), z(100);
  const auto program = [&](scheduler& s) {
    s.task(
        "other", [](auto&) {}, out(z));
    s.task(
        "calls",
        [](const std::vector<char>& from, std::vector<char>& to) {
          std::FILE* file = std::tmpfile();
          ASSERT_NE(file, nullptr);
          ASSERT_EQ(std::fwrite(from.data(), 1, from.size(), file), from.size());
          std::rewind(file);
          ASSERT_EQ(std::fread(to.data(), 1, to.size(), file), to.size());
          std::fclose(file);
          sigset_t every;
          sigset_t before;
          sigfillset(&every);
          ASSERT_EQ(sigprocmask(SIG_BLOCK, &every, &before), 0);
          for (char& each : to) each = static_cast<char>(each + 1);
          ASSERT_EQ(sigprocmask(SIG_SETMASK, &before, &every), 0);
          EXPECT_EQ(sigismember(&every, SIGINT), 1);
          EXPECT_EQ(sigismember(&before, SIGINT), 0);
          std::this_thread::sleep_for(std::chrono::microseconds(10));
        },
        in(x), out(y));
  };
  EXPECT_EQ(found(program), "nothing");
  EXPECT_EQ(std::count(y.begin(), y.end(), 'y'), 6000);
}

TEST(truth, a_task_may_start_processes_and_threads) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "other", [](auto&) {}, out(y));
              s.task(
                  "process", [](auto& to) { to[0] = std::system("exit 3"); }, inout(x));
              s.task(
                  "thread", [](auto& to) { std::thread([&to] { to[1] = 4; }).join(); }, inout(x));
            }),
            "nothing");
  EXPECT_EQ(WEXITSTATUS(x[0]), 3);
  EXPECT_EQ(x[1], 4);
}

TEST(truth, other_threads_of_the_program_may_touch_what_they_like) {
  const pages memory(1);
  auto* const count = new (memory.data) std::atomic<std::uint64_t>(0);
  const auto x = memory.as<std::uint64_t>(64, 8);
  const auto y = memory.as<std::uint64_t>(128, 8);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      ++*count;
      store(&y[7], load(&x[7]));
    }
  });
  EXPECT_EQ(found([&](scheduler& s) {
              for (int i = 0; i < 300; ++i) {
                s.task(
                    "x", [](auto to) { store(&to[0], load(&to[0]) + 1); }, inout(x));
                s.task(
                    "y", [](auto to) { store(&to[0], load(&to[0]) + 1); }, inout(y));
              }
            }),
            "nothing");
  stop = true;
  other.join();
  EXPECT_EQ(x[0], 300U);
  EXPECT_EQ(y[0], 300U);
  EXPECT_GT(count->load(), 0U);
}

TEST(truth, strings_that_lie_side_by_side_may_be_read) {
  const pages memory(1);
  std::strcpy(reinterpret_cast<char*>(memory.data) + 100, "a string");
  const auto text = memory.as<char>(100, 9);
  const auto before = memory.as<char>(0, 100);
  const auto behind = memory.as<char>(109, 300);
  std::size_t length = 0;
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "neighbours", [](auto, auto) {}, out(before, behind));
              s.task(
                  "reads",
                  [](std::span<const char> t, std::size_t& n) {
                    n = std::strlen(t.data());
                    if (std::strchr(t.data(), 'i') != t.data() + 5) n = 0;
                    if (std::memchr(t.data(), 'n', t.size()) == nullptr) n = 0;
                    if (std::strcmp(t.data(), "a string") != 0) n = 0;
                    if (std::string(t.data()) != "a string") n = 0;
                  },
                  in(text), out(length));
            }),
            "nothing");
  EXPECT_EQ(length, 8U);
}

// --- suspended tasks and graphs ------------------------------------------------------------------

TEST(suspended, a_task_is_checked_before_and_after_and_not_for_what_others_do_meanwhile) {
  std::vector<int> x(10), y(10), z(10);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task(
            "z", [](auto&) {}, out(z));
        s.task(
            "suspended",
            [&](auto& to) {
              store(&z[0], 1);
              struct resumed_at_once : plait::suspension {
                scheduler* by;
              } next{{[](plait::suspension& self, plait::detail::task_node& node) {
                       static_cast<resumed_at_once&>(self).by->resume(node);
                     }},
                     &s};
              s.suspend(next);
              to[0] = load(&y[2]);
              store(&z[1], 1);
            },
            inout(x));
        s.task(
            "y", [](auto& to) { to[1] = 1; }, out(y));
      }),
      "task 'suspended' reads bytes 8 to 11 of what task 'y' names as its access 1 (out), without "
      "an access to it; it writes bytes 0 to 7 of what task 'z' names as its access 1 (out), "
      "without an access to it");
}

TEST(suspended, checks_pause_for_calls_that_touch_anybodys_data) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "y", [](auto&) {}, out(y));
              s.task(
                  "pauses",
                  [&](auto&) {
                    scheduler::pause_checks(true);
                    scheduler::pause_checks(true);
                    store(&y[0], 1);
                    scheduler::pause_checks(false);
                    store(&y[1], 1);
                    scheduler::pause_checks(false);
                    store(&y[2], 1);
                  },
                  inout(x));
            }),
            "task 'pauses' writes bytes 8 to 11 of what task 'y' names as its access 1 (out), "
            "without an access to it");
}

TEST(replayed, tasks_are_checked_in_each_iteration) {
  scheduler s{{.checked = true}};
  std::vector<int> x(10), y(10);
  int round = 0;
  plait::graph both = s.record([&] {
    s.task(
        "x", [](auto& to) { ++to[0]; }, inout(x));
    s.task(
        "y",
        [&](auto& to) {
          ++to[0];
          if (round++ == 7) store(&x[3], 1);
        },
        inout(y));
  });
  s.replay(both, 5);
  s.wait();
  EXPECT_EQ(x[0], 5);
  EXPECT_EQ(y[0], 5);
  s.replay(both, 5);
  EXPECT_THROW(
      {
        try {
          s.wait();
        } catch (const plait::access_error& e) {
          EXPECT_STREQ(e.what(),
                       "task 'y' writes bytes 12 to 15 of what task 'x' names as its access 1 "
                       "(inout), without an access to it");
          throw;
        }
      },
      plait::access_error);
}

// --- tasks that submit, and waits for some
// ---------------------------------------------------------

TEST(family, what_a_task_submits_is_checked_and_names_nothing_for_others) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "y", [](auto&) {}, inout(y));
              s.task(
                  "parent",
                  [&](auto& mine) {
                    std::vector<int> local(10);
                    s.task(
                        "honest", [](int& to) { store(&to, 1); }, out(mine[0]));
                    s.task(
                        "liar", [&](int&) { store(&y[1], 1); }, out(mine[1]));
                    s.task(
                        "of its own", [](auto) {}, inout(std::span(local)));
                    store(&local[0], 1);
                  },
                  inout(x));
            }),
            "task 'liar' writes bytes 4 to 7 of what task 'y' names as its access 1 (inout), "
            "without an access to it");
}

TEST(truth, what_has_been_waited_for_may_be_freed) {
  scheduler s{{.checked = true}};
  std::vector<int> y(10);
  for (int round = 0; round < 3; ++round) {
    auto data = std::make_unique<std::vector<int>>(5000, 1);
    s.task(
        "old", [](auto&) {}, inout(*data));
    s.wait_on(*data);
    data.reset();
    s.task(
        "new", [](auto& to) { to[0] += std::vector<int>(5000, 3)[4999]; }, inout(y));
  }
  s.wait();
  EXPECT_EQ(y[0], 9);
}

// --- what is left as it was ----------------------------------------------------------------------

TEST(afterwards, handlers_and_pages_are_as_before) {
  struct sigaction before[3];
  struct sigaction after[3];
  constexpr int signals[] = {SIGSEGV, SIGTRAP, SIGSYS};
  for (int i = 0; i < 3; ++i) sigaction(signals[i], nullptr, &before[i]);
  stack_t stack_before;
  stack_t stack_after;
  sigaltstack(nullptr, &stack_before);
  std::vector<int> x(10'000), y(10'000);
  EXPECT_NE(found([&](scheduler& s) {
              s.task(
                  "x", [](auto&) {}, inout(x));
              s.task(
                  "y", [&](auto&) { store(&x[0], 1); }, inout(y));
            }),
            "nothing");
  std::iota(x.begin(), x.end(), 0);
  EXPECT_EQ(x[9999], 9999);
  for (int i = 0; i < 3; ++i) {
    sigaction(signals[i], nullptr, &after[i]);
    EXPECT_EQ(before[i].sa_handler, after[i].sa_handler) << signals[i];
  }
  sigaltstack(nullptr, &stack_after);
  EXPECT_EQ(stack_before.ss_sp, stack_after.ss_sp);
  EXPECT_EQ(stack_before.ss_flags, stack_after.ss_flags);
}

/// A task that runs `body` while other data is protected.
void run_checked(const std::function<void()>& body) {
  scheduler s{{.checked = true}};
  std::vector<int> x(10'000), y(10'000);
  s.task(
      "x", [](auto&) {}, inout(x));
  s.task(
      "body", [&](auto&) { body(); }, inout(y));
  s.wait();
}

volatile int* nowhere = nullptr;
const std::array<int, 2000> constants{1};

TEST(crash_death, a_genuine_fault_ends_the_program_as_ever) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_checked([] { *nowhere = 1; }), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run_checked([] { *reinterpret_cast<volatile int*>(0x7FFF00000000000) = 1; }),
              ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run_checked([] { raise(SIGSEGV); }), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run_checked([] { raise(SIGTRAP); }), ::testing::KilledBySignal(SIGTRAP), "");
  EXPECT_EXIT(run_checked([] { std::abort(); }), ::testing::KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(run_checked([] { _exit(5); }), ::testing::ExitedWithCode(5), "");
  EXPECT_EXIT(
      {
        scheduler s{{.checked = true}};
        int y = 0;
        s.task(
            "reads", [](auto&) {}, in(constants));
        s.task(
            "writes a constant", [](int&) { store(const_cast<int*>(&constants[1000]), 1); },
            out(y));
        s.wait();
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(crash_death, a_handler_that_was_there_before_is_called) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        struct sigaction mine {};
        mine.sa_handler = [](int) { _exit(42); };
        sigaction(SIGSEGV, &mine, nullptr);
        run_checked([] { *nowhere = 1; });
      },
      ::testing::ExitedWithCode(42), "");
}

// --- switching it on -----------------------------------------------------------------------------

TEST(option, the_environment_has_the_last_word) {
  const auto checks = [](const char* text, bool option) {
    setenv("PLAIT_CHECKED", text, 1);
    return scheduler::checks_accesses(option);
  };
  EXPECT_TRUE(checks("1", false));
  EXPECT_FALSE(checks("0", true));
  EXPECT_TRUE(checks("", true));
  EXPECT_FALSE(checks("", false));
  try {
    (void)checks("yes", false);
    ADD_FAILURE() << "accepted";
  } catch (const plait::usage_error& e) {
    EXPECT_STREQ(e.what(), "PLAIT_CHECKED is 'yes'; it can be 1 (check accesses) or 0");
  }
  unsetenv("PLAIT_CHECKED");
}

TEST(option, a_checked_scheduler_has_one_worker_and_is_alone) {
  scheduler s{{.workers = 4, .checked = true}};
  EXPECT_EQ(s.workers(), 1);
  try {
    scheduler another{{.checked = true}};
    ADD_FAILURE() << "accepted";
  } catch (const plait::usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "checked: one runtime or scheduler of a process at a time can be checked");
  }
  scheduler unchecked{{.workers = 1}};
}

}  // namespace
