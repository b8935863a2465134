// SPDX-License-Identifier: BSD-3-Clause
/// Opens the library of a driver when a program asks for its devices, and looks up its functions.
#pragma once

#include <initializer_list>

#include <dlfcn.h>

namespace plait::detail {

/// It stays open: drivers have threads.
class loaded_library {
 public:
  /// Opens the first that is there.
  explicit loaded_library(std::initializer_list<const char*> names) noexcept {
    for (const char* const name : names) {
      if (handle_ == nullptr) handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }

  template <class Function>
  void look_up(Function& to, const char* name) noexcept {
    if (handle_ != nullptr) to = reinterpret_cast<Function>(::dlsym(handle_, name));
    lacks_one_ = lacks_one_ || to == nullptr;
  }
  /// Returns whether the library is there, and has all that was looked up.
  [[nodiscard]] bool is_whole() const noexcept { return handle_ != nullptr && !lacks_one_; }

 private:
  void* handle_ = nullptr;
  bool lacks_one_ = false;
};

}  // namespace plait::detail
