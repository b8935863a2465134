// SPDX-License-Identifier: BSD-3-Clause
/// The version of the library that a program is linked with.
#pragma once

#include <plait/core/cxx20.hpp>

#include <string_view>

namespace plait {

/// Returns the version as "major.minor.patch".  What may change from one to the next is in
/// docs/use/compatibility.md. Thread-safe; the text lives as long as the program.
std::string_view version() noexcept;

}  // namespace plait
