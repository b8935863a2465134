// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <plait/comm/exposed_memory.hpp>
#include <plait/core/error.hpp>
#include <sched.h>
#include <sys/mman.h>

#include "comm/matching/channel.hpp"
#include "comm/mpi_call.hpp"
#include "comm/native.hpp"
#include "comm/one_sided/make_service.hpp"
#include "core/environment_variable.hpp"

namespace plait {
namespace {

constexpr int most_flags = 1 << 16;

/// Returns addresses at which nothing is; null for none.
[[nodiscard]] std::shared_ptr<void> reserve_addresses(std::size_t size_bytes) {
  if (size_bytes == 0) return nullptr;
  void* const begin =
      ::mmap(nullptr, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) {
    throw error("window: cannot reserve " + std::to_string(size_bytes) +
                " bytes of addresses: " + std::strerror(errno));
  }
  return {begin, [size_bytes](void* all) { ::munmap(all, size_bytes); }};
}

[[nodiscard]] bool has_flag(const operation& op) {
  return op.what == operation::kind::await_signal || op.remote->signals;
}

/// One rank's part of a window, as all ranks are told it.
struct part_of_rank {
  unsigned long long size_bytes;
  long long flags;
  long long on;            ///< what the window is to run on, or `unknown_word`
  long long finds_memory;  ///< whether the window finds the memory
};
constexpr long long unknown_word = -1;
constexpr const char* variable = "PLAIT_WINDOWS";

/// Returns the carrier that is asked for.  The environment variable overrules the option.
[[nodiscard]] long long wanted_on(const window_options& options) {
  const std::string word = environment_variable(variable);
  if (word.empty()) return static_cast<long long>(options.on);
  const auto known = windows_on_from(word);
  return known ? static_cast<long long>(*known) : unknown_word;
}

// All ranks are about to come, but may be in a task that waits for a message first: so none of the
// calls that they make together blocks.

[[nodiscard]] std::vector<part_of_rank> all_parts(environment& env, engine& messages,
                                                  part_of_rank mine) {
  std::vector<part_of_rank> all(static_cast<std::size_t>(env.size()));
  native_access::complete(env, false, [&](MPI_Request* request) {
    mpi_call(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                            native_access::windows_of(messages), request),
             "MPI_Iallgather");
  });
  return all;
}

/// Throws on all ranks if one of them could not do its part; this rank could not if it gives a
/// `reason`.  Collective.
void expect_success(environment& env, engine& messages, const std::string& reason) {
  const int mine = reason.empty() ? env.size() : env.rank();
  int first = 0;  // that could not
  native_access::complete(env, false, [&](MPI_Request* request) {
    mpi_call(MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, native_access::windows_of(messages),
                            request),
             "MPI_Iallreduce");
  });
  if (!reason.empty()) throw error(reason);
  if (first < env.size()) {
    throw error("window: rank " + std::to_string(first) + " cannot reserve the addresses for it");
  }
}

/// Throws usage_error if the parts of the ranks do not fit together.  `all` is equal on all ranks,
/// so that all or none throw.
void expect_agreement(const std::vector<part_of_rank>& all) {
  for (const part_of_rank& part : all) {
    if (part.flags < 1 || part.flags > most_flags) {
      throw usage_error("window: " + std::to_string(part.flags) + " flags; 1 to " +
                        std::to_string(most_flags) + " are possible");
    }
    if (part.on == unknown_word) {
      throw usage_error(std::string("window: ") + variable + " is '" +
                        environment_variable(variable) + "'; it can be " + windows_on_names());
    }
    if (part.on != all.front().on || part.finds_memory != all.front().finds_memory) {
      throw usage_error("window: the ranks do not ask for the same kind");
    }
    if (part.flags != all.front().flags) {
      throw usage_error("window: " + std::to_string(all.front().flags) + " flags on one rank and " +
                        std::to_string(part.flags) + " on another; all must say the same");
    }
  }
}

}  // namespace

struct exposed_memory::implementation final : served_window {
  implementation(environment& env_, engine& messages_, int flags_)
      : env(env_), messages(messages_), flags(flags_) {}

  environment& env;
  engine& messages;
  const int flags;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<std::size_t> sizes = {};         ///< by rank
  std::vector<std::uintptr_t> stand_ins = {};  ///< by rank
  std::shared_ptr<void> addresses = nullptr;
  made_service made = {};
  /// The places of signals: by direction, peer and flag.  The thread that enqueues.
  channel_map signals = {};
  int first_trace_tag = 0;
  bool ended = false;

  /// Returns why it cannot, or nothing.
  [[nodiscard]] std::string lay_out(const std::vector<part_of_rank>& parts);
  void make(const window_part& part, windows_on wanted);
  [[nodiscard]] bool becomes_quiet(double patience_s);
  [[nodiscard]] channel* channel_for(const operation& op) override;
};

/// Behind each other, so that operations on different ranks never meet.
std::string exposed_memory::implementation::lay_out(const std::vector<part_of_rank>& parts) try {
  std::size_t sum = 0;
  for (const part_of_rank& part : parts) {
    sizes.push_back(part.size_bytes);
    sum += part.size_bytes;
  }
  addresses = reserve_addresses(sum);
  auto at = reinterpret_cast<std::uintptr_t>(addresses.get());
  for (const std::size_t size : sizes) {
    stand_ins.push_back(at);
    at += size;
  }
  return {};
} catch (const error& none_left) {
  return none_left.what();
}

exposed_memory::exposed_memory(environment& env, engine& messages, const window_part& part,
                               const window_options& options)
    : self_(std::make_unique<implementation>(env, messages, options.flags)) {
  implementation& s = *self_;
  const auto parts =
      all_parts(env, messages,
                {part.size_bytes, options.flags, wanted_on(options), part.is_to_be_found ? 1 : 0});
  expect_agreement(parts);
  expect_success(env, messages, s.lay_out(parts));
  native_access::complete(env, false, [&](MPI_Request* request) {
    mpi_call(MPI_Comm_idup(native_access::windows_of(messages), &s.comm, request), "MPI_Comm_idup");
  });
  {
    mpi_token_guard guard(env.token());
    mpi_call(MPI_Comm_set_errhandler(s.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    s.make(part, static_cast<windows_on>(parts.front().on));
  }
  // Windows are made collectively, so the numbers are those of the other ranks.
  static int trace_tags_taken = 0;
  constexpr int most_trace_tags = 1 << 30;
  if (trace_tags_taken > most_trace_tags - s.flags) trace_tags_taken = 0;
  s.first_trace_tag = -2 - trace_tags_taken;
  trace_tags_taken += s.flags;
  messages.serve(s);
}

/// Blocks with the token.  All ranks come: each has duplicated the communicator.
void exposed_memory::implementation::make(const window_part& part, windows_on wanted) try {
  made = make_service(
      comm, {.begin = part.begin, .size_bytes = part.size_bytes, .is_mpis = part.is_to_be_found},
      flags, wanted);
  service = std::move(made.service);
} catch (...) {
  MPI_Comm_free(&comm);
  throw;
}

exposed_memory::~exposed_memory() {
  PLAIT_EXPECTS(self_->ended, "a window must be ended before it goes");
}

/// All operations have completed or been given up, so what MPI still does with this rank's memory
/// needs the other ranks' engines only.
bool exposed_memory::implementation::becomes_quiet(double patience_s) {
  const ticks give_up = now_ticks() + seconds_to_ticks(patience_s);
  for (;;) {
    {
      mpi_token_guard guard(env.token());
      if (service->is_quiet()) return true;
    }
    if (now_ticks() >= give_up) return false;
    (void)messages.poll();
    sched_yield();
  }
}

void exposed_memory::end(bool together) {
  implementation& s = *self_;
  if (s.ended) return;
  s.ended = true;
  if (!together) {
    mpi_token_guard guard(s.env.token());
    s.service->close();  // what is quiet then stays quiet
  }
  constexpr double as_long_as_it_takes_s = 1e6;
  if (!s.becomes_quiet(together ? as_long_as_it_takes_s : s.service->patience_s())) {
    std::fprintf(stderr,
                 "plait: %s: a window ends after a failure, and MPI still uses its memory\n",
                 process_label().c_str());
    detail::abort_job();
  }
  s.messages.stop_serving(s);
  if (!together) return;  // other ranks may be elsewhere
  mpi_token_guard guard(s.env.token());
  s.service->end();
  s.service = nullptr;
  s.made = {.service = nullptr, .choice = s.made.choice};
  MPI_Comm_free(&s.comm);
}

bool exposed_memory::has_ended() const noexcept {
  return self_->ended;
}
std::size_t exposed_memory::size_bytes(int rank) const {
  return self_->sizes.at(static_cast<std::size_t>(rank));
}
exposed_memory::address exposed_memory::stand_in(int rank) const {
  return self_->stand_ins.at(static_cast<std::size_t>(rank));
}
void* exposed_memory::begin() const noexcept {
  return self_->made.begin;
}
const window_choice& exposed_memory::chosen() const noexcept {
  return self_->made.choice;
}
int exposed_memory::trace_tag(int flag) const noexcept {
  return self_->first_trace_tag - flag;
}
served_window& exposed_memory::served() noexcept {
  return *self_;
}

void exposed_memory::expect_in_range(const operation& op) const {
  const implementation& s = *self_;
  if (s.ended) throw error("the window has ended");
  if (op.peer < 0 || op.peer >= s.env.size()) {
    throw usage_error("rank " + std::to_string(op.peer) + "; ranks are 0 to " +
                      std::to_string(s.env.size() - 1));
  }
  if (has_flag(op) && (op.tag < 0 || op.tag >= s.flags)) {
    throw usage_error("flag " + std::to_string(op.tag) + "; the flags of this window are 0 to " +
                      std::to_string(s.flags - 1));
  }
  if (op.what == operation::kind::await_signal) return;
  const std::size_t there = s.sizes.at(static_cast<std::size_t>(op.peer));
  const std::size_t offset = op.remote->offset_bytes;
  if (offset > there || op.size_bytes > there - offset) {
    throw usage_error(std::to_string(op.size_bytes) + " bytes from byte " + std::to_string(offset) +
                      " on are not in the window of rank " + std::to_string(op.peer) +
                      ", which has " + std::to_string(there) + " bytes");
  }
}

channel* exposed_memory::implementation::channel_for(const operation& op) {
  if (!has_flag(op)) return nullptr;
  auto& places = signals[{op.what, op.peer, op.tag}];
  if (places == nullptr) places = std::make_unique<channel>(1);
  return places.get();
}

}  // namespace plait
