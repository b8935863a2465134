// SPDX-License-Identifier: BSD-3-Clause
// Promise 4: memory is bounded by the in-flight limit, however many tasks are submitted.
#include <atomic>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

// Every allocation of this program, counted.
namespace {
std::atomic<long long> live_bytes{0};
constexpr std::size_t header = 128;  // the largest alignment in use here

void* counted_allocate(std::size_t size) {
  auto* block =
      static_cast<char*>(std::aligned_alloc(header, (size + 2 * header - 1) / header * header));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(block) = size;
  live_bytes += static_cast<long long>(size);
  return block + header;
}
void counted_free(void* p) noexcept {
  if (p == nullptr) return;
  char* block = static_cast<char*>(p) - header;
  live_bytes -= static_cast<long long>(*reinterpret_cast<std::size_t*>(block));
  std::free(block);
}
}  // namespace

void* operator new(std::size_t size) {
  return counted_allocate(size);
}
void* operator new[](std::size_t size) {
  return counted_allocate(size);
}
void* operator new(std::size_t size, std::align_val_t) {
  return counted_allocate(size);
}
void* operator new[](std::size_t size, std::align_val_t) {
  return counted_allocate(size);
}
void operator delete(void* p) noexcept {
  counted_free(p);
}
void operator delete[](void* p) noexcept {
  counted_free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  counted_free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  counted_free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  counted_free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  counted_free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  counted_free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  counted_free(p);
}

namespace {

using plait::in;
using plait::inout;
using plait::scheduler;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t task_count = 100'000;
#else
constexpr std::size_t task_count = 1'000'000;
#endif

TEST(memory, it_stays_flat_over_a_million_tasks_on_few_ranges) {
  constexpr std::size_t in_flight = 1024;
  scheduler s{{.workers = 2, .in_flight = in_flight}};
  std::vector<int> x(64, 0);
  const auto submit = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      s.task(
          "add", [](int& n) { ++n; }, inout(x[i % 64]));
    s.wait();
  };
  submit(task_count / 10);
  const long long warm = live_bytes;
  submit(task_count);
  // Blocks of nodes are reused; a late peak of tasks in flight may add some, never beyond the
  // in-flight limit.
  EXPECT_LE(live_bytes - warm, static_cast<long long>(in_flight * s.bytes_per_task()));
  EXPECT_LE(s.peak_tasks(), in_flight);
  submit(task_count);
  EXPECT_LE(live_bytes, static_cast<long long>(2 * in_flight * s.bytes_per_task()) + (4 << 20));
}

TEST(memory, it_stays_flat_over_tasks_on_ever_new_ranges) {
  constexpr std::size_t in_flight = 256;
  scheduler s{{.workers = 1, .in_flight = in_flight}};
  std::vector<char> space(task_count * 2);
  const auto submit = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      s.task(
          "touch", [](std::span<char> c) { c[0] = 1; },
          inout(std::span(space).subspan(i * 2 % (space.size() - 8), 5)));
    }
    s.wait();
  };
  submit(task_count / 10);
  const long long warm = live_bytes;
  submit(task_count);
  EXPECT_LE(live_bytes - warm, 2 << 20);
}

TEST(memory, it_stays_flat_over_readers_of_data_that_nobody_writes) {
  scheduler s{{.workers = 2, .in_flight = 256}};
  int constant = 1;
  std::vector<int> x(64, 0);
  const auto submit = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      s.task(
          "read", [](const int& c, int& n) { n += c; }, in(constant), inout(x[i % 64]));
    }
    s.wait();
  };
  submit(task_count / 10);
  const long long warm = live_bytes;
  submit(task_count / 2);
  EXPECT_LE(live_bytes - warm, 1 << 20);
}

TEST(memory, everything_is_given_back_at_the_end) {
  const long long before = live_bytes;
  {
    scheduler s{{.workers = 2}};
    std::vector<int> x(16, 0);
    for (std::size_t i = 0; i < 1000; ++i)
      s.task(
          "add", [](int& n) { ++n; }, inout(x[i % 16]));
    s.wait();
  }
  EXPECT_EQ(live_bytes, before);
}

}  // namespace
