// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/real_function.hpp"

#include <dlfcn.h>
#include <link.h>

namespace plait::detail {
namespace {

/// The object file in which an address lies, and if the symbol there is a definition.  A linkage
/// table's entry that stands for a function belongs to a symbol that has a value and no section.
struct place {
  void* base = nullptr;
  bool is_definition = false;

  explicit place(void* address) noexcept {
    Dl_info object{};
    void* found = nullptr;
    if (dladdr1(address, &object, &found, RTLD_DL_SYMENT) == 0) return;
    base = object.dli_fbase;
    const auto* const symbol = static_cast<const ElfW(Sym)*>(found);
    is_definition = symbol == nullptr || symbol->st_shndx != SHN_UNDEF;
  }
};

}  // namespace

void* real_function(const char* name) noexcept {
  void* const first = dlsym(RTLD_DEFAULT, name);
  if (first == nullptr || place(first).is_definition) return first;
  // The definition is in the first object after the program that has one of its own.
  link_map* object = nullptr;
  if (dlinfo(dlopen(nullptr, RTLD_LAZY), RTLD_DI_LINKMAP, &object) != 0) return first;
  for (object = object->l_next; object != nullptr; object = object->l_next) {
    void* const library = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* const address = dlsym(library, name);  // here, or in what this one needs
    dlclose(library);
    if (address == nullptr || address == first) continue;
    const place found(address);
    if (found.is_definition && found.base == place(object->l_ld).base) return address;
  }
  return first;
}

}  // namespace plait::detail
