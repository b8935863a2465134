// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/clocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

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

/// Asks rank 0 for its time and notes the offset of this rank's clock.  Of several round trips the
/// shortest is the most exact.  Rank 0 answers at the same time.
void ask_for_time(const session& of, profile_header& h, int moment) {
  double shortest_s = 1e9;
  for (int i = 0; i < round_trips; ++i) {
    double theirs_s = 0;
    const ticks before = now_ticks();
    send(of, &theirs_s, sizeof theirs_s, 0, clock_tag);
    receive(of, &theirs_s, sizeof theirs_s, 0, clock_tag);
    const ticks after = now_ticks();
    const double trip_s = static_cast<double>(after - before) * h.seconds_per_tick;
    if (trip_s >= shortest_s) continue;
    shortest_s = trip_s;
    const ticks middle = before + (after - before) / 2;
    h.clock_at[moment] = middle;
    h.clock_offset_s[moment] = theirs_s - static_cast<double>(middle) * h.seconds_per_tick;
  }
  h.clock_uncertainty_s = std::max(h.clock_uncertainty_s, shortest_s / 2);
}
void tell_time(const session& of, const profile_header& h, int to) {
  for (int i = 0; i < round_trips; ++i) {
    double now_s = 0;
    receive(of, &now_s, sizeof now_s, to, clock_tag);
    now_s = static_cast<double>(now_ticks()) * h.seconds_per_tick;
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

void align_clocks(session& of, int moment) {
  profile_header& h = of.notes.header();
  std::vector<std::uint64_t> boots(static_cast<std::size_t>(h.ranks));
  PLAIT_REAL(MPI_Allgather)
  (&h.boot, sizeof h.boot, constants.byte, boots.data(), sizeof h.boot, constants.byte, of.own);
  for (int rank = 1; rank < h.ranks; ++rank) {
    const bool is_common = boots[0] != 0 && boots[static_cast<std::size_t>(rank)] == boots[0];
    if (is_common) continue;
    if (h.rank == rank) ask_for_time(of, h, moment);
    if (h.rank == 0) tell_time(of, h, rank);
  }
}

void measure_network(session& of) {
  profile_header& h = of.notes.header();
  std::vector<char> hosts(sizeof h.host * static_cast<std::size_t>(h.ranks));
  PLAIT_REAL(MPI_Allgather)
  (h.host, sizeof h.host, constants.byte, hosts.data(), sizeof h.host, constants.byte, of.own);
  int partners[2] = {-1, -1};
  for (int rank = h.ranks - 1; rank > 0; --rank) {
    const char* host = hosts.data() + sizeof h.host * static_cast<std::size_t>(rank);
    partners[std::strncmp(host, hosts.data(), sizeof h.host) == 0 ? 1 : 0] = rank;
  }
  for (int within = 0; within < 2; ++within) {
    const int other = partners[within];
    if (other < 0 || (h.rank != 0 && h.rank != other)) continue;
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
