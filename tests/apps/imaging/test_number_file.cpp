// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <unistd.h>

#include "common/number_file.hpp"

namespace {

using plait::imaging::number_array;
using plait::imaging::read_array;
using plait::imaging::read_matrix;
using plait::imaging::sparse_matrix;

class number_file : public testing::Test {
 protected:
  number_file() { std::filesystem::create_directory(folder_); }
  ~number_file() override { std::filesystem::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  void expect_refused(const std::string& name, const std::string& content, const std::string& why) {
    try {
      (void)read_matrix(put(name, content));
      ADD_FAILURE() << name << " was read:\n" << content;
    } catch (const plait::usage_error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("number_file" + std::to_string(getpid()));
};

TEST_F(number_file, of_matrix_market_adds_duplicates_and_sorts_columns) {
  const sparse_matrix m =
      read_matrix(put("a.mtx",
                      "%%MatrixMarket matrix coordinate real general\n"
                      "% a comment\n\n2 3 4\n2 3 1.5\n1 1 2\n2 1 4\n2 3 0.5\n"));
  EXPECT_EQ(m.rows, 2);
  EXPECT_EQ(m.columns, 3);
  EXPECT_EQ(m.begin, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(m.column, (std::vector<std::uint32_t>{0, 0, 2}));
  EXPECT_EQ(m.value, (std::vector<double>{2, 4, 2}));
}

TEST_F(number_file, of_matrix_market_expands_what_is_symmetric) {
  const sparse_matrix m = read_matrix(
      put("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n"));
  EXPECT_EQ(m.begin, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(m.column, (std::vector<std::uint32_t>{2, 1, 0}));
  const sparse_matrix skew = read_matrix(
      put("b.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n"));
  EXPECT_EQ(skew.value, (std::vector<double>{-5, 5}));
}

TEST_F(number_file, says_which_line_is_wrong) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  expect_refused("a.mtx", head + "2 2 1\n3 1 1\n", "line 3: 3 where");
  expect_refused("a.mtx", head + "2 2 1\n1 1 x\n", "'x' is not a number");
  expect_refused("a.mtx", head + "2 2 2\n1 1 1\n", "1 entries, where 2 are announced");
  expect_refused("a.mtx", head + "2 2 1\n1 1 1\n1 2 1\n", "more entries");
  expect_refused("a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "complex");
  expect_refused("a.mtx", "2 2 1\n", "begins with");
  expect_refused("a.txt", "1 2\n3\n", "line 2: 1 numbers, where lines before have 2");
  expect_refused("a.txt", "# nothing\n", "no numbers");
  expect_refused("a.npy", "not numpy at all", "not a file of NumPy's");
}

TEST_F(number_file, of_text_has_a_row_a_line) {
  const number_array a = read_array(put("a.txt", "# counts\n1, 2 3e2\n-4 5 +6  # last\n"));
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(a.values, (std::vector<double>{1, 2, 300, -4, 5, 6}));
}

TEST_F(number_file, of_numpy_comes_back_as_it_was_written) {
  const number_array a{{2, 1, 3}, {0.1, -2, 3e300, 4, 5, 6}};
  const std::string path = (folder_ / "a.npy").string();
  plait::imaging::write_npy(path, a);
  const number_array b = read_array(path);
  EXPECT_EQ(b.shape, a.shape);
  EXPECT_EQ(b.values, a.values);
}

TEST_F(number_file, of_numpy_may_hold_integers) {
  std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }";
  head.append(117 - head.size(), ' ');
  const std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + head + "\n" +
                            std::string("\x01\0\0\0\0\0\0\0\xff\xff\xff\xff\x02\0\0\0", 16);
  EXPECT_EQ(read_array(put("a.npy", bytes)).values, (std::vector<double>{1, 0, -1, 2}));
  const sparse_matrix m = read_matrix(put("a.npy", bytes));
  EXPECT_EQ(m.begin, (std::vector<std::int64_t>{0, 1, 3}));
  expect_refused("b.npy", bytes.substr(0, bytes.size() - 4), "12 bytes of numbers");
}

}  // namespace
