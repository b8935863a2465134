// SPDX-License-Identifier: BSD-3-Clause
// Handles faults on closed pages: notes what the instruction touches, and lets it through alone.
#include "task/checked/guarded_state.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <iterator>

#include <cpuid.h>
#include <sys/syscall.h>

namespace plait::detail::guard {

namespace {

/// A body that faults more often than this (a second or two) goes on with each page it faults on
/// left open.
constexpr std::uint64_t most_faults = 200'000;

[[nodiscard]] register_values registers_of(const ucontext_t& context) noexcept {
  const greg_t* from = context.uc_mcontext.gregs;
  constexpr int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                             REG_R12, REG_R13, REG_R14, REG_R15};
  register_values result;
  for (int i = 0; i < 16; ++i) result.general[i] = static_cast<std::uint64_t>(from[order[i]]);
  result.flags = static_cast<std::uint64_t>(from[REG_EFL]);
  const auto* saved = reinterpret_cast<const char*>(context.uc_mcontext.fpregs);
  if (saved != nullptr && all.opmask_offset != 0) {
    // The kernel's struct _xstate: 512 bytes as fxsave writes them, with a magic number in what
    // the processor leaves free, then the bit mask of the components present.
    std::uint32_t magic = 0;
    std::uint64_t present = 0;
    for (unsigned i = 0; i < 4; ++i)
      magic |= std::uint32_t{static_cast<unsigned char>(saved[464 + i])} << (8 * i);
    for (unsigned i = 0; i < 8; ++i)
      present |= std::uint64_t{static_cast<unsigned char>(saved[512 + i])} << (8 * i);
    constexpr std::uint32_t extended = 0x46505853;  // FP_XSTATE_MAGIC1
    if (magic == extended && (present & (1U << 5)) != 0) {
      result.opmasks = reinterpret_cast<const std::uint64_t*>(saved + all.opmask_offset);
    }
  }
  return result;
}

}  // namespace

bool is_guarded_thread() noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here >= all.stack_begin && here < all.stack_end;
}

void chain(int which, siginfo_t* info, void* context) noexcept {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const bool was_closed = all.closed;
  if (was_closed) open_pages();
  all.closed = false;
  if (all.stepping) registers[REG_EFL] &= ~trap_flag;
  all.stepping = false;
  const struct sigaction before = all.previous[which];
  unlock();
  const int signal = signals[which];
  if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    const kernel_action by_default{before.sa_handler, 0, nullptr, 0};
    system_call(SYS_rt_sigaction, signal, reinterpret_cast<long>(&by_default), 0, 8);
    // A fault happens again on return, what somebody sent does not.
    if (info->si_code <= 0 || which != segv) {
      system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), signal);
    }
    return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
  lock();
  if (was_closed) {
    (void)close_pages();
    all.closed = true;
  }
  unlock();
}

namespace {

constexpr std::uint64_t segv_bit = std::uint64_t{1} << (SIGSEGV - 1);

void change_mask(int how, std::uint64_t bits) noexcept {
  system_call(SYS_rt_sigprocmask, how, reinterpret_cast<long>(&bits), 0, sizeof bits);
}

/// Faults are blocked in handlers, but for what is between these two.
void begin_decoding() noexcept {
  all.decoders_count = 0;
  all.decoding = true;
  change_mask(SIG_UNBLOCK, segv_bit);
}

void end_decoding() noexcept {
  change_mask(SIG_BLOCK, segv_bit);
  all.decoding = false;
  for (int i = 0; i < all.decoders_count; ++i) {
    const std::uintptr_t page = all.decoders[i];
    (void)protect(page, page + page_bytes, find_pages(page)->closed);
  }
}

/// The thread's stack guard and what memset keeps about the processor may lie beside data.
void open_for_decoder(const siginfo_t& info, ucontext_t& context) noexcept {
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(info.si_addr) & ~(page_bytes - 1);
  const guarded_pages* const in = info.si_code == SEGV_ACCERR ? find_pages(page) : nullptr;
  if (in != nullptr && all.decoders_count < static_cast<int>(std::size(all.decoders)) &&
      !is_in(all.decoders, all.decoders_count, page)) {
    all.decoders[all.decoders_count++] = page;
    (void)protect(page, page + page_bytes, in->open);
    return;
  }
  // A fault happens again and ends the program, what somebody sent waits for the handler's end.
  *reinterpret_cast<std::uint64_t*>(&context.uc_sigmask) |= segv_bit;
  if (info.si_code <= 0) {
    system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGSEGV);
  }
}

void judge_instruction(const ucontext_t& context, std::uintptr_t fault, bool write) noexcept {
  const auto at = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  begin_decoding();
  const touched_memory found =
      decode_touched(reinterpret_cast<const std::uint8_t*>(at), registers_of(context), fault);
  end_decoding();
  all.stepping_string = found.repeated;
  all.step_at = at;
  for (int i = 0; i < found.count; ++i) {
    const memory_operand& operand = found.operands[i];
    if (fault < operand.begin || fault >= operand.end) continue;
    if (!is_overread(at, operand)) judge(operand);
    return;
  }
  judge({fault, fault + 1, !write, write});
}

/// Returns whether the page may have been opened since the fault.  One that the program itself has
/// protected faults for ever; but a thread that goes over data again and again may be late at one
/// place more than once.
[[nodiscard]] bool may_be_late(std::uintptr_t fault, const ucontext_t& context) noexcept {
  constexpr int for_ever = 10'000;
  const auto at = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  const bool again = all.late_fault == fault && all.late_at == at;
  all.late_fault = fault;
  all.late_at = at;
  all.late_times = again ? all.late_times + 1 : 0;
  return all.late_times < for_ever;
}

/// Lets an instruction go on that faulted on a closed page.  Returns false if the fault came from
/// elsewhere.
[[nodiscard]] bool let_through(const siginfo_t& info, ucontext_t& context, bool guarded) noexcept {
  constexpr greg_t page_fault = 14;
  constexpr greg_t by_write = 2;
  auto& registers = context.uc_mcontext.gregs;
  const auto fault = reinterpret_cast<std::uintptr_t>(info.si_addr);
  const std::uintptr_t page = fault & ~(page_bytes - 1);
  if (info.si_code != SEGV_ACCERR || registers[REG_TRAPNO] != page_fault) return false;
  const guarded_pages* const in = find_pages(fault);
  if (in == nullptr) return !guarded && may_be_late(fault, context);  // forgotten since
  const bool write = (registers[REG_ERR] & by_write) != 0;
  if ((in->open & (write ? PROT_WRITE : PROT_READ)) == 0) return false;
  if (!all.closed || is_in(all.left_open, all.left_open_count, page)) {
    return may_be_late(fault, context);
  }
  if (!guarded) {
    leave_open(*in, page);
    return true;
  }
  if (all.stepping && is_in(all.opened, all.opened_count, page)) return false;
  judge_instruction(context, fault, write);
  if (++all.faults > most_faults || all.opened_count == static_cast<int>(std::size(all.opened))) {
    all.incomplete = true;
    leave_open(*in, page);
    return true;
  }
  (void)protect(page, page + page_bytes, in->open);
  all.opened[all.opened_count++] = page;
  all.stepping = true;
  registers[REG_EFL] |= trap_flag;
  return true;
}

}  // namespace

void on_fault(int, siginfo_t* info, void* context) noexcept {
  const bool guarded = is_guarded_thread();
  if (guarded && all.decoding) {
    open_for_decoder(*info, *static_cast<ucontext_t*>(context));
    return;
  }
  const char dispatch = all.dispatch;
  if (guarded) all.dispatch = dispatch_allow;
  lock();
  if (let_through(*info, *static_cast<ucontext_t*>(context), guarded)) {
    unlock();
  } else {
    chain(segv, info, context);
  }
  if (guarded && all.closed) all.dispatch = dispatch;
}

namespace {

/// Returns true if the repeated string instruction goes on in pages that are open already.
[[nodiscard]] bool string_goes_on(const ucontext_t& context) noexcept {
  const auto& registers = context.uc_mcontext.gregs;
  constexpr int most_pages = 4;  // two of its elements
  if (!all.stepping_string || static_cast<std::uint64_t>(registers[REG_RIP]) != all.step_at ||
      all.opened_count > most_pages) {
    return false;
  }
  for (const int pointer : {REG_RSI, REG_RDI}) {
    const std::uintptr_t page = static_cast<std::uintptr_t>(registers[pointer]) & ~(page_bytes - 1);
    if (is_in(all.opened, all.opened_count, page)) return true;
  }
  return false;
}

}  // namespace

void on_trap(int, siginfo_t* info, void* context) noexcept {
  const bool guarded = is_guarded_thread();
  if (guarded) all.dispatch = dispatch_allow;
  lock();
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (!guarded || !all.stepping || info->si_code <= 0) {
    chain(trap, info, context);
  } else if (!string_goes_on(*static_cast<ucontext_t*>(context))) {
    registers[REG_EFL] &= ~trap_flag;
    if (all.closed && all.stepping_system_call) {
      (void)close_pages();
    } else if (all.closed) {
      for (int i = 0; i < all.opened_count; ++i) {
        const std::uintptr_t page = all.opened[i];
        const guarded_pages* const in = find_pages(page);
        if (in == nullptr || is_in(all.left_open, all.left_open_count, page)) continue;
        (void)protect(page, page + page_bytes, in->closed);
      }
    }
    all.stepping = false;
    all.stepping_system_call = false;
    all.opened_count = 0;
    unlock();
  } else {
    unlock();
  }
  if (guarded && all.closed && all.can_dispatch) all.dispatch = dispatch_block;
}

unsigned find_opmasks() noexcept {
  constexpr unsigned xsave_leaf = 0xD;
  constexpr unsigned opmask_component = 5;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(xsave_leaf, opmask_component, &a, &b, &c, &d) == 0 || a == 0) return 0;
  return b;
}

}  // namespace plait::detail::guard

#endif
