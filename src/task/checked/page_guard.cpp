// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/page_guard.hpp"

#include <plait/core/error.hpp>

#if defined(__x86_64__) && defined(__linux__)

#include <csignal>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

#include "task/checked/guarded_state.hpp"

namespace plait::detail {

using namespace guard;

namespace {

constexpr std::size_t handler_stack_bytes = 256 * 1024;

void install(int which, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigaction(signals[which], &action, &all.previous[which]);
}

void uninstall(int which, void (*handler)(int, siginfo_t*, void*)) noexcept {
  struct sigaction now {};
  sigaction(signals[which], nullptr, &now);
  // Whoever has come after this calls it, perhaps: it passes everything on from now on.
  if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != handler) return;
  sigaction(signals[which], &all.previous[which], nullptr);
}

}  // namespace

page_guard::page_guard() {
  if (all.claimed) {
    throw usage_error("checked: one runtime or scheduler of a process at a time can be checked");
  }
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(page_bytes)) {
    throw usage_error("checked: not available here: it knows pages of 4096 bytes only");
  }
  void* const stack = mmap(nullptr, handler_stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  constexpr std::size_t most_touched = 1 << 16;
  all.touched.reserve(most_touched);
  all.claimed = true;
  all.stack_begin = reinterpret_cast<std::uintptr_t>(stack);
  all.stack_end = all.stack_begin + handler_stack_bytes;
  all.opmask_offset = find_opmasks();
  find_string_code();
  stack_t handler_stack{};
  handler_stack.ss_sp = stack;
  handler_stack.ss_size = handler_stack_bytes;
  sigaltstack(&handler_stack, &all.previous_stack);
  install(segv, &on_fault);
  install(trap, &on_trap);
  install(sys, &on_system_call);
  all.can_dispatch = dispatch_system_calls();
}

page_guard::~page_guard() {
  open();
  if (all.can_dispatch) stop_dispatching();
  uninstall(sys, &on_system_call);
  uninstall(trap, &on_trap);
  uninstall(segv, &on_fault);
  all.previous_stack.ss_flags &= ~SS_ONSTACK;
  sigaltstack(&all.previous_stack, nullptr);
  munmap(reinterpret_cast<void*>(all.stack_begin), handler_stack_bytes);
  lock();
  all.stack_begin = all.stack_end = 0;
  all.pages.size = all.unreadable.size = all.unwritable.size = all.touched.size = 0;
  unlock();
  all.claimed = false;
}

void page_guard::forbid(const std::vector<byte_range>& to_read,
                        const std::vector<byte_range>& to_write,
                        const std::vector<guarded_pages>& pages) {
  // Another thread may look at what is there, late.
  lock();
  all.unreadable.size = all.unwritable.size = all.pages.size = 0;
  try {
    all.unreadable.reserve(to_read.size());
    all.unwritable.reserve(to_write.size());
    all.pages.reserve(pages.size());
  } catch (...) {
    unlock();
    throw;
  }
  all.unreadable.assign(to_read);
  all.unwritable.assign(to_write);
  all.pages.assign(pages);
  all.left_open_count = 0;
  all.faults = 0;
  unlock();
}

bool page_guard::close() noexcept {
  lock();
  all.opened_count = 0;
  all.late_fault = 0;
  const bool done = close_pages();
  if (!done) open_pages();
  all.closed = done;
  unlock();
  if (done && all.can_dispatch) all.dispatch = dispatch_block;
  return done;
}

void page_guard::open() noexcept {
  all.dispatch = dispatch_allow;
  lock();
  if (all.closed) open_pages();
  all.closed = false;
  unlock();
}

std::vector<touched_bytes> page_guard::take_touched() {
  std::vector<touched_bytes> result(all.touched.data, all.touched.data + all.touched.size);
  all.touched.size = 0;
  return result;
}

bool page_guard::take_incomplete() noexcept {
  const bool result = all.incomplete;
  all.incomplete = false;
  return result;
}

}  // namespace plait::detail

#else

namespace plait::detail {

page_guard::page_guard() {
  throw usage_error("checked: available on Linux with x86-64 processors only");
}
page_guard::~page_guard() = default;
void page_guard::forbid(const std::vector<byte_range>&, const std::vector<byte_range>&,
                        const std::vector<guarded_pages>&) {}
bool page_guard::close() noexcept {
  return true;
}
void page_guard::open() noexcept {}
std::vector<touched_bytes> page_guard::take_touched() {
  return {};
}
bool page_guard::take_incomplete() noexcept {
  return false;
}

}  // namespace plait::detail

#endif
