// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a test on several ranks needs beside GoogleTest.  Every rank runs every test; a
/// test has failed if it failed on any rank.
#pragma once

#include <gtest/gtest.h>
#include <plait/comm/environment.hpp>

namespace plait::test {

/// The environment that the test main made before the first test and keeps until after the last.
[[nodiscard]] environment& test_environment();

}  // namespace plait::test
