// SPDX-License-Identifier: BSD-3-Clause
// Opens and closes the pages that are guarded.
#include "task/checked/guarded_state.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <iterator>

#include <sys/syscall.h>

namespace plait::detail::guard {

constinit everything all;

long system_call(long number, long a, long b, long c, long d) noexcept {
  long result = number;
  register long fourth asm("r10") = d;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
}

bool protect(std::uintptr_t begin, std::uintptr_t end, int protection) noexcept {
  return system_call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
                     protection) == 0;
}

const guarded_pages* find_pages(std::uintptr_t address) noexcept {
  const std::size_t at = all.pages.first_behind(address);
  if (at == all.pages.size || all.pages.data[at].begin > address) return nullptr;
  return &all.pages.data[at];
}

bool is_in(const std::uintptr_t* list, int count, std::uintptr_t page) noexcept {
  for (int i = 0; i < count; ++i) {
    if (list[i] == page) return true;
  }
  return false;
}

void open_pages() noexcept {
  for (std::size_t i = 0; i < all.pages.size; ++i) {
    (void)protect(all.pages.data[i].begin, all.pages.data[i].end, all.pages.data[i].open);
  }
}

bool close_pages() noexcept {
  bool done = true;
  for (std::size_t i = 0; i < all.pages.size; ++i) {
    done &= protect(all.pages.data[i].begin, all.pages.data[i].end, all.pages.data[i].closed);
  }
  for (int i = 0; i < all.left_open_count; ++i) {
    const std::uintptr_t page = all.left_open[i];
    if (const guarded_pages* in = find_pages(page))
      (void)protect(page, page + page_bytes, in->open);
  }
  return done;
}

void give_up_checking() noexcept {
  open_pages();
  all.closed = false;
  all.incomplete = true;
}

void leave_open(const guarded_pages& in, std::uintptr_t page) noexcept {
  if (all.left_open_count == static_cast<int>(std::size(all.left_open))) {
    give_up_checking();
    return;
  }
  all.left_open[all.left_open_count++] = page;
  (void)protect(page, page + page_bytes, in.open);
}

}  // namespace plait::detail::guard

#endif
