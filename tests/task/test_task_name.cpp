// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/task_name.hpp>

namespace {

using plait::task_name;

TEST(task_name, a_literal_is_kept_as_it_is) {
  static constexpr char literal[] = "factor";
  constexpr task_name name = literal;
  EXPECT_EQ(name.c_str(), literal);
}

TEST(task_name, an_interned_name_outlives_its_string) {
  const char* kept = nullptr;
  {
    std::string text = "update of a block with a name too long for a small string";
    kept = task_name::intern(text).c_str();
    text.assign(text.size(), 'x');
  }
  EXPECT_STREQ(kept, "update of a block with a name too long for a small string");
}

TEST(task_name, equal_strings_share_one_name) {
  const std::string a = "block 7";
  const std::string b = std::string("block ") + "7";
  EXPECT_EQ(task_name::intern(a).c_str(), task_name::intern(b).c_str());
  EXPECT_NE(task_name::intern(a).c_str(), task_name::intern("block 8").c_str());
}

TEST(task_name, threads_may_intern_at_once) {
  std::vector<std::vector<const char*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 2000; ++i)
        mine.push_back(task_name::intern("shared " + std::to_string(i)).c_str());
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
  for (int i = 0; i < 2000; ++i)
    EXPECT_EQ(seen[0][static_cast<std::size_t>(i)], "shared " + std::to_string(i));
}

}  // namespace
