// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/clocks.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "attach/after/job_share.hpp"
#include "attach/books/together.hpp"

namespace plait::attach {
namespace {

constexpr int clock_tag = 1;
constexpr int network_tag = 2;
constexpr int round_trips = 16;

void send(const session& of, const void* data, std::size_t size, int to, int tag) {
  PLAIT_REAL(MPI_Send)(data, static_cast<int>(size), constants.byte, to, tag, of.own);
}
void receive(const session& of, void* data, std::size_t size, int from, int tag) {
  PLAIT_REAL(MPI_Recv)
  (data, static_cast<int>(size), constants.byte, from, tag, of.own, MPI_STATUS_IGNORE);
}

/// A clock that is known: rank 0's time, in seconds, is ticks * seconds_per_tick + offset_s.
struct known_clock {
  std::uint64_t boot = 0;
  ticks at = 0;  ///< when it was compared
  double seconds_per_tick = 0;
  double offset_s = 0;
  double uncertainty_s = 0;
};

/// Asks a rank that knows rank 0's time, and notes the offset of this rank's clock.  Of several
/// round trips the shortest is the most exact.  The other rank answers at the same time.
[[nodiscard]] known_clock ask_for_time(const session& of, profile_header& h, int from, int moment) {
  known_clock theirs;
  send(of, &h.boot, sizeof h.boot, from, clock_tag);
  receive(of, &theirs, sizeof theirs, from, clock_tag);
  known_clock own{h.boot, 0, h.seconds_per_tick, 0, 0};
  const bool is_common = h.boot != 0 && h.boot == theirs.boot;
  if (is_common) own = theirs;
  double shortest_s = 1e9;
  for (int i = 0; i < round_trips && !is_common; ++i) {
    double theirs_s = 0;
    const ticks before = now_ticks();
    send(of, &theirs_s, sizeof theirs_s, from, clock_tag);
    receive(of, &theirs_s, sizeof theirs_s, from, clock_tag);
    const ticks after = now_ticks();
    const double trip_s = static_cast<double>(after - before) * h.seconds_per_tick;
    if (trip_s >= shortest_s) continue;
    shortest_s = trip_s;
    own.at = before + (after - before) / 2;
    own.offset_s = theirs_s - static_cast<double>(own.at) * h.seconds_per_tick;
    own.uncertainty_s = theirs.uncertainty_s + shortest_s / 2;
  }
  h.clock_at[moment] = own.at;
  h.clock_offset_s[moment] =
      own.offset_s + static_cast<double>(own.at) * (own.seconds_per_tick - h.seconds_per_tick);
  h.clock_uncertainty_s = std::max(h.clock_uncertainty_s, own.uncertainty_s);
  return own;
}
void tell_time(const session& of, const known_clock& own, int to) {
  std::uint64_t boot = 0;
  receive(of, &boot, sizeof boot, to, clock_tag);
  send(of, &own, sizeof own, to, clock_tag);
  const bool is_common = boot != 0 && boot == own.boot;
  for (int i = 0; i < round_trips && !is_common; ++i) {
    double now_s = 0;
    receive(of, &now_s, sizeof now_s, to, clock_tag);
    now_s = static_cast<double>(now_ticks()) * own.seconds_per_tick + own.offset_s;
    send(of, &now_s, sizeof now_s, to, clock_tag);
  }
}

/// Between rank 0 and `other`: the shortest of some messages there and short ones back.
[[nodiscard]] double trip_s(const session& of, int rank, int other, std::vector<char>& data,
                            int times, double seconds_per_tick) {
  double shortest_s = 1e9;
  for (int i = 0; i < times; ++i) {
    char answer = 0;
    const ticks before = now_ticks();
    if (rank == 0) {
      send(of, data.data(), data.size(), other, network_tag);
      receive(of, &answer, 1, other, network_tag);
    } else {
      receive(of, data.data(), data.size(), 0, network_tag);
      send(of, &answer, 1, 0, network_tag);
    }
    shortest_s = std::min(shortest_s, static_cast<double>(now_ticks() - before) * seconds_per_tick);
  }
  return shortest_s;
}

/// Computes some tens of microseconds, always as much.
void compute_a_little() noexcept {
  volatile double value = 1;
  for (int i = 0; i < 8192; ++i) value = 0.5 * value + 1;
}

struct exchange_price {
  double time_s = 0;
  double processor_s = 0;
};
constexpr std::size_t priced_exchanges = 5;

/// Between rank 0 and `other`: how long an exchange of `large` bytes both ways takes, and what of
/// it is taken from computation that goes on meanwhile, in this thread or in the kernel's part of
/// the transport.  Medians.
[[nodiscard]] exchange_price price_exchange(const session& of, int other, std::vector<char>& data,
                                            std::size_t large, double seconds_per_tick) {
  std::vector<char> in(large);
  data.resize(large);
  ticks little = INT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const ticks before = now_ticks();
    compute_a_little();
    little = std::min(little, now_ticks() - before);
  }
  std::array<double, priced_exchanges> times_s{};
  std::array<double, priced_exchanges> taken_s{};
  for (std::size_t i = 0; i < priced_exchanges; ++i) {
    MPI_Request both[2];
    const int size = static_cast<int>(large);
    const ticks before = now_ticks();
    PLAIT_REAL(MPI_Irecv)
    (in.data(), size, constants.byte, other, network_tag, of.own, &both[0]);
    PLAIT_REAL(MPI_Isend)
    (data.data(), size, constants.byte, other, network_tag, of.own, &both[1]);
    ticks computed = 0;
    for (int is_over = 0; is_over == 0;) {
      compute_a_little();
      computed += little;
      PLAIT_REAL(MPI_Testall)(2, both, &is_over, MPI_STATUSES_IGNORE);
    }
    const ticks time = now_ticks() - before;
    const ticks rest = std::max<ticks>(0, time - computed);
    times_s[i] = static_cast<double>(time) * seconds_per_tick;
    taken_s[i] = static_cast<double>(rest) * seconds_per_tick;
  }
  std::ranges::sort(times_s);
  std::ranges::sort(taken_s);
  return {times_s[priced_exchanges / 2], taken_s[priced_exchanges / 2]};
}

}  // namespace

std::uint64_t boot_number() {
  if (const char* forced = std::getenv("PLAIT_ATTACH_CLOCKS")) {
    if (std::strcmp(forced, "measured") == 0) return 0;
  }
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  std::uint64_t hash = 0;
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

/// Few ranks ask rank 0.  Of many, each asks the one above it in a tree: the uncertainty adds up,
/// and no rank answers more than some.
void align_clocks(session& of, int moment) {
  profile_header& h = of.notes.header();
  const bool is_flat = h.ranks <= most_listed_ranks;
  known_clock own{h.boot, 0, h.seconds_per_tick, 0, 0};
  int step = step_up(h);
  if (h.rank != 0) own = ask_for_time(of, h, is_flat ? 0 : h.rank - step, moment);
  for (int to = 1; is_flat && h.rank == 0 && to < h.ranks; ++to) tell_time(of, own, to);
  for (step /= 2; !is_flat && step > 0; step /= 2) {
    if (h.rank + step < h.ranks) tell_time(of, own, h.rank + step);
  }
}

void measure_network(session& of) {
  struct partner_ranks {
    int of[2] = {INT_MAX, INT_MAX};  ///< the first on another host, and on rank 0's
  };
  profile_header& h = of.notes.header();
  std::array<char, sizeof h.host> host{};
  std::copy_n(h.host, host.size(), host.begin());
  broadcast_value(of, host);
  partner_ranks partners;
  if (h.rank != 0)
    partners.of[std::strncmp(h.host, host.data(), host.size()) == 0 ? 1 : 0] = h.rank;
  combine(of, partners, [](partner_ranks& mine, const partner_ranks& theirs) {
    for (int within = 0; within < 2; ++within) {
      mine.of[within] = std::min(mine.of[within], theirs.of[within]);
    }
  });
  for (int within = 0; within < 2; ++within) {
    const int other = partners.of[within];
    if (other == INT_MAX || (h.rank != 0 && h.rank != other)) continue;
    constexpr std::size_t large = 1 << 20;
    std::vector<char> data(8);
    const double latency_s = trip_s(of, h.rank, other, data, 20, h.seconds_per_tick) / 2;
    data.resize(large);
    const double long_s = trip_s(of, h.rank, other, data, 4, h.seconds_per_tick) - latency_s;
    h.latency_s[within] = latency_s;
    h.seconds_per_byte[within] = std::max(0.0, long_s - latency_s) / static_cast<double>(large);
    const exchange_price both =
        price_exchange(of, h.rank == 0 ? other : 0, data, large, h.seconds_per_tick);
    h.seconds_per_byte_each_way[within] =
        std::max(h.seconds_per_byte[within], both.time_s / static_cast<double>(large));
    h.processor_s_per_byte[within] = both.processor_s / static_cast<double>(2 * large);
  }
}

}  // namespace plait::attach
