// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <zlib.h>

#include "common/matrix_market.hpp"
#include "scratch_file.hpp"

namespace {

using plait::sparse::field;
using plait::sparse::matrix_file;
using plait::sparse::read_matrix_market;
using plait::sparse::symmetry;

constexpr double memory = 64e6;

matrix_file read(const std::string& text, double most_bytes = memory) {
  const scratch_file file(text);
  return read_matrix_market(file.path(), most_bytes);
}

/// Returns the matrix with its zeros, row by row.
std::vector<double> full(const matrix_file& file) {
  const auto& a = file.matrix;
  std::vector<double> all(static_cast<std::size_t>(a.rows * a.columns), 0);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::size_t k = 0; k < a.columns_of(row).size(); ++k)
      all[static_cast<std::size_t>(row * a.columns + a.columns_of(row)[k])] += a.values_of(row)[k];
  return all;
}

std::vector<double> full(const std::string& text) {
  return full(read(text));
}

std::string refusal(const std::string& text, double most_bytes = memory) {
  try {
    (void)read(text, most_bytes);
  } catch (const plait::usage_error& error) {
    return error.what();
  }
  return "taken";
}

void expect_refused(const std::string& text, const std::string& because) {
  const std::string line = refusal(text);
  EXPECT_NE(line.find(because), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

const std::string head = "%%MatrixMarket matrix coordinate ";
using all = std::vector<double>;

TEST(matrix_market, reads_entries_in_any_order_and_adds_duplicates) {
  EXPECT_EQ(full(head + "real general\n2 3 4\n2 3 1.5\n1 1 2\n2 1 -4e0\n2 3 0.25\n"),
            (all{2, 0, 0, -4, 0, 1.75}));
}

TEST(matrix_market, expands_each_symmetry) {
  EXPECT_EQ(full(head + "integer symmetric\n2 2 2\n1 1 5\n2 1 3\n"), (all{5, 3, 3, 0}));
  EXPECT_EQ(full(head + "integer skew-symmetric\n2 2 1\n2 1 3\n"), (all{0, -3, 3, 0}));
  EXPECT_EQ(full(head + "pattern symmetric\n2 2 2\n2 2\n2 1\n"), (all{0, 1, 1, 1}));
  EXPECT_EQ(full(head + "pattern general\n1 2 1\n1 2\n"), (all{0, 1}));
}

TEST(matrix_market, makes_pairs_of_complex_numbers) {
  const matrix_file general = read(head + "complex general\n1 1 1\n1 1 2 3\n");
  EXPECT_EQ(general.values, field::complex);
  EXPECT_EQ(full(general), (all{2, -3, 3, 2}));
  const matrix_file hermitian = read(head + "complex hermitian\n2 2 2\n1 1 7 0\n2 1 2 3\n");
  EXPECT_EQ(hermitian.kind, symmetry::hermitian);
  // (7, 2-3i; 2+3i, 0)
  EXPECT_EQ(full(hermitian), (all{7, 0, 2, 3, 0, 7, -3, 2, 2, -3, 0, 0, 3, 2, 0, 0}));
  EXPECT_TRUE(is_symmetric(hermitian.matrix));
  EXPECT_EQ(full(head + "complex skew-symmetric\n2 2 1\n2 1 2 3\n"),
            (all{0, 0, -2, 3, 0, 0, -3, -2, 2, -3, 0, 0, 3, 2, 0, 0}));
}

TEST(matrix_market, takes_what_others_write) {
  EXPECT_EQ(
      full("%%matrixmarket MATRIX Coordinate REAL General\r\n% a comment\r\n\r\n  1\t2  1 \r\n"
           "\r\n% another\r\n 1 2 +1.5D-1\r\n\r\n% at the end"),
      (all{0, 0.15}));
  EXPECT_EQ(full(head + "real general\n1 1 1\n1 1 1e-400"), (all{0})) << "too small for a double";
  EXPECT_EQ(full(head + "real general\n2 2 0\n"), (all{0, 0, 0, 0})) << "no entries";
  EXPECT_EQ(full(head + "double general\n1 1 1\n1 1 4\n"), (all{4}));
}

TEST(matrix_market, reads_compressed_files_and_refuses_damaged_ones) {
  std::string text = head + "integer general\n100 100 100\n";
  for (int i = 1; i <= 100; ++i)
    text +=
        std::to_string(i) + " " + std::to_string(i * 37 % 100 + 1) + " " + std::to_string(i) + "\n";
  const scratch_file file("", ".mtx.gz");
  gzFile to = gzopen(file.path().c_str(), "wb");
  gzwrite(to, text.data(), static_cast<unsigned>(text.size()));
  gzclose(to);
  EXPECT_EQ(full(read_matrix_market(file.path(), memory)), full(text));

  std::ifstream from(file.path(), std::ios::binary);
  const std::string compressed{std::istreambuf_iterator<char>(from), {}};
  for (std::size_t size = 1; size < compressed.size(); ++size) {
    file.write(compressed.substr(0, size));
    EXPECT_THROW((void)read_matrix_market(file.path(), memory), plait::usage_error) << size;
  }
  std::string damaged = compressed;
  damaged[compressed.size() / 2] = static_cast<char>(damaged[compressed.size() / 2] ^ 0x55);
  file.write(damaged);
  EXPECT_THROW((void)read_matrix_market(file.path(), memory), plait::usage_error);
}

TEST(matrix_market, says_which_line_is_wrong_and_why) {
  expect_refused("", "the file is empty");
  expect_refused("hello\n", "begins with %%MatrixMarket, not with 'hello'");
  expect_refused(std::string("\x7f\x01\n", 3), "'?\?'");
  expect_refused("%%MatrixMarket matrix coordinate real\n1 1 0\n", "five words");
  expect_refused("%%MatrixMarket vector coordinate real general\n", "'vector' is no matrix");
  expect_refused("%%MatrixMarket matrix array real general\n", "'array' is not sparse");
  expect_refused(head + "quaternion general\n", "'quaternion'");
  expect_refused(head + "real lower\n", "'lower'");
  expect_refused(head + "real hermitian\n1 1 0\n", "hermitian matrix has complex");
  expect_refused(head + "pattern skew-symmetric\n1 1 0\n", "pattern cannot be");
  expect_refused(head + "real general\n", "ends before the line of sizes");
  expect_refused(head + "real general\n1 1\n", "three numbers");
  expect_refused(head + "real general\n1 x 1\n", "'x' is no number");
  expect_refused(head + "real general\n1 -1 1\n", "'-1' is no number");
  expect_refused(head + "real general\n0 1 0\n", "0 by 1");
  expect_refused(head + "real general\n2147483648 1 0\n", "between 1 and 2147483647");
  expect_refused(head + "complex general\n1073741824 1 0\n", "between 1 and 1073741823");
  expect_refused(head + "real symmetric\n2 3 0\n", "cannot be symmetric");
  expect_refused(head + "real general\n2 2 1\n3 1 1\n", ":3: row '3' is not between 1 and 2");
  expect_refused(head + "real general\n2 2 1\n0 1 1\n", "row '0'");
  expect_refused(head + "real general\n2 2 1\n1 3 1\n", "column '3'");
  expect_refused(head + "real general\n2 2 1\n1 1\n", "must have 3 words");
  expect_refused(head + "real general\n2 2 1\n1 1 1 1\n", "must have 3 words");
  expect_refused(head + "pattern general\n2 2 1\n1 1 1\n", "must have 2 words");
  expect_refused(head + "complex general\n2 2 1\n1 1 1\n", "must have 4 words");
  expect_refused(head + "real general\n2 2 1\n1 1 nan\n", "'nan' is no finite number");
  expect_refused(head + "real general\n2 2 1\n1 1 1e999\n", "'1e999' is no finite number");
  expect_refused(head + "real general\n2 2 1\n1 1 1.5.5\n", "'1.5.5'");
  expect_refused(head + "integer general\n2 2 1\n1 1 1.5\n", "'1.5' is no whole number");
  expect_refused(head + "integer general\n2 2 1\n1 1 99999999999999999\n", "53 bits");
  expect_refused(head + "real symmetric\n2 2 1\n1 2 1\n", "above the diagonal");
  expect_refused(head + "real skew-symmetric\n2 2 1\n1 1 1\n", "on the diagonal");
  expect_refused(head + "complex hermitian\n2 2 1\n1 1 1 1\n", "is not real");
  expect_refused(head + "real general\n2 2 2\n1 1 1\n", "ends after 1 entries");
  expect_refused(head + "real general\n2 2 1\n1 1 1\n1 1 1\n", "more than the 1 entries");
  expect_refused(head + "real general\n2 2 1\n1 1 " + std::string(5000, '1') + "\n",
                 "longer than 4096");
  expect_refused(std::string(100000, 'x'), "longer than 4096");
}

TEST(matrix_market, allocates_nothing_by_what_a_file_says) {
  // 10^18 entries: refused when the file ends, not when memory does.
  expect_refused(head + "real general\n9 9 1000000000000000000\n1 1 1\n", "ends after 1 entries");
  expect_refused(head + "real general\n2147483647 2147483647 1\n1 1 1\n", "of memory");
  std::string text = head + "pattern general\n9 9 100000\n";
  for (int i = 0; i < 100000; ++i) text += "1 1\n";
  EXPECT_NE(refusal(text, 1e5).find("of memory"), std::string::npos);
}

TEST(matrix_market, refuses_what_is_no_file) {
  for (const char* path : {"/nonexistent.mtx", "/", "/dev/zero", "/dev/null"})
    EXPECT_THROW((void)read_matrix_market(path, memory), plait::usage_error) << path;
}

/// Some bytes changed, put in, taken out, doubled or cut off.
std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  static const std::string likely = "0123456789 .-+eED%\n\r\t\0x";
  for (std::size_t times = 1 + below(4); times > 0 && !text.empty(); --times) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = likely[below(likely.size())];
        break;
      case 2:
        text.insert(at, 1 + below(3), likely[below(likely.size())]);
        break;
      case 3:
        text.erase(at, 1 + below(8));
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), 1 + below(40)));
        break;
      case 5:
        text.resize(at);
        break;
    }
  }
  return text;
}

TEST(matrix_market, reads_or_refuses_mutated_files_in_one_line) {
  const std::vector<std::string> sound{
      head + "real general\n% c\n4 5 6\n1 1 1\n2 2 1.5\n4 5 -2e3\n3 1 7\n3 1 7\n1 5 .5\n",
      head + "complex hermitian\n3 3 3\n1 1 1 0\n2 1 1 2\n3 3 4 0\n",
      head + "integer skew-symmetric\n4 4 3\n2 1 3\n4 1 -3\n4 3 12\n",
      head + "pattern symmetric\n3 3 3\n1 1\n3 1\n3 3\n"};
  const char* const wanted = std::getenv("PLAIT_MUTATED_FILES");
  const int files = wanted != nullptr ? std::atoi(wanted) : 400;
  std::mt19937_64 random(20);
  int refused = 0;
  for (int i = 0; i < files; ++i) {
    const std::string text = mutated(sound[static_cast<std::size_t>(i) % sound.size()], random);
    try {
      const matrix_file file = read(text);
      ASSERT_EQ(file.matrix.nonzeros(), static_cast<std::int64_t>(file.matrix.column.size()));
      for (const std::int32_t column : file.matrix.column)
        ASSERT_TRUE(column >= 0 && column < file.matrix.columns) << text;
    } catch (const plait::usage_error& error) {
      ++refused;
      for (const char* c = error.what(); *c != 0; ++c)
        ASSERT_FALSE(*c >= 0 && *c < ' ') << i << ": " << error.what();
    }
  }
  EXPECT_GT(refused, files / 2);
  EXPECT_LT(refused, files);
}

}  // namespace
