// SPDX-License-Identifier: BSD-3-Clause
/// The part of elfutils' libdw.so.1 that is used, as its headers dwarf.h and elfutils/libdwfl.h
/// declare it: nothing of elfutils is needed to compile, and the library is loaded where there is
/// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <elf.h>

namespace plait::attach::libdw {

struct elf;
struct session;
struct module;
struct line;
struct files;
struct unit;
using address = std::uint64_t;
using number = std::uint64_t;

struct attribute {
  unsigned code;
  unsigned form;
  unsigned char* value;
  unit* of;
};

/// A piece of debugging data: of a compilation unit, of a function.
struct entry {
  void* at;
  unit* of;
  void* abbreviation;
  long padding;
};

using find_elf = int(module*, void**, const char*, address, char**, elf**);
using find_debug_file = int(module*, void**, const char*, address, const char*, const char*,
                            Elf64_Word, char**);
using section_address = int(module*, void**, const char*, address, const char*, Elf64_Word,
                            const Elf64_Shdr*, address*);
using module_removed = int(module*, void*, const char*, address, void*);

struct callbacks {
  find_elf* elf_of;
  find_debug_file* debug_file_of;
  section_address* section_of;
  char** debug_path;
};

inline constexpr int tag_inlined_subroutine = 0x1d;
inline constexpr unsigned at_call_file = 0x58;
inline constexpr unsigned at_call_line = 0x59;
inline constexpr unsigned at_linkage_name = 0x6e;

/// The library's functions, if it is here; without it none of them may be called.
class functions {
 public:
  [[nodiscard]] bool are_there() const noexcept { return handle_ != nullptr; }

 private:
  /// A function of whatever type it is assigned to.
  struct found {
    void* function;
    template <class Function>
    operator Function*() const noexcept {  // NOLINT
      return reinterpret_cast<Function*>(function);
    }
  };
  [[nodiscard]] found find(const char* name) noexcept {
    void* const function = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    if (function == nullptr) handle_ = nullptr;  // too old a library is none
    return {function};
  }
  void* handle_ = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

 public:
  session* (*begin)(const callbacks*) = find("dwfl_begin");
  void (*end)(session*) = find("dwfl_end");
  module* (*report_offline)(session*, const char*, const char*, int) = find("dwfl_report_offline");
  int (*report_end)(session*, module_removed*, void*) = find("dwfl_report_end");
  section_address* offline_section = find("dwfl_offline_section_address");
  elf* (*get_elf)(module*, address* bias) = find("dwfl_module_getelf");
  line* (*get_source)(module*, address) = find("dwfl_module_getsrc");
  const char* (*line_info)(line*, address*, int* line, int* column, number* time,
                           number* length) = find("dwfl_lineinfo");
  const char* (*address_info)(module*, address, std::uint64_t* offset, Elf64_Sym*, Elf64_Word*,
                              elf**, address* bias) = find("dwfl_module_addrinfo");
  entry* (*unit_at)(module*, address, address* bias) = find("dwfl_module_addrdie");
  int (*scopes_at)(entry* unit, address, entry** scopes) = find("dwarf_getscopes");
  int (*scopes_around)(entry*, entry** scopes) = find("dwarf_getscopes_die");
  int (*tag_of)(entry*) = find("dwarf_tag");
  const char* (*name_of)(entry*) = find("dwarf_diename");
  attribute* (*attribute_of)(entry*, unsigned which, attribute*) = find("dwarf_attr_integrate");
  int (*number_of)(attribute*, number*) = find("dwarf_formudata");
  const char* (*string_of)(attribute*) = find("dwarf_formstring");
  int (*source_files)(entry* unit, files**, std::size_t* count) = find("dwarf_getsrcfiles");
  const char* (*source_file)(files*, std::size_t, number* time,
                             number* length) = find("dwarf_filesrc");
};

}  // namespace plait::attach::libdw
