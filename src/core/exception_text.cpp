// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <utility>

#include <plait/core/exception_text.hpp>

namespace plait {
namespace {

struct noted_origin {
  std::mutex mutex;
  std::exception_ptr thrown = nullptr;  ///< alive, so that no other one has its place
  std::string text = {};
};

/// Never destroyed: std::terminate may ask when everything else is gone.
noted_origin& last_origin() {
  static auto* const origin = new noted_origin;
  return *origin;
}

[[nodiscard]] std::string what_it_says(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

void note_origin(const std::exception_ptr& thrown, std::string origin) {
  noted_origin& last = last_origin();
  std::exception_ptr before = thrown;  // freed without the lock: its destructor is the program's
  std::lock_guard lock(last.mutex);
  std::swap(last.thrown, before);
  last.text = std::move(origin);
}

std::string exception_text(const std::exception_ptr& thrown) {
  noted_origin& last = last_origin();
  std::string origin;
  {
    std::lock_guard lock(last.mutex);
    if (last.thrown == thrown) origin = last.text + ": ";
  }
  return origin + what_it_says(thrown);
}

}  // namespace plait
