// SPDX-License-Identifier: BSD-3-Clause
#include "chosen_tests.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include <fnmatch.h>
#include <gtest/gtest.h>

namespace plait::test {
namespace {

bool matches_one_of(const std::string& patterns, const std::string& name) {
  for (std::size_t begin = 0; begin <= patterns.size();) {
    const std::size_t end = std::min(patterns.find(':', begin), patterns.size());
    if (fnmatch(patterns.substr(begin, end - begin).c_str(), name.c_str(), 0) == 0) return true;
    begin = end + 1;
  }
  return false;
}

/// As GoogleTest reads a filter: patterns, and after a minus those that are left out.
bool passes(const std::string& filter, const std::string& name) {
  const std::size_t minus = filter.find('-');
  const std::string wanted = filter.substr(0, minus);
  if (!wanted.empty() && !matches_one_of(wanted, name)) return false;
  return minus == std::string::npos || !matches_one_of(filter.substr(minus + 1), name);
}

/// A filter that is no longer than it has to be: GoogleTest prints it.
std::string filter_for(const std::string& source, const std::string& filter) {
  std::string chosen;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    std::string of_suite;
    int count = 0;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string name = std::string(suite.name()) + "." + test.name();
      if (!std::string_view(test.file()).ends_with(source) || !passes(filter, name)) continue;
      of_suite += name + ":";
      ++count;
    }
    const bool whole = count > 0 && count == suite.total_test_count();
    chosen += whole ? suite.name() + std::string(".*:") : of_suite;
  }
  return chosen;
}

}  // namespace

bool choose_tests(int argc, char** argv) {
  const std::string_view option = "--of=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(option)) continue;
    const std::string source(argument.substr(option.size()));
    std::string& filter = ::testing::GTEST_FLAG(filter);
    filter = filter_for("/" + source + ".cpp", filter);
    if (!filter.empty()) return true;
    std::fprintf(stderr, "no test of %s.cpp is in this program\n", source.c_str());
    return false;
  }
  return true;
}

}  // namespace plait::test
