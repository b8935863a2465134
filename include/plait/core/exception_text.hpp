// SPDX-License-Identifier: BSD-3-Clause
/// Prints an exception: its origin and its text.
#pragma once

#include <plait/core/cxx20.hpp>

#include <exception>
#include <string>

namespace plait {

/// Notes where an exception was thrown, such as "task 'relax', iteration 3", so that it can be
/// rethrown as it is and still be printed with its place.  Only the last one is kept.  Thread-safe.
void note_origin(const std::exception_ptr& thrown, std::string origin);

/// Returns "task 'relax', iteration 3: " before what the exception says, where its origin was
/// noted.  Thread-safe.  `thrown`: not null.
[[nodiscard]] std::string exception_text(const std::exception_ptr& thrown);

}  // namespace plait
