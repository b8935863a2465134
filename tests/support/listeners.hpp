// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the two test mains tell GoogleTest to report besides its own output.
#pragma once

#include <gtest/gtest.h>

#include "watchdog.hpp"

namespace plait::test {

/// Tells the watchdog which test runs.
class name_listener : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& info) override {
    set_current_test(std::string(info.test_suite_name()) + "." + info.name());
  }
  void OnTestEnd(const ::testing::TestInfo& info) override {
    set_current_test(std::string("after ") + info.test_suite_name() + "." + info.name());
  }
};

}  // namespace plait::test
