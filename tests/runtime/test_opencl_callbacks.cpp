// SPDX-License-Identifier: BSD-3-Clause
// Rows of commands of which few have a callback: who waits in the middle of one, its end, what
// waits behind it, who observes from its middle on, and what fails in it.  On the stand-in, whose
// kernels wait at gates that the tests open.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/clock.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/opencl.hpp>

#include "device/device_state.hpp"
#include "device/loaded_library.hpp"
#include "device/opencl/opencl_device.hpp"

namespace plait::test {
namespace {

using namespace std::chrono_literals;

const std::string kernel_text =
    "kernel void add_one(global int* x) { ++x[get_global_id(0)]; }\n"
    "kernel void wait_at_gate(global int* x) {}\n"
    "kernel void mix_or_fail(global const ulong* x, global ulong* y, ulong salt) {}\n";

/// Whether a device has come so far, or why not.
struct told_end {
  std::atomic<bool> is_told{false};
  std::string why = {};

  void wait() const {
    while (!is_told.load(std::memory_order_acquire)) std::this_thread::sleep_for(100us);
  }
};

class note_end final : public detail::awaited {
 public:
  explicit note_end(std::shared_ptr<told_end> to) : to_(std::move(to)) {}
  void ended(const std::exception_ptr& why) noexcept override {
    if (why != nullptr) to_->why = exception_text(why);
    to_->is_told.store(true, std::memory_order_release);
  }

 private:
  std::shared_ptr<told_end> to_;
};

class opencl_rows : public ::testing::Test {
 protected:
  static constexpr int row = 100;  ///< more than have a callback each, where the host is quick

  void SetUp() override {
    if (std::getenv("PLAIT_TEST_OPENCL") == nullptr)
      GTEST_SKIP() << "kernels of real devices wait for no host";
    gpu = opencl_devices().at(0);
    add_one = std::make_unique<opencl::kernel>(gpu, kernel_text, "add_one");
    wait_at_gate = std::make_unique<opencl::kernel>(gpu, kernel_text, "wait_at_gate");
    detail::loaded_library driver({"libOpenCL.so.1"});
    driver.look_up(asked, "stand_in_asked");
    driver.look_up(refuse_begins, "stand_in_refuse_begins");
    driver.look_up(hold_late, "stand_in_hold_late");
    driver.look_up(late, "stand_in_late");
    ASSERT_TRUE(driver.is_whole());
    x = std::make_unique<device_array<int>>(gpu, 1);
    *x->all().data() = 0;
    state().join();
  }
  void TearDown() override {
    if (!gpu.exists()) return;
    refuse_begins(0);
    hold_late(0);
    for (const auto& gate : gates) open(*gate);
    state().drain();
    state().observe({});
    state().leave();
  }

  [[nodiscard]] detail::device_state& state() const { return *gpu.state(); }
  /// Returns the number of the task's turn.
  std::uint64_t enqueue(device_queue which, const opencl::kernel& what, device_array<int>& on,
                        const char* task = "add") {
    detail::queue_turn turn({&state(), which}, task);
    turn.touches(on.all());
    turn.begin();
    opencl::launch(turn.to(), what, {1}, on.all());
    return turn.end().number;
  }
  std::vector<std::uint64_t> enqueue_row(const char* task = "add") {
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < row; ++i)
      numbers.push_back(enqueue(device_queue::compute, *add_one, *x, task));
    return numbers;
  }
  void enqueue_copy(const std::vector<int>& from, device_array<int>& to) {
    detail::queue_turn turn({&state(), device_queue::to_device}, "copy");
    turn.touches(to.all());
    turn.begin();
    state().commands().copy(turn.to(), to.all().data(), from.data(), to.all().size_bytes());
    (void)turn.end();
  }
  /// Has a queue wait until the gate is opened.
  device_array<int>& enqueue_gate(device_queue which) {
    gates.push_back(std::make_unique<device_array<int>>(gpu, 1));
    device_array<int>& gate = *gates.back();
    *gate.all().data() = 0;
    enqueue(which, *wait_at_gate, gate, "gate");
    return gate;
  }
  static void open(device_array<int>& gate) {
    std::atomic_ref<int>(*gate.all().data()).store(1, std::memory_order_release);
  }
  [[nodiscard]] std::shared_ptr<told_end> end_of(device_queue which, std::uint64_t number) {
    auto told = std::make_shared<told_end>();
    state().when_done(which, number, std::make_unique<note_end>(told));
    return told;
  }
  /// Returns when a figure of the ledger has begun to grow and grows no more.
  void expect_to_settle(double device_ledger::*figure) {
    const auto read = [&] { return state().times().ledger().*figure; };
    while (read() == 0) std::this_thread::sleep_for(100us);
    double before = read();
    for (double now = -1; now != before; std::swap(now, before)) {
      std::this_thread::sleep_for(5ms);
      now = read();
    }
  }

  device gpu;
  /// Whether a callback has been asked for the command that was enqueued so many before the last.
  int (*asked)(std::size_t before) = nullptr;
  void (*refuse_begins)(int refuses) = nullptr;
  void (*hold_late)(int holds) = nullptr;
  int (*late)() = nullptr;
  std::unique_ptr<opencl::kernel> add_one;
  std::unique_ptr<opencl::kernel> wait_at_gate;
  std::unique_ptr<device_array<int>> x;
  std::vector<std::unique_ptr<device_array<int>>> gates;
};

TEST_F(opencl_rows, who_waits_in_the_middle_is_told_when_the_device_is_so_far) {
  device_array<int>& first = enqueue_gate(device_queue::compute);
  const std::vector<std::uint64_t> numbers = enqueue_row();
  device_array<int>& second = enqueue_gate(device_queue::compute);
  const std::uint64_t last = enqueue_row().back();
  const auto middle = end_of(device_queue::compute, numbers[row - 5]);
  const auto again = end_of(device_queue::compute, numbers[row - 5]);
  const auto end = end_of(device_queue::compute, last);
  open(first);
  middle->wait();
  again->wait();
  EXPECT_FALSE(end->is_told);
  open(second);
  end->wait();
  EXPECT_EQ(middle->why + again->why + end->why, "");
  EXPECT_EQ(*x->all().data(), 2 * row);
}

/// Not by a look at what no callback has told of, which comes late.
TEST_F(opencl_rows, who_waits_has_a_callback_and_so_has_the_newest_when_the_thread_has_woken) {
  device_array<int>& gate = enqueue_gate(device_queue::compute);
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 5; ++i) {
    numbers = enqueue_row();
    while (asked(0) == 0) std::this_thread::sleep_for(100us);
  }
  std::vector<std::shared_ptr<told_end>> ends;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    ends.push_back(end_of(device_queue::compute, numbers[i]));
    EXPECT_EQ(asked(numbers.size() - 1 - i), 1) << i;
  }
  open(gate);
  for (const auto& one : ends) one->wait();
}

/// Whatever the host and the machine do meanwhile: 17 at once, one in 20 µs, and one for each time
/// that the device's thread wakes.
TEST_F(opencl_rows, of_a_long_row_few_have_a_callback) {
  constexpr std::size_t commands = 2000;
  enqueue_gate(device_queue::compute);
  detail::queue_turn turn({&state(), device_queue::compute}, "add");
  turn.begin();
  const ticks begin = now_ticks();
  for (std::size_t i = 0; i < commands; ++i) opencl::launch(turn.to(), *add_one, {1}, x->all());
  int count = 0;
  for (std::size_t i = 0; i < commands; ++i) count += asked(i);
  const double elapsed_s = ticks_to_seconds(now_ticks() - begin);
  EXPECT_LE(count, 17 + elapsed_s / 20e-6 + elapsed_s / 200e-6 + 4);
  EXPECT_GT(count, 0);
}

/// There is no mark either that a look could find.
TEST_F(opencl_rows, the_ledger_learns_of_an_end_that_nobody_waits_for) {
  auto& on = dynamic_cast<detail::opencl_device&>(state().commands());
  detail::queue_turn turn({&state(), device_queue::compute}, "add");
  turn.begin();
  for (int i = 0; i < 20 * row; ++i) opencl::launch(turn.to(), *add_one, {1}, x->all());
  on.functions().clFlush(on.handle(device_queue::compute));
  expect_to_settle(&device_ledger::kernels_s);
  const double kernels_s = state().times().ledger().kernels_s;
  opencl::launch(turn.to(), *add_one, {1}, x->all());
  end_of(device_queue::compute, turn.end().number)->wait();
  EXPECT_GT(state().times().ledger().kernels_s, kernels_s);
  EXPECT_EQ(*x->all().data(), 20 * row + 1);
}

/// A device may give an address again, whose memory is then another.
TEST_F(opencl_rows, memory_at_an_address_of_memory_that_is_freed_is_another_argument) {
  constexpr std::size_t size = 1 << 20;
  const int* before = nullptr;
  for (int i = 0; i < 4000; ++i) {
    device_array<int> one(gpu, size);
    int* const here = one.all().data();
    const bool is_same = here == before;
    if (!is_same && i % 200 != 0) continue;
    *here = 0;
    end_of(device_queue::compute, enqueue(device_queue::compute, *add_one, one))->wait();
    ASSERT_EQ(*here, 1);
    if (is_same) return;
    before = here;
  }
  FAIL() << "no address has come again";
}

TEST_F(opencl_rows, a_copy_that_waits_is_none_of_the_row_before_it) {
  const std::vector<int> host(1, 7);
  device_array<int> held(gpu, 1);
  device_array<int>& gate = enqueue_gate(device_queue::urgent);
  enqueue(device_queue::urgent, *add_one, held);
  for (int i = 0; i < row; ++i) enqueue_copy(host, *x);
  enqueue_copy(host, held);
  EXPECT_EQ(asked(1), 1);
  enqueue_copy(host, *x);
  expect_to_settle(&device_ledger::to_device_s);
  const double before_s = state().times().ledger().to_device_s;
  open(gate);
  state().drain();
  EXPECT_EQ(*held.all().data(), 7);
  EXPECT_GT(state().times().ledger().to_device_s, before_s);
  expect_to_settle(&device_ledger::to_device_s);
}

TEST_F(opencl_rows, a_copy_whose_begin_nobody_tells_has_its_end_told) {
  const std::vector<int> host(1, 7);
  device_array<int> held(gpu, 1);
  device_array<int>& gate = enqueue_gate(device_queue::urgent);
  enqueue(device_queue::urgent, *add_one, held);
  refuse_begins(1);
  for (int i = 0; i < row; ++i) enqueue_copy(host, *x);
  enqueue_copy(host, held);
  EXPECT_EQ(asked(0), 1);
  open(gate);
  state().drain();
  EXPECT_EQ(*held.all().data(), 7);
}

TEST_F(opencl_rows, who_observes_is_told_of_each_that_is_enqueued_meanwhile) {
  struct line {
    std::string task;
    ticks begin;
    ticks end;
  };
  std::mutex mutex;
  std::vector<line> seen;
  device_array<int>& first = enqueue_gate(device_queue::compute);
  enqueue_row("before");
  state().observe([&](device_queue, const char* task, ticks begin, ticks end) {
    std::lock_guard lock(mutex);
    seen.push_back({task, begin, end});
  });
  const std::uint64_t last = enqueue_row("observed").back();
  for (std::size_t i = 0; i <= row; ++i) EXPECT_EQ(asked(i), 1) << i;
  open(first);
  end_of(device_queue::compute, last)->wait();
  state().observe({});
  ASSERT_EQ(seen.size(), std::size_t{row});
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].task, "observed");
    EXPECT_LE(seen[i].begin, seen[i].end);
    EXPECT_GE(seen[i].begin, seen[i > 0 ? i - 1 : 0].begin);
  }
  end_of(device_queue::compute, enqueue_row("after").back())->wait();
  EXPECT_EQ(seen.size(), std::size_t{row});
  expect_to_settle(&device_ledger::kernels_s);
  EXPECT_EQ(*x->all().data(), 3 * row);
}

TEST_F(opencl_rows, a_failure_in_the_middle_is_found_and_named) {
  const opencl::kernel fail(gpu, kernel_text, "mix_or_fail");
  device_array<std::uint64_t> some(gpu, 2);
  device_array<int>& gate = enqueue_gate(device_queue::compute);
  enqueue_row();
  {
    detail::queue_turn turn({&state(), device_queue::compute}, "bad");
    turn.begin();
    opencl::launch(turn.to(), fail, {1}, some.part(0, 1).as_const(), some.part(1, 1),
                   std::uint64_t{64});
  }
  const auto end = end_of(device_queue::compute, enqueue_row().back());
  open(gate);
  end->wait();
  EXPECT_EQ(end->why, "OpenCL device 0: error -5 (CL_OUT_OF_RESOURCES) in 'bad'");
}

TEST_F(opencl_rows, callbacks_may_come_after_their_device_is_gone) {
  constexpr int devices = 10;
  hold_late(1);
  for (int i = 0; i < devices; ++i) {
    const device other = opencl_devices().at(0);
    const opencl::kernel add(other, kernel_text, "add_one");
    other.state()->join();
    for (int k = 0; k < row; ++k) {
      detail::queue_turn turn({other.state().get(), device_queue::compute}, "add");
      turn.begin();
      opencl::launch(turn.to(), add, {1}, x->all());
    }
    other.state()->leave();
  }
  EXPECT_EQ(*x->all().data(), devices * row);
  EXPECT_GT(late(), 0);
  hold_late(0);
  while (late() > 0) std::this_thread::sleep_for(100us);
}

}  // namespace
}  // namespace plait::test
