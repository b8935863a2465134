// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include <mpi.h>
#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/mpi.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/core/fair_share.hpp>
#include <sched.h>
#include <unistd.h>

#include "comm/introduction.hpp"
#include "comm/leave_together.hpp"
#include "comm/matching/matching_space.hpp"
#include "comm/mpi_call.hpp"
#include "comm/native.hpp"
#include "comm/one_sided/rma_window.hpp"
#include "comm/transport_settings.hpp"

namespace plait {
namespace {

constexpr int clock_tag = 1;
constexpr int gather_tag = 2;
constexpr int clock_round_trips = 30;
constexpr unsigned longest_abort_s = 2;

std::atomic<bool> mpi_is_up{false};

/// The end of all ranks.  A launcher that is told of it kills them and drops what it has not read
/// of their output, so it is given the time to.  [MPICH 4.0: 5 of 120 jobs ended without a word,
/// with this pause none of 200]  The library waits for the launcher's answer; where none comes, the
/// alarm ends this process, and a launcher ends the others when it notices.
[[noreturn]] void abort_all(int exit_code) noexcept {
  std::fflush(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::signal(SIGALRM, SIG_DFL);
  alarm(longest_abort_s);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

void end_job() noexcept {
  if (mpi_is_up.load()) abort_all(1);
  std::fflush(nullptr);
  std::abort();
}

/// For an exception that leaves `main` (or a thread): one line, then the end of all ranks.
[[noreturn]] void on_terminate() noexcept {
  std::string what = "the program called std::terminate";
  if (const auto current = std::current_exception()) {
    what = "uncaught exception: " + exception_text(current);
  }
  detail::print_last_words(what);
  end_job();
  std::abort();
}

[[nodiscard]] const char* level_name(int level) {
  return level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";
}

/// For a level below MPI_THREAD_SERIALIZED.
[[nodiscard]] std::string too_few_threads(bool by_the_program, int provided) {
  const std::string level = level_name(provided);
  if (!by_the_program) {
    return "the MPI library offers " + level + " only; plait needs MPI_THREAD_SERIALIZED";
  }
  return "the program initialised MPI with " + level +
         " before it made plait::environment, which needs MPI_THREAD_SERIALIZED; leave MPI_Init to "
         "plait::environment, or call MPI_Init_thread(..., MPI_THREAD_SERIALIZED, ...)";
}

[[nodiscard]] std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

/// Calls `use(begin, size)` for parts of `text` that an int counts.
void in_pieces(auto& text, const auto& use) {
  constexpr std::size_t largest = std::size_t{1} << 30;
  for (std::size_t at = 0; at < text.size(); at += largest)
    use(text.data() + at, static_cast<int>(std::min(text.size() - at, largest)));
}

/// Errors: those of an environment that is a guest.
void expect_host(const guest_of& program) {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started == 0 || ended != 0) {
    throw error(std::string("MPI ") + (ended != 0 ? "has ended" : "is not initialised") +
                ": plait joins a program between its MPI_Init_thread and MPI_Finalize");
  }
  int provided = MPI_THREAD_SINGLE;
  mpi_call(MPI_Query_thread(&provided), "MPI_Query_thread");
  if (provided < MPI_THREAD_SERIALIZED) {
    throw error(std::string("the program initialised MPI with ") + level_name(provided) +
                "; plait needs MPI_Init_thread(..., MPI_THREAD_SERIALIZED, ...) or more");
  }
  if (mpi_is_up) throw error("another plait::environment lives; a process has one at a time");
  if (program.ranks == MPI_COMM_NULL) {
    throw usage_error(
        "the communicator is MPI_COMM_NULL; ranks that are no members leave plait alone");
  }
  int is_inter = 0;
  mpi_call(MPI_Comm_test_inter(program.ranks, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0) throw usage_error("plait does not run on an intercommunicator");
}

}  // namespace

environment::environment(int& argc, char**& argv)
    : native_(std::make_unique<native_handles>()), host_(host_name()) {
  native_->handlers.emplace(&on_terminate);
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) {
    throw error(
        "MPI has ended already, with MPI_Finalize or with an earlier plait::environment; a process "
        "makes one environment, which lives until its last use of MPI");
  }
  int initialized = 0;
  MPI_Initialized(&initialized);
  int provided = MPI_THREAD_SINGLE;
  if (initialized == 0) {
    transport_settings_ = detail::set_transport_defaults();
    mpi_call(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    finalize_ = true;
  } else {
    mpi_call(MPI_Query_thread(&provided), "MPI_Query_thread");
  }
  native_->whole = MPI_COMM_WORLD;
  begin();
  if (provided < MPI_THREAD_SERIALIZED) throw error(too_few_threads(initialized != 0, provided));
  native_->handlers->take_world();
  open();
}

environment::environment(const guest_of& program)
    : native_(std::make_unique<native_handles>()), host_(host_name()) {
  expect_host(program);
  native_->whole = program.ranks;
  begin();
  try {
    open();
  } catch (...) {  // the program goes on
    set_abort_handler(nullptr);
    mpi_is_up = false;
    throw;
  }
}

/// Notes rank and size, and has a broken precondition end the job from now on.
void environment::begin() {
  MPI_Comm_rank(native_->whole, &rank_);
  MPI_Comm_size(native_->whole, &size_);
  set_process_label("rank " + std::to_string(rank_) + " on " + host_);
  mpi_is_up = true;
  set_abort_handler(&end_job);
  exceptions_at_start_ = std::uncaught_exceptions();
}

void environment::open() {
  for (MPI_Comm* comm : {&native_->program, &native_->internal, &native_->leaving}) {
    mpi_call(MPI_Comm_dup(native_->whole, comm), "MPI_Comm_dup");
    mpi_call(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  meet_the_others();
}

std::string environment::prepare_transport() {
  return detail::set_transport_defaults();
}

/// One collective call for all that ranks want to know of each other: where ranks share cores and
/// spin while they wait, each call takes a time slice for every rank of a core.  Ranks share a node
/// if they run on one kernel and, for an emulated cluster has several nodes on one, under one host
/// name.
void environment::meet_the_others() {
  const introduction mine = introduce(host_);
  std::vector<introduction> all(static_cast<std::size_t>(size_));
  mpi_call(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                         native_->internal),
           "MPI_Allgather");
  hosts_.reserve(all.size());
  for (int r = 0; r < size_; ++r) {
    const introduction& one = all[static_cast<std::size_t>(r)];
    hosts_.emplace_back(one.host.data());
    if (one.has_rdma_card != 0) native_->has_rdma_card = true;
    if (one.shares_node_with(mine)) neighbours_.push_back({r, units_of(one)});
  }
  set_working([](int) { return true; });
}

void environment::set_working(const std::function<bool(int rank)>& works) {
  node_units_.clear();
  for (const neighbour& one : neighbours_) {
    if (one.rank != rank_ && !works(one.rank)) continue;
    if (one.rank == rank_) node_rank_ = static_cast<int>(node_units_.size());
    node_units_.push_back(one.units);
  }
}

environment::~environment() {
  if (std::uncaught_exceptions() > exceptions_at_start_) {
    // The other ranks would wait for this one in MPI_Finalize.
    abort("left by an exception");
  }
  const auto tell = [this](departures::stage at) {
    if (gave_up_) native_->left.tell(native_->internal, rank_, size_, at);
  };
  tell(departures::leaves);
  for (const auto& what : at_end_) what();
  tell(departures::takes_part_in_nothing);
  if (size_ > 1) {
    native_->left.end_together(native_->leaving, native_->internal, *this, gave_up_,
                               processes_a_unit(node_units_, node_rank_));
  }
  for (const auto& space : native_->spaces) {
    if (!space->given_up) space->close();
  }
  MPI_Comm_free(&native_->program);
  MPI_Comm_free(&native_->internal);
  MPI_Comm_free(&native_->leaving);
  rma_window::free_what_is_left();
  if (finalize_ && size_ > 1) {
    leave_together(MPI_COMM_WORLD, MPI_Ibarrier, MPI_Test,
                   processes_a_unit(node_units_, node_rank_));
  }
  if (native_->handlers.has_value()) native_->handlers->give_back_world();
  set_abort_handler(nullptr);
  mpi_is_up = false;
  if (finalize_) MPI_Finalize();
}

void environment::abort(const std::string& message, int exit_code) const noexcept {
  detail::print_last_words(message);
  abort_all(exit_code);
}

std::string environment::mpi_version() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  while (!version.empty() && version.back() == '\0') version.pop_back();
  version = version.substr(0, version.find(", package"));
  if (const auto end = version.find('\n'); end != std::string::npos) version.resize(end);
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version;
}

void environment::barrier() {
  native_access::await_all(*this, native_->internal);
}

void native_access::await_all(environment& env, MPI_Comm comm) {
  complete(env, comm == of(env).internal,
           [comm](MPI_Request* request) { mpi_call(MPI_Ibarrier(comm, request), "MPI_Ibarrier"); });
}

/// Engines move on between two tests, so that a rank which waits here cannot hold up what another
/// one waits for.
void native_access::complete(environment& env, bool all_ranks,
                             const std::function<void(MPI_Request*)>& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    mpi_token_guard guard(env.token());
    start(&request);
  }
  for (;;) {
    {
      mpi_token_guard guard(env.token());
      int flag = 0;
      mpi_call(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
      if (flag != 0) return;
    }
    for (engine* e : env.engines_) (void)e->poll();
    sched_yield();
    const ticks now = now_ticks();
    if (!all_ranks || !of(env).left.is_due_together(now)) continue;
    mpi_token_guard guard(env.token());
    of(env).left.look_together(env, of(env).internal, now);
  }
}

// The three below block with the token.  So they begin when all ranks are there: meanwhile engines
// answer what other ranks want of a window, on which their coming may depend.

std::vector<std::string> environment::gather(const std::string& bytes) {
  barrier();
  mpi_token_guard guard(token_);
  MPI_Comm comm = native_->internal;
  if (rank_ != 0) {
    const unsigned long long size = bytes.size();
    mpi_call(MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, gather_tag, comm), "MPI_Send");
    in_pieces(bytes, [comm](const char* piece, int count) {
      mpi_call(MPI_Send(piece, count, MPI_CHAR, 0, gather_tag, comm), "MPI_Send");
    });
    return {};
  }
  std::vector<std::string> all{bytes};
  for (int r = 1; r < size_; ++r) {
    unsigned long long size = 0;
    mpi_call(MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, r, gather_tag, comm, MPI_STATUS_IGNORE),
             "MPI_Recv");
    std::string& text = all.emplace_back(size, '\0');
    in_pieces(text, [comm, r](char* piece, int count) {
      mpi_call(MPI_Recv(piece, count, MPI_CHAR, r, gather_tag, comm, MPI_STATUS_IGNORE),
               "MPI_Recv");
    });
  }
  return all;
}

std::string environment::broadcast(const std::string& bytes) {
  barrier();
  mpi_token_guard guard(token_);
  MPI_Comm comm = native_->internal;
  unsigned long long size = bytes.size();
  mpi_call(MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, comm), "MPI_Bcast");
  std::string all = bytes;
  all.resize(size);
  in_pieces(all, [comm](char* piece, int count) {
    mpi_call(MPI_Bcast(piece, count, MPI_CHAR, 0, comm), "MPI_Bcast");
  });
  return all;
}

namespace {

/// One side of an exchange: how much each rank has, and where in the numbers of all.
struct exchange_side {
  explicit exchange_side(std::vector<long long> counts) {
    long long sum = 0;
    for (const long long count : counts) {
      begins.push_back(static_cast<int>(sum));
      sizes.push_back(static_cast<int>(count));
      sum += count;
      if (sum > INT_MAX) throw error("exchange: more than 2^31 - 1 numbers on one rank");
    }
    numbers.resize(static_cast<std::size_t>(sum));
  }
  std::vector<int> sizes = {};
  std::vector<int> begins = {};
  std::vector<std::int64_t> numbers = {};
};

}  // namespace

std::vector<std::vector<std::int64_t>> environment::exchange(
    const std::vector<std::vector<std::int64_t>>& sent) {
  PLAIT_EXPECTS(sent.size() == static_cast<std::size_t>(size_), std::to_string(sent.size()));
  const MPI_Comm comm = native_->internal;
  std::vector<long long> counts_out;
  for (const auto& numbers : sent) counts_out.push_back(std::ssize(numbers));
  std::vector<long long> counts_in(sent.size());
  native_access::complete(*this, true, [&](MPI_Request* request) {
    mpi_call(MPI_Ialltoall(counts_out.data(), 1, MPI_LONG_LONG, counts_in.data(), 1, MPI_LONG_LONG,
                           comm, request),
             "MPI_Ialltoall");
  });
  exchange_side out(std::move(counts_out));
  exchange_side in(std::move(counts_in));
  auto next = out.numbers.begin();
  for (const auto& numbers : sent) next = std::copy(numbers.begin(), numbers.end(), next);
  native_access::complete(*this, true, [&](MPI_Request* request) {
    mpi_call(MPI_Ialltoallv(out.numbers.data(), out.sizes.data(), out.begins.data(), MPI_INT64_T,
                            in.numbers.data(), in.sizes.data(), in.begins.data(), MPI_INT64_T, comm,
                            request),
             "MPI_Ialltoallv");
  });
  std::vector<std::vector<std::int64_t>> got;
  for (std::size_t r = 0; r < sent.size(); ++r) {
    const auto first = in.numbers.begin() + in.begins[r];
    got.emplace_back(first, first + in.sizes[r]);
  }
  return got;
}

environment::clock_offset environment::measure_clock_offset() {
  barrier();
  mpi_token_guard guard(token_);
  MPI_Comm comm = native_->internal;
  const auto now = [] { return ticks_to_seconds(now_ticks()); };
  clock_offset best;
  double fastest = 1e30;
  for (int r = 1; r < size_; ++r) {
    for (int i = 0; i < clock_round_trips; ++i) {
      double at_zero = 0;
      if (rank_ == 0) {
        mpi_call(MPI_Recv(&at_zero, 1, MPI_DOUBLE, r, clock_tag, comm, MPI_STATUS_IGNORE),
                 "MPI_Recv");
        at_zero = now();
        mpi_call(MPI_Send(&at_zero, 1, MPI_DOUBLE, r, clock_tag, comm), "MPI_Send");
      } else if (rank_ == r) {
        const double sent = now();
        mpi_call(MPI_Send(&sent, 1, MPI_DOUBLE, 0, clock_tag, comm), "MPI_Send");
        mpi_call(MPI_Recv(&at_zero, 1, MPI_DOUBLE, 0, clock_tag, comm, MPI_STATUS_IGNORE),
                 "MPI_Recv");
        const double received = now();
        if (received - sent < fastest) {
          fastest = received - sent;
          best = {at_zero - (sent + received) / 2, fastest / 2};
        }
      }
    }
  }
  return best;
}

MPI_Comm native(environment& env) noexcept {
  return native_access::of(env).program;
}

}  // namespace plait
