// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/core/text_file.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace {

class text_file : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] auto files() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("plait-text-file-" + std::to_string(getpid()));
};

std::string refusal_of(const std::string& path, std::size_t longest_bytes = 1 << 20) {
  try {
    (void)plait::read_text_file(path, longest_bytes);
  } catch (const plait::usage_error& refused) {
    return refused.what();
  }
  return "taken";
}

TEST_F(text_file, is_read_to_its_last_byte) {
  std::string text(300'000, 'a');
  text[150'000] = '\0';
  text.back() = 'z';
  std::ofstream(path("text"), std::ios::binary) << text;
  EXPECT_EQ(plait::read_text_file(path("text")), text);
}

TEST_F(text_file, may_be_empty) {
  const std::ofstream empty(path("empty"));
  EXPECT_EQ(plait::read_text_file(path("empty")), "");
}

TEST_F(text_file, of_the_kernel_is_read_though_it_has_no_size) {
  EXPECT_FALSE(plait::read_text_file("/proc/self/status").empty());
}

TEST_F(text_file, that_is_longer_than_the_limit_is_refused) {
  std::ofstream(path("text")) << std::string(101, 'a');
  EXPECT_EQ(refusal_of(path("text"), 100), path("text") + ": is longer than 100 bytes");
  EXPECT_EQ(refusal_of(path("text"), 101), "taken");
}

TEST_F(text_file, without_an_end_or_a_writer_is_refused) {
  EXPECT_EQ(refusal_of("/dev/zero"), "/dev/zero: is no regular file");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(path("pipe")), path("pipe") + ": is no regular file");
  EXPECT_EQ(refusal_of("/"), "/: is no regular file");
}

TEST_F(text_file, that_is_not_there_cannot_be_read) {
  EXPECT_EQ(refusal_of(path("nothing")), path("nothing") + ": cannot be read");
}

std::string failure_of(const std::string& path) {
  try {
    plait::write_text_file(path, "text");
  } catch (const plait::error& failed) {
    return failed.what();
  }
  return "written";
}

TEST_F(text_file, is_written_whole_where_a_link_leads_to) {
  plait::write_text_file(path("text"), "before");
  std::filesystem::create_symlink(path("text"), path("link"));
  plait::write_text_file(path("link"), "after");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(plait::read_text_file(path("text")), "after");
  EXPECT_EQ(files(), 2);
}

TEST_F(text_file, that_cannot_be_written_says_why_and_leaves_nothing) {
  std::filesystem::create_symlink("/dev/full", path("full"));
  EXPECT_EQ(failure_of(path("full")),
            "cannot write '" + path("full") + "': No space left on device");
  EXPECT_EQ(failure_of(path("none/text")),
            "cannot write '" + path("none/text") + "': No such file or directory");
  EXPECT_EQ(failure_of("/dev/null"), "written");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(files(), 1);
}

TEST_F(text_file, is_known_to_be_writable_before_and_is_not_made) {
  EXPECT_EQ(plait::why_not_writable(path("text")), "");
  EXPECT_EQ(plait::why_not_writable("-"), "");
  EXPECT_EQ(plait::why_not_writable(path("")), "is a folder");
  EXPECT_EQ(plait::why_not_writable(path("none/text")), "there is no folder " + path("none"));
  EXPECT_EQ(files(), 0);
}

}  // namespace
