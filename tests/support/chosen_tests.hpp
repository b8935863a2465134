// SPDX-License-Identifier: BSD-3-Clause
/// Declares the choice of one source's tests in a program that has those of many.
#pragma once

namespace plait::test {

/// Chooses the tests of SOURCE.cpp where the arguments have `--of=SOURCE`, those alone that
/// GoogleTest's own filter lets through.  Returns false, and says so, where there are none:
/// GoogleTest would pass.
[[nodiscard]] bool choose_tests(int argc, char** argv);

}  // namespace plait::test
