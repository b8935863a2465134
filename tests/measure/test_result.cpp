// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <plait/plait.hpp>
#include <unistd.h>

#include "measure/base/result.hpp"

namespace {

using plait::measure::json;
using plait::measure::write_result;
namespace fs = std::filesystem;

class result_files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder); }
  void TearDown() override { fs::remove_all(folder); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] auto files() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  const fs::path folder =
      fs::temp_directory_path() / ("plait-test-result-" + std::to_string(getpid()));
};

json read(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

TEST_F(result_files, a_device_is_written_to_and_not_replaced) {
  fs::create_symlink("/dev/null", at("nothing"));
  write_result(at("nothing"), {{"a", 1}});
  EXPECT_TRUE(fs::is_symlink(at("nothing")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(files(), 1);
}

TEST_F(result_files, what_a_link_leads_to_is_replaced_and_the_link_stays) {
  write_result(at("file"), {{"a", 1}});
  fs::create_symlink(at("file"), at("link"));
  write_result(at("link"), {{"a", 2}});
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read(at("file")).at("a"), 2);
  EXPECT_EQ(files(), 2);
}

TEST_F(result_files, a_file_that_cannot_be_written_says_why_and_leaves_nothing) {
  fs::create_symlink("/dev/full", at("full"));
  const auto said_of = [&](const std::string& name) -> std::string {
    try {
      write_result(at(name), {{"a", 1}});
    } catch (const plait::error& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_NE(said_of("full").find("No space left on device"), std::string::npos);
  EXPECT_NE(said_of("none/file").find("No such file or directory"), std::string::npos);
  EXPECT_EQ(files(), 1);
}

}  // namespace
