// SPDX-License-Identifier: BSD-3-Clause
// Lets system calls of the guarded thread pass with all pages open.
#include "task/checked/guarded_state.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait::detail::guard {

namespace {

/// rt_sigprocmask must not block what the guard lives on: done here, on what is restored on return.
/// Returns false for what is no request to change the mask.
[[nodiscard]] bool change_signal_mask(ucontext_t& context) noexcept {
  auto& registers = context.uc_mcontext.gregs;
  const auto* const set = reinterpret_cast<const std::uint64_t*>(registers[REG_RSI]);
  auto* const old = reinterpret_cast<std::uint64_t*>(registers[REG_RDX]);
  auto& mask = *reinterpret_cast<std::uint64_t*>(&context.uc_sigmask);
  std::uint64_t kept = 0;
  for (const int signal : signals) kept |= std::uint64_t{1} << (signal - 1);
  if (registers[REG_R10] != 8 || set == nullptr) return false;
  const std::uint64_t wanted = *set;
  const std::uint64_t before = mask;
  switch (registers[REG_RDI]) {
    case SIG_BLOCK:
      mask |= wanted & ~kept;
      break;
    case SIG_UNBLOCK:
      mask &= ~wanted;
      break;
    case SIG_SETMASK:
      mask = wanted & ~kept;
      break;
    default:
      return false;
  }
  if (old != nullptr) *old = before;
  registers[REG_RAX] = 0;
  return true;
}

void judge_system_call(const greg_t* registers) noexcept {
  const auto begin = static_cast<std::uintptr_t>(registers[REG_RSI]);
  const auto count = static_cast<std::uintptr_t>(registers[REG_RDX]);
  if (begin + count < begin) return;
  switch (registers[REG_RAX]) {
    case SYS_read:
    case SYS_pread64:
      judge({begin, begin + count, false, true});
      break;
    case SYS_write:
    case SYS_pwrite64:
      judge({begin, begin + count, true, false});
      break;
    default:
      break;
  }
}

}  // namespace

void on_system_call(int, siginfo_t* info, void* context) noexcept {
  constexpr int user_dispatch = 2;  // SYS_USER_DISPATCH
  auto& unfinished = *static_cast<ucontext_t*>(context);
  auto& registers = unfinished.uc_mcontext.gregs;
  const bool guarded = is_guarded_thread();
  if (guarded) all.dispatch = dispatch_allow;
  lock();
  if (!guarded || info->si_code != user_dispatch) {
    chain(sys, info, context);
    if (guarded && all.closed) all.dispatch = dispatch_block;
    return;
  }
  // Nothing of plait is on these stacks but what the body has called: a step is never under way.
  open_pages();
  if (registers[REG_RAX] == SYS_rt_sigprocmask && change_signal_mask(unfinished)) {
    (void)close_pages();
    unlock();
    all.dispatch = dispatch_block;
    return;
  }
  registers[REG_RIP] -= 2;  // back to the instruction
  switch (registers[REG_RAX]) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_rt_sigreturn:
      give_up_checking();  // a child would begin in the middle of a step
      break;
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
      all.closed = false;
      break;
    default:
      judge_system_call(registers);
      // On the way out of the kernel the trap comes after the next instruction.
      all.stepping = true;
      all.stepping_system_call = true;
      all.stepping_string = false;
      registers[REG_EFL] |= trap_flag;
      break;
  }
  unlock();
}

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

bool dispatch_system_calls() noexcept {
  kernel_action action{};
  if (syscall(SYS_rt_sigaction, SIGSEGV, nullptr, &action, 8) != 0) return false;
  constexpr unsigned long restorer_bytes = 16;
  all.dispatch = dispatch_allow;
  return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
               reinterpret_cast<unsigned long>(action.restorer), restorer_bytes,
               &all.dispatch) == 0;
}

void stop_dispatching() noexcept {
  prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
}

}  // namespace plait::detail::guard

#endif
