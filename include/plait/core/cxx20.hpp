// SPDX-License-Identifier: BSD-3-Clause
/// Refuses a compiler that is not set to C++20.  Every header that includes no other of plait's
/// begins with this one, so whatever a program includes, this is complained of first.
#pragma once

#if __cplusplus < 202002L
#error "plait needs C++20: compile with -std=c++20 (CMake: CMAKE_CXX_STANDARD 20), or a later one"
// The hundred errors that would follow are spared: this ends the compilation.
#include <plait_needs_cxx20>
#endif
