// SPDX-License-Identifier: BSD-3-Clause
// What a job that was killed left is read with care: the folder is everybody's.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/after/analysis.hpp"
#include "attach/sites/call_ways.hpp"
#include "attach/written/trace_file.hpp"

namespace plait::attach {
namespace {

constexpr std::uint64_t calls = 2000;

/// A rank of two whose every call took half of 20 us.
std::vector<std::byte> memory_of_rank(int rank) {
  const profile_layout layout(2, 16, calls);
  std::vector<std::byte> memory(layout.size);
  auto* h = new (memory.data()) profile_header;
  h->magic = profile_magic;
  h->size = layout.size;
  h->job = 5;
  h->rank = rank;
  h->ranks = 2;
  h->boot = 7;
  h->seconds_per_tick = 1e-6;
  h->begin = 1;
  h->end = 1 + 20 * static_cast<ticks>(calls);
  h->record_capacity = 16;
  h->call_capacity = h->calls = calls;
  auto* site = new (memory.data() + layout.sites) site_data;
  site->call = 0;
  site->count = calls;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto begin = 1 + 20 * static_cast<ticks>(i);
    new (memory.data() + layout.calls + i * sizeof(call_data)) call_data{begin, begin + 10, 0};
  }
  return memory;
}

class left_profiles : public testing::Test {
 protected:
  left_profiles() { std::filesystem::create_directory(folder_); }
  ~left_profiles() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path_of(int rank) const {
    return profile_path(folder_, "job.json", rank);
  }
  void leave(int rank, const std::function<void(profile_header&)>& damage = {}) const {
    std::vector<std::byte> memory = memory_of_rank(rank);
    if (damage) damage(*reinterpret_cast<profile_header*>(memory.data()));
    std::ofstream(path_of(rank), std::ios::binary)
        .write(reinterpret_cast<const char*>(memory.data()),
               static_cast<std::streamsize>(memory.size()));
  }
  /// Reads what is there; returns the error's text, or how many profiles there are.
  [[nodiscard]] std::string read() const {
    try {
      return std::to_string(read_left_profiles(folder_, "job.json").size());
    } catch (const error& what) {
      return what.what();
    }
  }
  std::string folder_ = testing::TempDir() + "left_profiles_" + std::to_string(getpid());
};

TEST_F(left_profiles, profiles_of_a_job_are_read_in_the_order_of_its_ranks) {
  leave(1);
  leave(0);
  const auto found = read_left_profiles(folder_, "job.json");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].header.rank, 1);
}

TEST_F(left_profiles, a_damaged_number_is_said_to_be_damage) {
  using damage = std::function<void(profile_header&)>;
  for (const damage& done : {
           damage([](profile_header& h) { h.rank = INT32_MAX; }),
           damage([](profile_header& h) { h.rank = -1; }),
           damage([](profile_header& h) { h.ranks = INT32_MAX; }),
           damage([](profile_header& h) { h.calls = UINT64_MAX; }),
           damage([](profile_header& h) { h.record_capacity = UINT64_MAX / 4; }),
           damage([](profile_header& h) { h.modules = INT32_MAX; }),
           damage([](profile_header& h) { h.changed = INT32_MAX; }),
           damage([](profile_header& h) { h.python_places = -1; }),
           damage([](profile_header& h) { h.sampling = 64; }),
           damage([](profile_header& h) { h.seconds_per_tick = 0; }),
       }) {
    leave(0, done);
    EXPECT_NE(read().find("is damaged"), std::string::npos) << read();
  }
  leave(1);
  EXPECT_EQ(read(), "1");
}

/// Profile of a rank whose call came from two lines of Python, in a function that a module runs.
std::vector<std::byte> memory_with_lines() {
  std::vector<std::byte> memory = memory_of_rank(0);
  const profile_layout layout(2, 16, calls);
  auto* site = reinterpret_cast<site_data*>(memory.data() + layout.sites);
  const std::size_t numbers[] = {700, 2, 5};
  const python_place places[] = {{10, 11, 12, 20, 27, "/src/heat.py", "exchange"},
                                 {13, 14, 15, 0, 30, "<frozen importlib._bootstrap>", "_load"},
                                 {16, 17, 18, 1, 44, "/src/heat.py", "<module>"}};
  for (; site->callers < 3; ++site->callers) {
    const int i = site->callers;
    site->caller[i].address = numbers[i];
    site->caller[i].base = frame_base::python;
    new (memory.data() + layout.python_places + numbers[i] * sizeof(python_place))
        python_place(places[i]);
  }
  reinterpret_cast<profile_header*>(memory.data())->python_places = 3;
  return memory;
}

TEST_F(left_profiles, lines_of_python_travel_with_their_names_and_are_places_of_calls) {
  const std::vector<std::byte> memory = memory_with_lines();
  call_ways ways;
  add_ways(ways, unpack_profile(pack_profile(read_profile(memory))));
  site_index index(unpack_ways(pack_ways(ways)));
  ASSERT_EQ(index.sites().size(), 1U);
  const site_result& site = index.sites().front();
  EXPECT_EQ(site.file, "/src/heat.py");
  EXPECT_EQ(site.function, "exchange");
  EXPECT_EQ(site.line, 27);
  EXPECT_TRUE(site.callers.empty());
}

TEST_F(left_profiles, a_line_of_python_that_is_not_there_is_damage) {
  const profile_layout layout(2, 16, calls);
  for (const int damaged : {-1, most_callers + 1}) {
    std::vector<std::byte> memory = memory_with_lines();
    reinterpret_cast<site_data*>(memory.data() + layout.sites)->callers = damaged;
    EXPECT_THROW((void)read_profile(memory), error);
  }
  std::vector<std::byte> memory = memory_with_lines();
  reinterpret_cast<site_data*>(memory.data() + layout.sites)->caller[1].address = 3;
  EXPECT_THROW((void)read_profile(memory), error);
}

TEST_F(left_profiles, a_file_that_is_cut_short_is_no_profile) {
  leave(0);
  std::filesystem::resize_file(path_of(0), 5000);
  EXPECT_NE(read().find("no profile"), std::string::npos) << read();
  std::filesystem::resize_file(path_of(0), 0);
  EXPECT_NE(read().find("no profile"), std::string::npos) << read();
}

TEST_F(left_profiles, a_pipe_is_not_waited_for) {
  ASSERT_EQ(mkfifo(path_of(0).c_str(), 0600), 0);
  EXPECT_NE(read().find("no file with contents"), std::string::npos) << read();
  leave(1);
  EXPECT_EQ(read(), "1");
}

TEST_F(left_profiles, a_file_of_another_user_is_not_read) {
  leave(0);
  const std::string elsewhere = folder_ + "/elsewhere";
  if (chown(path_of(0).c_str(), 65534, 65534) != 0) {  // only root can give a file away
    std::filesystem::rename(path_of(0), elsewhere);
    std::filesystem::create_symlink(elsewhere, path_of(0));
  }
  EXPECT_NE(read(), "1");
  EXPECT_NE(read().find(path_of(0)), std::string::npos) << read();
}

TEST_F(left_profiles, a_trace_is_cut_where_it_would_be_too_long) {
  leave(0);
  leave(1);
  const auto ranks = read_left_profiles(folder_, "job.json");
  const analysis run = analyse(ranks);
  const written_trace whole = trace_of(ranks, run, UINT64_MAX);
  EXPECT_FALSE(whole.until_s);
  const written_trace half = trace_of(ranks, run, whole.text.size() / 2);
  EXPECT_LE(half.text.size(), whole.text.size() / 2);
  ASSERT_TRUE(half.until_s);
  EXPECT_NEAR(*half.until_s, 0.5 * run.wall_s, 0.1 * run.wall_s);
  EXPECT_TRUE(half.text.ends_with("]}\n"));
}

}  // namespace
}  // namespace plait::attach
