// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

template <class Words>
plait::byte_range bytes_of(const Words& words) {
  return std::get<0>(words).bytes();
}

TEST(access_words, a_container_names_its_elements_and_an_object_its_bytes) {
  std::vector<double> v(10);
  const auto data = reinterpret_cast<std::uintptr_t>(v.data());
  EXPECT_EQ(bytes_of(in(v)).begin, data);
  EXPECT_EQ(bytes_of(in(v)).end, data + 80);
  std::array<int, 5> a{};
  EXPECT_EQ(bytes_of(out(a)).end - bytes_of(out(a)).begin, 20U);
  struct point {
    double x, y;
  } p{};
  EXPECT_EQ(bytes_of(inout(p)).begin, reinterpret_cast<std::uintptr_t>(&p));
  EXPECT_EQ(bytes_of(inout(p)).end, reinterpret_cast<std::uintptr_t>(&p + 1));
  EXPECT_EQ(bytes_of(inout(p.y)).begin, reinterpret_cast<std::uintptr_t>(&p.y));
  int c_array[7] = {};
  EXPECT_EQ(bytes_of(in(c_array)).begin, reinterpret_cast<std::uintptr_t>(c_array));
  EXPECT_EQ(bytes_of(in(c_array)).end - bytes_of(in(c_array)).begin, sizeof c_array);
}

TEST(access_words, a_span_names_the_part_it_covers) {
  std::vector<double> v(10);
  const auto middle = std::span(v).subspan(2, 3);
  EXPECT_EQ(bytes_of(in(middle)).begin, reinterpret_cast<std::uintptr_t>(&v[2]));
  EXPECT_EQ(bytes_of(in(middle)).end, reinterpret_cast<std::uintptr_t>(&v[5]));
  EXPECT_EQ(bytes_of(in(std::span<double>())).begin, bytes_of(in(std::span<double>())).end);
}

TEST(access_words, in_passes_const_and_out_and_inout_pass_mutable) {
  scheduler s{{.workers = 1}};
  double a = 1;
  double b = 0;
  double c = 3;
  s.task(
      "types",
      [](auto&& x, auto&& y, auto&& z) {
        static_assert(std::is_same_v<decltype(x), const double&>);
        static_assert(std::is_same_v<decltype(y), double&>);
        static_assert(std::is_same_v<decltype(z), double&>);
        y = x;
        z += x;
      },
      in(a), out(b), inout(c));
  s.wait();
  EXPECT_EQ(b, 1);
  EXPECT_EQ(c, 4);
}

TEST(access_words, the_function_receives_the_object_itself) {
  scheduler s{{.workers = 1}};
  std::vector<int> v(3);
  s.task(
      "container",
      [&v](auto&& x) {
        static_assert(std::is_same_v<decltype(x), std::vector<int>&>);
        EXPECT_EQ(&x, &v);
      },
      inout(v));
  s.wait();
}

TEST(access_words, spans_arrive_by_value_with_the_constness_of_the_word) {
  scheduler s{{.workers = 1}};
  std::vector<int> v{1, 2, 3, 4};
  // The span itself is gone when the task runs.
  s.task(
      "spans",
      [](auto x, auto y) {
        static_assert(std::is_same_v<decltype(x), std::span<const int>>);
        static_assert(std::is_same_v<decltype(y), std::span<int>>);
        y[0] = x[0] + x[1];
      },
      in(std::span(v).first(2)), out(std::span(v).last(2)));
  s.wait();
  EXPECT_EQ(v, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(v[2], 3);
}

TEST(access_words, one_word_may_name_several_things) {
  scheduler s{{.workers = 1}};
  int a = 1;
  int b = 2;
  int c = 0;
  int d = 0;
  s.task(
      "several",
      [](const int& x, const int& y, int& sum, int& product) {
        sum = x + y;
        product = x * y;
      },
      in(a, b), out(c, d));
  s.task(
      "after", [](int& x, int& y) { x += 10, y += 10; }, inout(a, b));
  s.task(
      "last", [](const int& x, int& y) { y += x; }, in(b), inout(c));
  s.wait();
  EXPECT_EQ(a, 11);
  EXPECT_EQ(b, 12);
  EXPECT_EQ(c, 15);
  EXPECT_EQ(d, 2);
}

TEST(access_words, other_arguments_are_copied_and_arrive_by_value) {
  scheduler s{{.workers = 1}};
  std::string text = "before";
  std::string seen;
  s.task(
      "copy", [](std::string& to, std::string t, int n) { to = t + std::to_string(n); }, out(seen),
      text, 7);
  text = "after";
  s.wait();
  EXPECT_EQ(seen, "before7");
}

TEST(access_words, an_argument_that_only_moves_is_moved_along) {
  scheduler s{{.workers = 1}};
  int seen = 0;
  s.task(
      "move", [](int& to, std::unique_ptr<int> p) { to = *p; }, out(seen),
      std::make_unique<int>(42));
  s.wait();
  EXPECT_EQ(seen, 42);
}

struct counts {
  int value = 0;
  void add(int n) { value += n; }
};

TEST(access_words, a_member_function_is_called_on_the_first_argument) {
  scheduler s{{.workers = 1}};
  counts c;
  s.task("member", &counts::add, inout(c), 5);
  s.wait();
  EXPECT_EQ(c.value, 5);
}

TEST(access_words, accesses_given_with_also_order_the_task) {
  scheduler s{{.workers = 1}};
  std::vector<int> rows(8, 0);
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) {
    auto t = s.task("row", [&order, i] { order.push_back(i); });
    t.also(inout(rows[2], rows[5]));
  }
  s.task("reader", [&order] { order.push_back(4); }).also(in(rows));
  s.wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(access_words, arguments_too_large_for_the_node_are_kept_on_the_heap) {
  scheduler s{{.workers = 2}};
  using large = std::array<std::uint64_t, 200>;
  static_assert(sizeof(large) > plait::detail::task_node::storage_bytes);
  large values{};
  std::iota(values.begin(), values.end(), 1U);
  std::uint64_t sum = 0;
  for (int i = 0; i < 100; ++i) {
    s.task(
        "large",
        [](std::uint64_t& to, const large& v) {
          to += std::accumulate(v.begin(), v.end(), std::uint64_t{0});
        },
        inout(sum), values);
    values[0] += 1;
  }
  s.wait();
  // sum of 1..200, and 0..99 more
  EXPECT_EQ(sum, 100U * (200U * 201U / 2U) + 99U * 100U / 2U);
}

struct alignas(64) cache_line {
  double value = 0;
};

TEST(access_words, an_overaligned_argument_keeps_its_alignment) {
  scheduler s{{.workers = 1}};
  bool aligned = false;
  s.task(
      "aligned",
      [](bool& to, const cache_line& l) {
        to = reinterpret_cast<std::uintptr_t>(&l) % alignof(cache_line) == 0 && l.value == 2;
      },
      out(aligned), cache_line{2});
  s.wait();
  EXPECT_TRUE(aligned);
}

struct lifetimes {
  static inline std::atomic<int> alive{0};
  lifetimes() { ++alive; }
  lifetimes(const lifetimes&) { ++alive; }
  lifetimes(lifetimes&&) noexcept { ++alive; }
  ~lifetimes() { --alive; }
};

TEST(access_words, every_copied_argument_is_destroyed_once) {
  lifetimes::alive = 0;
  {
    scheduler s{{.workers = 2}};
    int x = 0;
    for (int i = 0; i < 100; ++i) {
      s.task(
          "small", [](int&, const lifetimes&) {}, inout(x), lifetimes{});
      s.task(
          "large", [](int&, const lifetimes&, const std::array<char, 500>&) {}, inout(x),
          lifetimes{}, std::array<char, 500>{});
    }
    s.wait();
    EXPECT_EQ(lifetimes::alive, 0);
  }
  EXPECT_EQ(lifetimes::alive, 0);
}

}  // namespace
