// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/lifetime.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "attach/after/rank_profile.hpp"
#include "attach/books/clocks.hpp"
#include "attach/books/end_of_run.hpp"
#include "attach/calls/call.hpp"
#include "attach/progress/looking_thread.hpp"
#include "comm/leave_together.hpp"

namespace plait::attach {

session& attached = *new session;
std::atomic<bool> is_attached{false};

namespace {

bool has_begun = false;  ///< MPI_Init was seen
int level_above = -1;    ///< the program's own; -1: what the library says

/// Calls of this thread pass through for a scope.
class own_calls {
 public:
  own_calls() noexcept : before_(own_thread.depth) { own_thread.depth = 1; }
  ~own_calls() { own_thread.depth = before_; }
  own_calls(const own_calls&) = delete;
  own_calls& operator=(const own_calls&) = delete;

 private:
  int before_;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "plait attach: %s\n", why.c_str());
  std::_Exit(2);
}

/// Programs that this one starts are none of ours.
void leave_environment() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  if (preloaded == nullptr) return;
  const char* opened = std::getenv("PLAIT_ATTACH_OPENED");
  std::string rest;
  const std::string all = preloaded;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find_first_of(": ", at), all.size());
    const std::string one = all.substr(at, end - at);
    const bool is_ours = one.find("libplait_attach.so") != std::string::npos;
    if (!one.empty() && !is_ours && (opened == nullptr || one != opened)) {
      rest += (rest.empty() ? "" : ":") + one;
    }
    at = end + 1;
  }
  if (rest.empty()) {
    unsetenv("LD_PRELOAD");
  } else {
    setenv("LD_PRELOAD", rest.c_str(), 1);
  }
}

void describe_process(profile_header& h) {
  h.pid = static_cast<std::int32_t>(getpid());
  h.boot = boot_number();
  h.seconds_per_tick = seconds_per_tick();
  gethostname(h.host, sizeof h.host - 1);
  const ssize_t length = readlink("/proc/self/exe", h.program, sizeof h.program - 1);
  if (length < 0) std::strcpy(h.program, "?");
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int size = 0;
  PLAIT_REAL(MPI_Get_library_version)(text, &size);
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  std::memcpy(h.mpi, text, strnlen(text, sizeof h.mpi - 1));
}

double queued_at_begin_s = -1;

/// Seconds in which the process's first thread was ready and did not run; -1 where the kernel does
/// not count them.
[[nodiscard]] double queued_s() noexcept {
  std::FILE* file = std::fopen("/proc/self/schedstat", "re");
  if (file == nullptr) return -1;
  unsigned long long ran_ns = 0;
  unsigned long long queued_ns = 0;
  const int found = std::fscanf(file, "%llu %llu", &ran_ns, &queued_ns);
  std::fclose(file);
  return found == 2 ? 1e-9 * static_cast<double>(queued_ns) : -1;
}

void note_cores(profile_header& to) noexcept {
  queued_at_begin_s = queued_s();
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(getpid(), sizeof mask, &mask) != 0) return;
  for (int core = 0; core < most_cores; ++core) {
    if (CPU_ISSET(core, &mask)) to.cores[core / 64] |= std::uint64_t{1} << (core % 64);
  }
}

void note_queued(profile_header& to) noexcept {
  const double now_s = queued_s();
  if (queued_at_begin_s >= 0 && now_s >= 0) to.queued_s = now_s - queued_at_begin_s;
}

/// The child of a fork has no part in this: it shares the parent's memory of notes, and has none of
/// its threads.
void leave_child() noexcept {
  is_attached.store(false, std::memory_order_relaxed);
}

/// A program of several that were started by others has a world of its own.
[[nodiscard]] bool was_spawned() {
  MPI_Comm parent = constants.comm_null;
  PLAIT_REAL(MPI_Comm_get_parent)(&parent);
  return parent != constants.comm_null;
}

void begin_session(int level) {
  own_calls ours;
  leave_environment();
  has_begun = true;
  if (was_spawned()) return;
  find_fortran_entries();
  find_python();
  int rank = 0;
  int ranks = 0;
  PLAIT_REAL(MPI_Comm_dup)(constants.comm_world, &attached.own);
  PLAIT_REAL(MPI_Comm_rank)(attached.own, &rank);
  PLAIT_REAL(MPI_Comm_size)(attached.own, &ranks);
  const settings& asked = attached.asked;
  if (!asked.json.empty()) remove_forgotten_profiles(asked.folder);
  const std::string path = asked.json.empty() ? "" : profile_path(asked.folder, asked.json, rank);
  attached.notes.open(path, static_cast<std::size_t>(ranks), asked.has(switch_trace));
  profile_header& h = attached.notes.header();
  h.rank = rank;
  h.ranks = ranks;
  h.switches = asked.switches;
  describe_process(h);
  h.job = mix(static_cast<std::uint64_t>(now_ticks()), static_cast<std::uint64_t>(h.pid));
  PLAIT_REAL(MPI_Bcast)(&h.job, sizeof h.job, constants.byte, 0, attached.own);
  attached.spaces.begin(rank);
  attached.locks_books = level == MPI_THREAD_MULTIPLE;
  attached.notes_calls = asked.has(switch_trace);
  attached.verifies = asked.has(switch_verify);
  align_clocks(attached, 0);
  counters.open(asked.counts_clock);
  set_price_of_readings();
  pthread_atfork(nullptr, nullptr, leave_child);
  start_looking(level);
  own_thread.is_main = true;
  note_cores(h);
  h.magic = profile_magic;
  h.begin = h.end = own_thread.last_exit = now_ticks();
  is_attached.store(true, std::memory_order_release);
}

[[nodiscard]] bool wants_to_attach() {
  static const bool wanted = std::getenv("PLAIT_ATTACH") != nullptr;
  return wanted;
}

void prepare() {
  if (const std::string why = wrong_library(); !why.empty()) refuse(why);
  std::string wrong;
  attached.asked = read_settings(wrong);
  if (!wrong.empty()) refuse(wrong);
  find_constants();
}

/// A program that looks MPI's functions up in the library that it has opened calls them there.
void say_what_was_missed() {
  if (!is_library_in_use()) return;
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    const char* rank = std::getenv(variable);
    if (rank != nullptr && std::strcmp(rank, "0") != 0) return;
  }
  std::fprintf(stderr,
               "plait attach: nothing was measured: the program has looked up MPI_Init in %s by "
               "itself (dlsym), and no library can be put in front of that\n",
               PLAIT_MPI_SONAME);
}

/// A program that ends without MPI_Finalize: its launcher ends the other ranks, so that each that
/// can writes what is known.
__attribute__((destructor)) void note_exit() {
  if (!has_begun && wants_to_attach()) say_what_was_missed();
  if (!is_attached.exchange(false)) return;
  profile_header& h = attached.notes.header();
  if (h.pid != static_cast<std::int32_t>(getpid())) return;
  // The progress thread enters MPI no more; the library underneath may be taken down next.
  if (attached.locks_token && own_thread.depth == 0) attached.token.close();
  own_thread.depth = 1;
  h.end = now_ticks();
  h.state = run_state::exited;
  note_queued(h);
  write_what_is_known(attached, h.rank == 0);
}

}  // namespace

int init(int* argc, char*** argv, decltype(&MPI_Init) next, const call_place& from) {
  if (own_thread.depth != 0) return PLAIT_REAL(MPI_Init)(argc, argv);
  if (!wants_to_attach()) return next(argc, argv);
  prepare();
  int provided = MPI_THREAD_SINGLE;
  if (attached.asked.has(switch_progress)) {
    const bool is_library = next == PLAIT_REAL(MPI_Init);
    return init_thread(argc, argv, MPI_THREAD_SINGLE, &provided,
                       is_library ? PLAIT_REAL(MPI_Init_thread) : PLAIT_NEXT(MPI_Init_thread),
                       from);
  }
  int result = MPI_SUCCESS;
  {
    own_calls ours;
    result = next(argc, argv);
    PLAIT_REAL(MPI_Query_thread)(&provided);
  }
  if (result == MPI_SUCCESS) begin_session(provided);
  return result;
}

int init_thread(int* argc, char*** argv, int required, int* provided,
                decltype(&MPI_Init_thread) next, const call_place&) {
  if (own_thread.depth != 0) return PLAIT_REAL(MPI_Init_thread)(argc, argv, required, provided);
  if (!wants_to_attach()) return next(argc, argv, required, provided);
  prepare();
  int result = MPI_SUCCESS;
  int given = 0;
  {
    own_calls ours;
    const bool raises = attached.asked.has(switch_progress) && required < MPI_THREAD_SERIALIZED;
    const int asked = raises ? MPI_THREAD_SERIALIZED : required;
    result = next(argc, argv, asked, &given);
    if (raises) level_above = std::min(required, given);
  }
  *provided = level_above >= 0 ? level_above : given;
  if (result == MPI_SUCCESS) begin_session(given);
  return result;
}

int query_thread(int* provided, decltype(&MPI_Query_thread) next, call_place from) {
  if (is_inside_mpi(from)) return PLAIT_REAL(MPI_Query_thread)(provided);
  if (passes_through(call_id::MPI_Query_thread, from)) return next(provided);
  call here(call_id::MPI_Query_thread, from);
  here.entered();
  const int result = next(provided);
  here.returned();
  if (result == MPI_SUCCESS && level_above >= 0) *provided = level_above;
  return result;
}

int finalize(decltype(&MPI_Finalize) next, call_place from) {
  // Not called from inside MPI: a call that seems to be under way has been abandoned.
  if (own_thread.depth != 0 && !end_abandoned_call(UINTPTR_MAX)) return PLAIT_REAL(MPI_Finalize)();
  if (passes_through(call_id::MPI_Finalize, from)) return next();
  {
    call here(call_id::MPI_Finalize, from);
    here.entered();
    here.returned();
  }
  is_attached.store(false, std::memory_order_release);
  own_calls ours;
  stop_looking();
  profile_header& h = attached.notes.header();
  h.state = run_state::finalized;
  note_queued(h);
  align_clocks(attached, 1);
  measure_network(attached);
  collect_and_write(attached);
  attached.notes.remove_file();
  if (h.ranks > 1) leave_together(attached.own, PLAIT_REAL(MPI_Ibarrier), PLAIT_REAL(MPI_Test), 1);
  PLAIT_REAL(MPI_Comm_free)(&attached.own);
  return next();
}

/// No token: the thread that holds it may never come back.
int abort_job(MPI_Comm comm, int code, decltype(&MPI_Abort) next, call_place from) {
  if (is_inside_mpi(from)) return PLAIT_REAL(MPI_Abort)(comm, code);
  if (passes_through(call_id::MPI_Abort, from)) return next(comm, code);
  is_attached.store(false, std::memory_order_relaxed);
  own_calls ours;
  profile_header& h = attached.notes.header();
  h.end = now_ticks();
  h.state = run_state::aborted;
  note_queued(h);
  const int site =
      attached.notes.find_site(static_cast<int>(call_id::MPI_Abort), from, own_thread.region);
  attached.notes.site(site).count++;
  write_what_is_known(attached, true);
  return next(comm, code);
}

}  // namespace plait::attach
