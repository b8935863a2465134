// SPDX-License-Identifier: BSD-3-Clause
// Built without stack protection and without calls to memcpy and its kin that the source does not
// make (src/CMakeLists.txt): see the last paragraph of page_guard's description.
#include "task/checked/page_guard.hpp"

#include <plait/core/error.hpp>

#if defined(__x86_64__) && defined(__linux__)

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iterator>
#include <limits>
#include <new>
#include <string>

#include <cpuid.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "task/checked/memory_operand.hpp"

namespace plait::detail {
namespace {

constexpr std::uintptr_t page_bytes = page_guard::page_bytes;
constexpr std::size_t handler_stack_bytes = 256 * 1024;

/// A body that faults more often than this (a second or two) goes on with each page it faults on
/// left open.
constexpr std::uint64_t most_faults = 200'000;

long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) noexcept {
  long result = number;
  register long fourth asm("r10") = d;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
}

[[nodiscard]] bool protect(std::uintptr_t begin, std::uintptr_t end, int protection) noexcept {
  return system_call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin),
                     protection) == 0;
}

/// An array in pages of its own.
template <class T>
struct page_array {
  T* data = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;
  std::size_t mapped_bytes = 0;

  void reserve(std::size_t wanted) {
    if (wanted <= capacity) return;
    const std::size_t count = std::max(2 * capacity, wanted);
    const std::size_t bytes = (count * sizeof(T) + page_bytes - 1) / page_bytes * page_bytes;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    T* const fresh = static_cast<T*>(memory);
    std::copy(data, data + size, fresh);
    if (data != nullptr) munmap(data, mapped_bytes);
    data = fresh;
    capacity = bytes / sizeof(T);
    mapped_bytes = bytes;
  }
  void assign(const std::vector<T>& from) {
    std::copy(from.begin(), from.end(), data);
    size = from.size();
  }
};

struct code_range {
  std::uintptr_t begin = 0;
  bool overreads = false;
};

enum : int { segv = 0, trap = 1, sys = 2 };
constexpr int signals[3] = {SIGSEGV, SIGTRAP, SIGSYS};

/// All the handlers use.  On pages of its own.
struct alignas(page_bytes) everything {
  /// The kernel reads it at each system call of the guarded thread.
  volatile char dispatch = 0;  // SYSCALL_DISPATCH_FILTER_ALLOW
  bool claimed = false;
  bool can_dispatch = false;
  std::atomic<bool> busy{false};  ///< a lock on what follows
  bool closed = false;
  page_array<byte_range> unreadable;
  page_array<byte_range> unwritable;
  page_array<guarded_pages> pages;
  page_array<touched_bytes> touched;
  std::uint64_t faults = 0;
  bool incomplete = false;

  // The guarded thread lets one instruction through.
  bool stepping = false;
  bool stepping_system_call = false;
  bool stepping_string = false;
  std::uint64_t step_at = 0;
  std::uintptr_t opened[64] = {};
  int opened_count = 0;
  /// While the decoder, a library, runs: pages that it has used, closed again behind it.
  bool decoding = false;
  std::uintptr_t decoders[16] = {};
  int decoders_count = 0;
  /// Left open until the next `close`.
  std::uintptr_t left_open[256] = {};
  int left_open_count = 0;

  // A fault of another thread that was noticed when all was open again.
  std::uintptr_t late_fault = 0;
  std::uint64_t late_at = 0;

  std::uintptr_t stack_begin = 0;
  std::uintptr_t stack_end = 0;
  unsigned opmask_offset = 0;  ///< in what the kernel saves; 0: there is none
  code_range string_code[48] = {};
  int string_code_count = 0;
  struct sigaction previous[3] = {};
  stack_t previous_stack = {};
};
constinit everything all;

void lock() noexcept {
  while (all.busy.exchange(true, std::memory_order_acquire)) asm volatile("pause");
}
void unlock() noexcept {
  all.busy.store(false, std::memory_order_release);
}

constexpr char dispatch_allow = 0;
constexpr char dispatch_block = 1;

[[nodiscard]] const guarded_pages* find_pages(std::uintptr_t address) noexcept {
  std::size_t low = 0;
  std::size_t high = all.pages.size;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (all.pages.data[middle].end <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == all.pages.size || all.pages.data[low].begin > address) return nullptr;
  return &all.pages.data[low];
}

[[nodiscard]] bool is_in(const std::uintptr_t* list, int count, std::uintptr_t page) noexcept {
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

[[nodiscard]] bool close_pages() noexcept {
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

// --- what is forbidden ---------------------------------------------------------------------------

void note(std::uintptr_t begin, std::uintptr_t end, bool write) noexcept {
  page_array<touched_bytes>& list = all.touched;
  // Loops touch a few ranges in turn.
  const std::size_t look_at = list.size < 8 ? list.size : 8;
  for (std::size_t back = 1; back <= look_at; ++back) {
    touched_bytes& known = list.data[list.size - back];
    if (known.write != write || begin > known.end || end < known.begin) continue;
    if (begin < known.begin) known.begin = begin;
    if (end > known.end) known.end = end;
    return;
  }
  if (list.size == list.capacity) {
    all.incomplete = true;
    return;
  }
  list.data[list.size++] = {begin, end, write};
}

/// Notes which of [begin, end) are in `forbidden`.
void judge(const page_array<byte_range>& forbidden, std::uintptr_t begin, std::uintptr_t end,
           bool write) noexcept {
  std::size_t low = 0;
  std::size_t high = forbidden.size;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (forbidden.data[middle].end <= begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < forbidden.size && forbidden.data[low].begin < end; ++low) {
    const byte_range& bytes = forbidden.data[low];
    note(bytes.begin > begin ? bytes.begin : begin, bytes.end < end ? bytes.end : end, write);
  }
}

void judge(const memory_operand& operand) noexcept {
  if (operand.reads) judge(all.unreadable, operand.begin, operand.end, false);
  if (operand.writes) judge(all.unwritable, operand.begin, operand.end, true);
}

/// strlen and its kin read up to some 250 bytes before and after what they are given, never in
/// another page.
[[nodiscard]] bool is_overread(std::uint64_t code, const memory_operand& operand) noexcept {
  constexpr std::uintptr_t longest = 256;
  constexpr std::uint64_t longest_code = 8192;
  if (operand.writes) return false;
  const code_range* nearest = nullptr;
  for (int i = 0; i < all.string_code_count; ++i) {
    if (all.string_code[i].begin <= code) nearest = &all.string_code[i];
  }
  if (nearest == nullptr || !nearest->overreads || code - nearest->begin > longest_code) {
    return false;
  }
  const std::uintptr_t page = operand.begin & ~(page_bytes - 1);
  const std::uintptr_t begin = operand.begin - page < longest ? page : operand.begin - longest;
  const std::uintptr_t end = std::min(operand.end + longest, page + page_bytes);
  for (std::size_t i = 0; i < all.unreadable.size; ++i) {
    const byte_range& bytes = all.unreadable.data[i];
    if (bytes.begin <= begin && end <= bytes.end) return false;  // nothing else it could be after
  }
  return true;
}

// --- handlers ------------------------------------------------------------------------------------

constexpr greg_t trap_flag = 0x100;

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

[[nodiscard]] bool is_guarded_thread() noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here >= all.stack_begin && here < all.stack_end;
}

/// The kernel's own view of a disposition.
struct kernel_action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

/// Not ours: as if this handler were not there.  With the lock held; returns without it.
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

/// Whether the fault came from a closed page; then the instruction may go on.
[[nodiscard]] bool let_through(const siginfo_t& info, ucontext_t& context, bool guarded) noexcept {
  constexpr greg_t page_fault = 14;
  constexpr greg_t by_write = 2;
  auto& registers = context.uc_mcontext.gregs;
  const auto fault = reinterpret_cast<std::uintptr_t>(info.si_addr);
  const std::uintptr_t page = fault & ~(page_bytes - 1);
  if (info.si_code != SEGV_ACCERR || registers[REG_TRAPNO] != page_fault) return false;
  const guarded_pages* const in = find_pages(fault);
  if (in == nullptr) return false;
  const bool write = (registers[REG_ERR] & by_write) != 0;
  if ((in->open & (write ? PROT_WRITE : PROT_READ)) == 0) return false;
  if (!all.closed || is_in(all.left_open, all.left_open_count, page)) {
    // Opened since; or it is a page that the program itself has protected.
    const auto at = static_cast<std::uint64_t>(registers[REG_RIP]);
    const bool again = all.late_fault == fault && all.late_at == at;
    all.late_fault = fault;
    all.late_at = at;
    return !again;
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

/// Whether the string instruction goes on in pages that are open already.
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

// --- being there ---------------------------------------------------------------------------------

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

/// Where the C library's functions are that read beyond what they are given, and where those that
/// do not.
void find_string_code() {
  constexpr const char* overreading[] = {
      "strlen",    "strnlen", "strchr", "strchrnul",  "strrchr",     "strcmp",  "strncmp",
      "strcpy",    "strncpy", "stpcpy", "stpncpy",    "strcat",      "strncat", "strcspn",
      "strspn",    "strpbrk", "strstr", "strcasecmp", "strncasecmp", "memchr",  "memrchr",
      "rawmemchr", "memcmp",  "wcslen", "wcsnlen",    "wcschr",      "wmemchr"};
  constexpr const char* exact[] = {"memcpy", "memmove", "mempcpy", "memset", "wmemset"};
  all.string_code_count = 0;
  const auto add = [](const char* name, bool overreads) {
    void* const address = dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) return;
    all.string_code[all.string_code_count++] = {reinterpret_cast<std::uintptr_t>(address),
                                                overreads};
  };
  for (const char* name : overreading) add(name, true);
  for (const char* name : exact) add(name, false);
  std::sort(all.string_code, all.string_code + all.string_code_count,
            [](const code_range& a, const code_range& b) { return a.begin < b.begin; });
}

[[nodiscard]] unsigned find_opmasks() noexcept {
  constexpr unsigned xsave_leaf = 0xD;
  constexpr unsigned opmask_component = 5;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(xsave_leaf, opmask_component, &a, &b, &c, &d) == 0 || a == 0) return 0;
  return b;
}

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

/// Returning from a signal is a system call too; it stays allowed.
[[nodiscard]] bool dispatch_system_calls() noexcept {
  kernel_action action{};
  if (syscall(SYS_rt_sigaction, SIGSEGV, nullptr, &action, 8) != 0) return false;
  constexpr unsigned long restorer_bytes = 16;
  all.dispatch = dispatch_allow;
  return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
               reinterpret_cast<unsigned long>(action.restorer), restorer_bytes,
               &all.dispatch) == 0;
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
  if (all.can_dispatch) prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
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
