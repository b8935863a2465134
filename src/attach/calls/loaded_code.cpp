// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/loaded_code.hpp"

#include <cstdint>

namespace plait::attach {
namespace {

/// Asks as every glibc can be asked.
[[nodiscard]] const link_map* file_by_lookup(const void* code) noexcept {
  Dl_info info;
  void* file = nullptr;
  if (dladdr1(code, &info, &file, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<const link_map*>(file);
}

}  // namespace

#ifdef DLFO_STRUCT_HAS_EH_DBASE

namespace {

/// Notes where a file lies and its unwinding data, if it has the code that `wanted` begins with.
int note_file(dl_phdr_info* info, std::size_t, void* wanted) {
  auto& found = *static_cast<dl_find_object*>(wanted);
  const auto code = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  std::uintptr_t unwinding = 0;
  bool has_code = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) unwinding = from;
    if (part.p_type != PT_LOAD) continue;
    has_code = has_code || (code >= from && code - from < part.p_memsz);
    begin = from < begin ? from : begin;
    end = from + part.p_memsz > end ? from + part.p_memsz : end;
  }
  if (!has_code) return 0;
  found.dlfo_map_start = reinterpret_cast<void*>(begin);
  found.dlfo_map_end = reinterpret_cast<void*>(end);
  found.dlfo_eh_frame = reinterpret_cast<void*>(unwinding);
  return 1;
}

using find_object = int(void*, dl_find_object*);
[[nodiscard]] find_object* of_the_loader() noexcept {
  static auto* const found = reinterpret_cast<find_object*>(dlsym(RTLD_NEXT, "_dl_find_object"));
  return found;
}

}  // namespace

bool find_by_headers(const void* code, dl_find_object& found) noexcept {
  found = {};
  found.dlfo_map_start = const_cast<void*>(code);
  if (dl_iterate_phdr(note_file, &found) == 0 || found.dlfo_eh_frame == nullptr) return false;
  found.dlfo_link_map = const_cast<link_map*>(file_by_lookup(code));
  return true;
}

const link_map* file_of(const void* code) noexcept {
  find_object* const find = of_the_loader();
  if (find == nullptr) return file_by_lookup(code);
  dl_find_object found{};
  return find(const_cast<void*>(code), &found) == 0 ? found.dlfo_link_map : nullptr;
}

}  // namespace plait::attach

/// Stands before glibc's function of this name inside this library, for the unwinder of libgcc.a
/// calls it: a library that was built where it is there is loaded where it is not.
extern "C" [[gnu::visibility("hidden")]] int _dl_find_object(void* code,
                                                             dl_find_object* found) noexcept {
  auto* const find = plait::attach::of_the_loader();
  if (find != nullptr) return find(code, found);
  return plait::attach::find_by_headers(code, *found) ? 0 : -1;
}

#else

const link_map* file_of(const void* code) noexcept {
  return file_by_lookup(code);
}

}  // namespace plait::attach

#endif
