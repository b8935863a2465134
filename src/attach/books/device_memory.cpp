// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/device_memory.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <link.h>

namespace plait::attach {
namespace {

// [CUDA driver API: cuPointerGetAttribute]
using cuda_asks = int (*)(void* value, int attribute, std::uintptr_t address);
constexpr int cuda_memory_type = 2;
constexpr unsigned cuda_host = 1;

// [HIP API: hipPointerGetAttributes].  What the kinds of memory are numbered by differs between
// versions; a device's has no address on the host in all of them.
struct hip_attributes {
  int kind = 0;
  int device = 0;
  void* on_device = nullptr;
  void* on_host = nullptr;
  std::uint64_t rest[16] = {};
};
using hip_asks = int (*)(hip_attributes* of, const void* address);

cuda_asks cuda = nullptr;
hip_asks hip = nullptr;

/// Finds a function of a library that may have been opened for its user alone.
template <class Function, class... Names>
void find(Function& found, const char* name, Names... libraries) noexcept {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  for (const char* library : {libraries...}) {
    if (symbol != nullptr) break;
    void* const handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    symbol = dlsym(handle, name);
    dlclose(handle);
  }
  found = reinterpret_cast<Function>(symbol);
}

/// Returns how many libraries the process has loaded so far.
[[nodiscard]] std::uint64_t loaded_so_far() noexcept {
  std::uint64_t count = 0;
  const auto read = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<std::uint64_t*>(to) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(read, &count);
  return count;
}

/// A program may load a library of its accelerator late.
void find_functions() noexcept {
  static std::uint64_t seen = 0;
  const std::uint64_t now = loaded_so_far();
  if (now == seen) return;
  seen = now;
  find(cuda, "cuPointerGetAttribute", "libcuda.so.1");
  find(hip, "hipPointerGetAttributes", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
       "libamdhip64.so");
}

}  // namespace

/// Both say of memory that they do not know that it is none of theirs.
bool is_of_device(const void* address) noexcept {
  find_functions();
  unsigned kind = cuda_host;
  if (cuda != nullptr &&
      cuda(&kind, cuda_memory_type, reinterpret_cast<std::uintptr_t>(address)) == 0 &&
      kind != cuda_host) {
    return true;
  }
  hip_attributes is;
  return hip != nullptr && hip(&is, address) == 0 && is.on_device != nullptr &&
         is.on_host == nullptr;
}

}  // namespace plait::attach
