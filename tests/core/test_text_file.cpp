// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
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

}  // namespace
