// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <link.h>

#include "attach/calls/fortran_sites.hpp"
#include "attach/calls/real_functions.hpp"

extern "C" {
thread_local constinit plait_attach_fortran_call plait_attach_fortran;
}

namespace plait::attach {
namespace {

struct range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
std::vector<range>& bindings() {
  static auto& list = *new std::vector<range>;
  return list;
}

int note_binding(dl_phdr_info* info, std::size_t, void*) {
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const std::string_view name = slash == nullptr ? info->dlpi_name : slash + 1;
  const bool is_binding = name.starts_with("libmpi_mpifh") || name.starts_with("libmpi_usempi") ||
                          name.starts_with("libmpichf") || name.starts_with("libmpifort");
  if (!is_binding) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const auto begin = static_cast<std::uintptr_t>(info->dlpi_addr + part.p_vaddr);
    bindings().push_back({begin, begin + part.p_memsz});
  }
  return 0;
}

[[nodiscard]] bool is_in_binding(std::uintptr_t at) noexcept {
  return std::ranges::any_of(bindings(),
                             [&](const range& one) { return at >= one.begin && at < one.end; });
}

/// A Fortran program's first call is of a binding.
__attribute__((constructor)) void find_at_start() noexcept {
  find_fortran_entries();
}

}  // namespace

void find_fortran_entries() noexcept {
  bindings().clear();
  dl_iterate_phdr(note_binding, nullptr);
  if (bindings().empty()) return;
  for (int i = 0; i < fortran_count; ++i) {
    if (plait_attach_fortran_real[i] == nullptr) {
      plait_attach_fortran_real[i] = find_in_library(fortran_names[i]);
    }
  }
}

/// The entry's return address is on the stack, where the entry saw it, as long as the binding runs.
bool is_of_fortran_binding(call_id id, call_place& from) noexcept {
  const plait_attach_fortran_call& last = plait_attach_fortran;
  if (last.address == 0 || !is_in_binding(from.address)) return false;
  if (last.stack < from.stack || word_at(last.stack) != last.address) return false;
  if (fortran_calls[last.entry] != id) return true;
  from.address = last.address;
  from.stack = last.stack + sizeof(void*);
  from.frame = last.frame;
  return false;
}

}  // namespace plait::attach
