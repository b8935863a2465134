// SPDX-License-Identifier: BSD-3-Clause
/// Opens the library of a driver when a program asks for its devices, and looks up its functions.
#pragma once

#include <initializer_list>
#include <string>

#include <dlfcn.h>
#include <plait/core/error.hpp>

namespace plait::detail {

/// It stays open: drivers have threads.
class loaded_library {
 public:
  /// Opens the first that is there.
  explicit loaded_library(std::initializer_list<const char*> names) noexcept {
    for (const char* const name : names) {
      if (handle_ != nullptr) break;
      handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      name_ = name;
    }
  }

  template <class Function>
  void look_up(Function& to, const char* name) noexcept {
    if (handle_ != nullptr) to = reinterpret_cast<Function>(::dlsym(handle_, name));
    if (to == nullptr && lacked_ == nullptr) lacked_ = name;
  }
  /// Returns whether the library is there, and has all that was looked up.
  [[nodiscard]] bool is_whole() const noexcept { return handle_ != nullptr && lacked_ == nullptr; }
  /// Errors: `error` where the library is there and lacks what was looked up.
  void expect_whole() const {
    if (handle_ == nullptr || lacked_ == nullptr) return;
    throw error(std::string(name_) + " has no '" + lacked_ +
                "': it is older than what plait needs, or no whole driver");
  }

 private:
  void* handle_ = nullptr;
  const char* name_ = nullptr;    ///< which was opened
  const char* lacked_ = nullptr;  ///< the first that it has not
};

}  // namespace plait::detail
