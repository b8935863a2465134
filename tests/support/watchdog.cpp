// SPDX-License-Identifier: BSD-3-Clause
#include "watchdog.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <execinfo.h>
#include <plait/core/error.hpp>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
/// At the end of a program ThreadSanitizer waits a second for races of threads that still run.  A
/// test has ended its threads by then, all but the watchdog.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() {
  return "atexit_sleep_ms=0";
}

/// Open MPI 4.1 takes two locks of a TCP peer in both orders, in MPI_Init and where it drops one.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() {
  return "deadlock:mca_btl_tcp";
}
#endif

namespace plait::test {
namespace {

using namespace std::chrono_literals;

constexpr int max_frames = 48;

std::mutex name_mutex;
std::string current_test = "before the first test";

// One stack at a time is asked for: the watchdog sets `asked` and signals that thread, whose
// handler fills `frames` and posts `answered` (release/acquire through the semaphore).
std::atomic<pid_t> asked{0};
void* frames[max_frames];
int frame_count = 0;
sem_t answered;

pid_t thread_id() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

int stack_signal() {
  return SIGRTMIN + 7;
}

void answer(int) {
  const int saved_errno = errno;
  pid_t self = thread_id();
  if (asked.compare_exchange_strong(self, 0)) {
    frame_count = backtrace(frames, max_frames);
    sem_post(&answered);
  }
  errno = saved_errno;
}

struct stack {
  pid_t thread = 0;
  std::string name;
  std::vector<void*> addresses;
};

std::string thread_name(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

stack stack_of(pid_t thread) {
  stack result{thread, thread_name(thread), {}};
  asked.store(thread);
  if (syscall(SYS_tgkill, getpid(), thread, stack_signal()) != 0) return result;
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 2;
  while (sem_timedwait(&answered, &deadline) != 0) {
    if (errno == EINTR) continue;
    asked.store(0);
    return result;
  }
  // The first two frames are the handler and the kernel's trampoline.
  for (int i = 2; i < frame_count; ++i) result.addresses.push_back(frames[i]);
  return result;
}

std::vector<stack> stacks_of_others() {
  std::vector<stack> result;
  const pid_t self = thread_id();
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = static_cast<pid_t>(std::stol(entry.path().filename().string()));
    if (thread != self) result.push_back(stack_of(thread));
  }
  return result;
}

using names = std::map<void*, std::string>;

std::string module_file(const Dl_info& info) {
  // A program reports itself by argv[0], which need not lead to it.
  std::error_code ignored;
  if (std::filesystem::exists(info.dli_fname, ignored)) return info.dli_fname;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

// Asks addr2line (it comes with the compiler) once per module; without it, names come from the
// dynamic symbols, which hide what is static.
names symbolize(const std::vector<stack>& stacks) {
  std::map<std::string, std::vector<std::pair<void*, std::uintptr_t>>> modules;
  names result;
  for (const stack& each : stacks) {
    for (void* address : each.addresses) {
      Dl_info info{};
      if (result.contains(address) || dladdr(address, &info) == 0) continue;
      result[address] = info.dli_sname != nullptr ? info.dli_sname : info.dli_fname;
      // A return address is one past its call.
      const auto offset = reinterpret_cast<std::uintptr_t>(address) - 1 -
                          reinterpret_cast<std::uintptr_t>(info.dli_fbase);
      modules[module_file(info)].emplace_back(address, offset);
    }
  }
  for (const auto& [module, addresses] : modules) {
    std::string command = "addr2line -Cfpe '" + module + "'";
    char hex[32];
    for (const auto& [address, offset] : addresses) {
      std::snprintf(hex, sizeof hex, " 0x%zx", static_cast<std::size_t>(offset));
      command += hex;
    }
    std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) continue;
    char line[1024];
    for (const auto& [address, offset] : addresses) {
      if (std::fgets(line, sizeof line, pipe) == nullptr) break;
      std::string text(line);
      text.resize(text.find_last_not_of('\n') + 1);
      if (const auto unknown = text.find(" at ??:"); unknown != std::string::npos)
        text.resize(unknown);
      if (!text.starts_with("??")) result[address] = text;
    }
    pclose(pipe);
  }
  return result;
}

// Frames of GoogleTest and of the standard library's ways to call something: true, and no news.
bool is_noise(std::string_view name) {
  for (std::string_view word :
       {"testing::internal::", "testing::Test", "testing::UnitTest", "std::__invoke", "std::invoke",
        "std::thread::_", "std::_Bind", "std::_Function", "__libc_start", "_start", "clone3"}) {
    if (name.find(word) != name.npos) return true;
  }
  return false;
}

std::string stacks_text() {
  const std::vector<stack> stacks = stacks_of_others();
  names known = symbolize(stacks);
  std::string text;
  for (const stack& each : stacks) {
    text += "  thread " + std::to_string(each.thread) + " (" + each.name + ")";
    text += each.addresses.empty() ? " did not answer\n" : "\n";
    for (std::size_t i = 0; i < each.addresses.size(); ++i) {
      const std::string& name = known[each.addresses[i]];
      if (is_noise(name)) continue;
      text += "    #" + std::to_string(i) + "  " + (name.empty() ? "?" : name) + "\n";
    }
  }
  return text;
}

void print_hang(double limit_s) {
  std::string name;
  {
    std::lock_guard lock(name_mutex);
    name = current_test;
  }
  std::fflush(stdout);
  // One write for the whole text, so that ranks do not mix their lines.
  std::fprintf(stderr, "\n[  HANGS   ] %s: %s is not done after %.1f s; its threads:\n%s",
               process_label().c_str(), name.c_str(), limit_s, stacks_text().c_str());
  std::fflush(stderr);
}

void watch(double timeout_s) {
  const double limit_s = 0.8 * timeout_s;
  std::this_thread::sleep_for(std::chrono::duration<double>(limit_s));
  print_hang(limit_s);
  // The first rank to abort takes the job with it: let the others print first.
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(5.0, 0.1 * timeout_s)));
  std::signal(SIGABRT, SIG_DFL);  // the MPI library would add the stack of this thread
  std::abort();
}

}  // namespace

void set_current_test(std::string name) {
  std::lock_guard lock(name_mutex);
  current_test = std::move(name);
}

void start_watchdog() {
  void* warm_up[2];
  backtrace(warm_up, 2);  // loads libgcc now: a signal handler must not
  sem_init(&answered, 0, 0);
  struct sigaction action {};
  action.sa_handler = answer;
  action.sa_flags = SA_RESTART;
  sigaction(stack_signal(), &action, nullptr);

  const char* text = std::getenv("PLAIT_TEST_TIMEOUT_S");
  if (text == nullptr) return;
  double timeout_s = 0;
  const std::string_view view(text);
  const auto parsed = std::from_chars(view.data(), view.data() + view.size(), timeout_s);
  if (parsed.ec != std::errc{} || timeout_s <= 0) {
    std::fprintf(stderr, "PLAIT_TEST_TIMEOUT_S is '%s'; it must be a number of seconds above 0\n",
                 text);
    std::exit(2);
  }
  std::thread(watch, timeout_s).detach();
}

}  // namespace plait::test
