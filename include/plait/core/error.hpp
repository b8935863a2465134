// SPDX-License-Identifier: BSD-3-Clause
/// The errors plait throws, and the check of a stated precondition.  Not here: how a job is
/// aborted.
#pragma once

#include <plait/core/cxx20.hpp>

#include <stdexcept>
#include <string>

namespace plait {

/// Anything plait reports to its caller: a failed MPI call, a file that cannot be written, a
/// message of the wrong size.  `what()` is one line that says what was wrong and what would be
/// right.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad input from the person who runs the program (a flag, a file, a size that does not fit).
/// Programs print `what()` on one rank and exit with code 2.
class usage_error : public error {
 public:
  using error::error;
};

/// Sets the text that names this process in messages, such as "rank 3 on node1".  Thread-safe.
void set_process_label(std::string label);
[[nodiscard]] std::string process_label();

/// Sets the function that a broken precondition calls after it has printed its message.  The
/// default is `std::abort`.  `environment` replaces the default by a function that ends the whole
/// job.  Thread-safe.
void set_abort_handler(void (*handler)() noexcept);

namespace detail {
[[noreturn]] void expects_failed(const char* expression, const char* file, int line,
                                 const std::string& values) noexcept;
[[noreturn]] void abort_job() noexcept;
/// Prints the line that says why this process ends, named by `process_label`.  Returns on the first
/// thread that calls it; others, which fail meanwhile, wait for the end and print nothing.
void print_last_words(const std::string& why) noexcept;
}  // namespace detail
}  // namespace plait

/// Checks a precondition in every build: on failure prints process, place, expression and `values`
/// (a std::string, evaluated only then), and ends the job.  For programmers' errors only.
#define PLAIT_EXPECTS(condition, values) \
  (static_cast<bool>(condition)          \
       ? static_cast<void>(0)            \
       : ::plait::detail::expects_failed(#condition, __FILE__, __LINE__, (values)))
