// SPDX-License-Identifier: BSD-3-Clause
/// Says where a test hangs.  Not a time limit on what works: it acts once, shortly before CTest
/// would kill the test without a word.
#pragma once

#include <string>

namespace plait::test {

/// Starts the watchdog thread if the environment variable PLAIT_TEST_TIMEOUT_S is set (plait_test
/// sets it).  After 80 % of that time it prints the current test, the rank and the stack of every
/// thread, waits a little so that the other ranks can do the same, and aborts.  Call once, first in
/// `main`.
void start_watchdog();

/// Names what runs now, for the watchdog's message.  Thread-safe.
void set_current_test(std::string name);

}  // namespace plait::test
