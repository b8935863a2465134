// SPDX-License-Identifier: BSD-3-Clause
/// Prints an exception, its origin and its text, and other text that a program has named.
#pragma once

#include <plait/core/cxx20.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace plait {

/// Returns the text without what would command a terminal: escape sequences and other control
/// characters but for ends of lines and tabs, and the letters that turn the direction of writing.
[[nodiscard]] std::string plain_text(std::string_view text);

/// Notes where an exception was thrown, such as "task 'relax', iteration 3", so that it can be
/// rethrown as it is and still be printed with its place.  Only the last one is kept.  Thread-safe.
void note_origin(const std::exception_ptr& thrown, std::string origin);

/// Returns "task 'relax', iteration 3: " before what the exception says, where its origin was
/// noted, as plain text.  Thread-safe.  `thrown`: not null.
[[nodiscard]] std::string exception_text(const std::exception_ptr& thrown);

}  // namespace plait
