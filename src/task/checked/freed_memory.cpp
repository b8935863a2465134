// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/freed_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__) && defined(__linux__)
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "task/checked/real_function.hpp"
#endif

namespace plait::detail {
namespace {

/// Log that the hooks of the allocator write, for one thread at a time: the one that checks.
struct log {
  std::thread::id thread;
  byte_range watched{UINTPTR_MAX, 0};
  range_list freed;
  bool is_open = false;  ///< false while the log itself allocates

  void note(std::uintptr_t begin, std::size_t size_bytes) {
    const byte_range bytes{begin, begin + size_bytes};
    if (bytes.begin >= watched.end || bytes.end <= watched.begin) return;
    is_open = false;
    freed.push_back(bytes);
    is_open = true;
  }
  [[nodiscard]] bool is_mine() const noexcept {
    return is_open && std::this_thread::get_id() == thread;
  }
};
log current;

#if defined(__x86_64__) && defined(__linux__)

void (*real_free)(void*) = nullptr;
void* (*real_realloc)(void*, std::size_t) = nullptr;
int (*real_munmap)(void*, std::size_t) = nullptr;
std::size_t (*usable_size)(void*) = nullptr;

void noted_free(void* memory) {
  if (memory != nullptr && current.is_mine())
    current.note(reinterpret_cast<std::uintptr_t>(memory), usable_size(memory));
  real_free(memory);
}

void* noted_realloc(void* memory, std::size_t size_bytes) {
  const bool is_mine = memory != nullptr && current.is_mine();
  const std::size_t old_bytes = is_mine ? usable_size(memory) : 0;
  const auto old = reinterpret_cast<std::uintptr_t>(memory);
  void* const now = real_realloc(memory, size_bytes);
  const bool has_moved = reinterpret_cast<std::uintptr_t>(now) != old;
  if (is_mine && has_moved && (now != nullptr || size_bytes == 0)) current.note(old, old_bytes);
  return now;
}

int noted_munmap(void* memory, std::size_t size_bytes) {
  if (current.is_mine()) current.note(reinterpret_cast<std::uintptr_t>(memory), size_bytes);
  return real_munmap(memory, size_bytes);
}

/// An entry of a table, and what it was.
struct patch {
  void** entry;
  void* was;
};
std::vector<patch> patches;

/// Writes to a table that the dynamic linker may have made read-only.
void write(void** entry, void* value) noexcept {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto page = reinterpret_cast<std::uintptr_t>(entry) & ~(page_bytes - 1);
  // What shares the page may be written by the linker itself, later: it stays writable.
  if (::mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE) == 0)
    *entry = value;
}

[[nodiscard]] void* hook_of(std::string_view name) noexcept {
  if (name == "free") return reinterpret_cast<void*>(&noted_free);
  if (name == "realloc") return reinterpret_cast<void*>(&noted_realloc);
  if (name == "munmap") return reinterpret_cast<void*>(&noted_munmap);
  return nullptr;
}

/// The dynamic section of one object file.
struct dynamic_tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::pair<const ElfW(Rela)*, std::size_t> relocations[2] = {};

  dynamic_tables(const ElfW(Dyn) * entries, ElfW(Addr) base) {
    const auto value_of = [entries](ElfW(Sxword) tag) -> ElfW(Addr) {
      const ElfW(Dyn)* entry = entries;
      while (entry->d_tag != DT_NULL && entry->d_tag != tag) ++entry;
      return entry->d_tag == tag ? entry->d_un.d_val : 0;
    };
    const auto table = [&]<class Entry>(ElfW(Sxword) tag, const Entry*& to) {
      const ElfW(Addr) address = value_of(tag);
      // The linker has added the base, but in the vDSO.
      if (address != 0)
        to = reinterpret_cast<const Entry*>(address < base ? address + base : address);
    };
    table(DT_SYMTAB, symbols);
    table(DT_STRTAB, names);
    table(DT_RELA, relocations[0].first);
    table(DT_JMPREL, relocations[1].first);
    relocations[0].second = value_of(DT_RELASZ) / sizeof(ElfW(Rela));
    relocations[1].second = value_of(DT_PLTRELSZ) / sizeof(ElfW(Rela));
  }
};

int find_entries(dl_phdr_info* object, std::size_t, void*) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic =
          reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  }
  if (dynamic == nullptr) return 0;
  const dynamic_tables tables(dynamic, object->dlpi_addr);
  if (tables.symbols == nullptr || tables.names == nullptr) return 0;
  for (const auto& [first, count] : tables.relocations) {
    for (std::size_t i = 0; first != nullptr && i < count; ++i) {
      const ElfW(Rela)& one = first[i];
      const auto kind = ELF64_R_TYPE(one.r_info);
      if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
      const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(one.r_info)];
      if (hook_of(tables.names + symbol.st_name) == nullptr) continue;
      void** const entry = reinterpret_cast<void**>(object->dlpi_addr + one.r_offset);
      patches.push_back({entry, hook_of(tables.names + symbol.st_name)});
    }
  }
  return 0;
}

template <class Function>
[[nodiscard]] bool find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(real_function(name));
  return function != nullptr;
}

void install() {
  if (!find(real_free, "free") || !find(real_realloc, "realloc") || !find(real_munmap, "munmap") ||
      !find(usable_size, "malloc_usable_size"))
    return;
  patches.clear();
  ::dl_iterate_phdr(&find_entries, nullptr);
  for (patch& one : patches) {
    void* const hook = std::exchange(one.was, *one.entry);
    write(one.entry, hook);
  }
}

void uninstall() noexcept {
  for (const patch& one : patches) write(one.entry, one.was);
}

#else
void install() {}
void uninstall() noexcept {}
#endif

}  // namespace

freed_memory::freed_memory() {
  install();
  current = {.thread = std::this_thread::get_id(), .freed = {}};
  current.is_open = true;
}

freed_memory::~freed_memory() {
  current.is_open = false;
  uninstall();
  current.freed = {};
}

void freed_memory::watch(byte_range bytes) noexcept {
  current.watched = {std::min(current.watched.begin, bytes.begin),
                     std::max(current.watched.end, bytes.end)};
}

range_list freed_memory::take() {
  current.is_open = false;
  range_list result = std::exchange(current.freed, {});
  current.is_open = true;
  return result;
}

}  // namespace plait::detail
