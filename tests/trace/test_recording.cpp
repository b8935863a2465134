// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/trace/recording.hpp>

namespace {

using plait::recorded_kind;
using plait::recorded_message;

[[nodiscard]] plait::recording example() {
  plait::recording one;
  one.rank = 1;
  one.ranks = 3;
  one.workers = 2;
  one.cores = 4;
  one.wall_ns = 123'456;
  one.program = "heat";
  one.policy = "sleeping";
  one.host = "node1";
  one.names = {"", "relax", "edge", "allreduce"};
  one.collectives = {{.element_bytes = 8,
                      .count = 3,
                      .fragment_bytes = 100,
                      .piece_bytes = 200,
                      .most_pieces = 4,
                      .operation = 3,
                      .algorithm = 2,
                      .root = 1,
                      .members = 2,
                      .in_place = true,
                      .compares = true}};
  plait::recorded_part& plain = one.parts.emplace_back();
  plain.items = {{.took_ns = 7000, .kind = recorded_kind::program},
                 {.id = 1, .name = 1, .priority = 0},
                 {.id = 2, .name = 2, .kind = recorded_kind::message, .group = 1},
                 {.id = 99, .parent = 1, .name = 1}};
  plain.orders = {{0, 1}, {0, 2}, {1, 2}};
  plait::recorded_part& replay = one.parts.emplace_back();
  replay.repeated = {{.name = 1}, {.name = 2, .kind = recorded_kind::message}};
  replay.same = {{0, 1}};
  replay.next = {{1, 0}, {0, 0}};
  replay.iterations = 10;
  replay.first_id = 3;
  one.runs = {{.id = 1, .begin_ns = 5, .took_ns = 100, .thread = 1}};
  one.messages = {{.id = 2,
                   .begin_ns = 6,
                   .took_ns = 50,
                   .place = 4,
                   .size_bytes = 8192,
                   .called = 3,
                   .communicator = 2,
                   .peer = 2,
                   .tag = -5,
                   .sent = true}};
  one.unseen_calls = {"collectives"};
  return one;
}

/// Gives a changed file the checksum that belongs to it.
void seal(std::string& file) {
  const std::uint64_t sum =
      plait::recording_checksum(std::string_view(file).substr(0, file.size() - sizeof(sum)));
  std::memcpy(file.data() + file.size() - sizeof sum, &sum, sizeof sum);
}

[[nodiscard]] std::string refusal(const std::string& file) {
  try {
    (void)plait::unpack_recording(file, "rank1.plaitrec");
  } catch (const plait::usage_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(recording, comes_back_as_it_was) {
  const plait::recording one = example();
  EXPECT_EQ(plait::unpack_recording(plait::pack_recording(one), "x"), one);
  EXPECT_EQ(plait::unpack_recording(plait::pack_recording({}), "x"), plait::recording{});
}

TEST(recording, is_refused_in_one_line_where_it_ends_too_early) {
  const std::string whole = plait::pack_recording(example());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::string cut = whole.substr(0, length);
    EXPECT_NE(refusal(cut), "") << length << " of " << whole.size() << " bytes";
    if (cut.size() < 24) continue;
    seal(cut);
    const std::string why = refusal(cut);
    EXPECT_TRUE(why.starts_with("rank1.plaitrec: ")) << length << ": '" << why << "'";
    EXPECT_EQ(why.find('\n'), std::string::npos);
  }
}

TEST(recording, is_refused_where_a_byte_has_changed) {
  const std::string whole = plait::pack_recording(example());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_NE(refusal(changed), "") << "byte " << at;
  }
}

/// Version 2 has neither priorities nor calls that are not seen.
TEST(recording, of_version_2_is_read) {
  plait::recording one;
  one.names = {"", "relax"};
  one.parts.emplace_back().items = {{.id = 1, .name = 1}};
  std::string file = plait::pack_recording(one);
  file[8] = 2;
  // From the end: the checksum, no calls, no messages, no runs, what follows the items of a part.
  const std::size_t behind_item = 8 + 8 + 8 + 8 + 6 * 8;
  file.erase(file.size() - 8 - 8, 8);
  file.erase(file.size() - behind_item + 8 - 1, 1);
  seal(file);
  EXPECT_EQ(plait::unpack_recording(file, "x"), one);
}

TEST(recording, of_another_version_says_so) {
  std::string other = plait::pack_recording(example());
  other[8] = 1;
  seal(other);
  EXPECT_EQ(refusal(other),
            "rank1.plaitrec: a recording of version 1; this plait reads versions 2 to 3");
}

TEST(recording, refuses_what_leads_nowhere) {
  const auto refused = [](auto change) {
    plait::recording one = example();
    change(one);
    return refusal(plait::pack_recording(one));
  };
  using plait::recording;
  EXPECT_EQ(refused([](recording&) {}), "");
  EXPECT_NE(refused([](recording& r) { r.rank = 3; }), "");
  EXPECT_NE(refused([](recording& r) { r.names.clear(); }), "");
  EXPECT_NE(refused([](recording& r) { r.parts[0].items[1].name = 4; }), "");
  EXPECT_NE(refused([](recording& r) { r.parts[0].orders[0].later = 4; }), "");
  EXPECT_NE(refused([](recording& r) { r.parts[0].orders[0] = {2, 1}; }), "");
  EXPECT_NE(refused([](recording& r) { r.parts[1].next[0].later = 2; }), "");
  EXPECT_NE(refused([](recording& r) { r.parts[1].iterations = 3'000'000; }), "");
  EXPECT_NE(refused([](recording& r) { r.parts[1].iterations = std::uint64_t{1} << 63; }), "");
  EXPECT_NE(refused([](recording& r) { r.messages[0].peer = 3; }), "");
  EXPECT_NE(refused([](recording& r) { r.messages[0].called = 9; }), "");
  EXPECT_NE(refused([](recording& r) { r.collectives[0].element_bytes = 0; }), "");
}

/// Damage behind a checksum that fits comes to the reader itself.
TEST(recording, survives_ten_thousand_damaged_files) {
  const std::string whole = plait::pack_recording(example());
  std::mt19937_64 random(20'26);
  std::size_t refused = 0;
  constexpr int files = 10'000;
  for (int i = 0; i < files; ++i) {
    std::string file = whole;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int c = 0; c < changes; ++c) {
      const std::size_t at = 8 + random() % (file.size() - 16);
      switch (random() % 4) {
        case 0:
          file[at] = static_cast<char>(random());
          break;
        case 1:
          file[at] = static_cast<char>(0xFF);
          break;
        case 2:
          file.erase(at, random() % 9);
          break;
        default:
          file.insert(at, file.substr(random() % file.size(), random() % 40));
      }
      if (file.size() < 32) file.resize(32);
    }
    seal(file);
    const std::string why = refusal(file);
    refused += why.empty() ? 0 : 1;
    ASSERT_EQ(why.find('\n'), std::string::npos) << why;
  }
  EXPECT_GT(refused, files / 2U);
}

}  // namespace
