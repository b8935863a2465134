// SPDX-License-Identifier: BSD-3-Clause
/// The numbers that decide when somebody looks after messages, each with its unit, what it is, and
/// the measurement that chose it, if one did.  A look is a call of MPI that lets messages move
/// (MPI_Testsome).  Figures and commands are in docs/measured, on the pages progress and exchange.
/// "Not told apart": none was measured that does better or worse.  The worst delay between two
/// looks is the user's, `engine_options::worst_delay_s`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plait::look_numbers {

// How closely looks follow a post
// -----------------------------------------------------------------------------------------------
/// Seconds from a post or a completion until a worker's look is due.  Not told apart.
inline constexpr double first_s = 20e-6;
/// A worker's next look is due after one of so many parts of the wait so far.  [bench exchange at 1
/// Gbit/s, work 0.8, total over attainable, medians of 15: parts of 1/8 up to 1.5 ms 1.04 to 1.24
/// at 1 MiB, with quartiles 2 to 4 ms apart: a handshake that is noticed late queues behind what
/// the other rank has begun to send; 1/16 up to 0.75 ms 1.01, quartiles 0.5 ms apart; up to 0.3
/// ms 1.07, in looks of 17 us.  jacobi3d, 512x512x80, does not tell them apart; 1/32 cost it 4 %]
inline constexpr std::int64_t parts_of_a_wait = 16;
/// Seconds between two looks of a sleeping thread of `plait attach` at most; of the engine's proxy
/// it is `engine_options::worst_delay_s`.  Beside sockets that tell, and for messages that have
/// been under way for long, looks that come more often gain nothing, and naps of 3 ms cost
/// computation nothing to measure.  [bench progress]
inline constexpr double worst_of_attach_s = 3e-3;
/// Seconds between two looks of a proxy of its own accord, at least.  The distance doubles from
/// look to look.  Not told apart.
inline constexpr double shortest_distance_s = 100e-6;

// Long waits
// -----------------------------------------------------------------------------------------------
/// Once nothing has moved for `patience` worst delays, a sleeping proxy looks after one of
/// `patience` parts of the wait, at most `longest_distance` worst delays apart.  Documented to
/// users at `engine_options::worst_delay_s` and in docs/use/options.md.  [a receive open beside one
/// task of 10 s, processor time of this thread: Open MPI 0.67 to 1.02 %, with these 0.31 to 0.43 %;
/// MPICH 0.64 and 0.72, 0.18 and 0.36.  A look costs 20 to 40 us, most of it the wake]
inline constexpr int patience = 128;
inline constexpr int longest_distance = 4;

// Rest, while nothing is in flight
// -----------------------------------------------------------------------------------------------
/// Seconds for which a proxy that spins goes on before it rests.  To wake it costs whoever posts a
/// system call, two thirds of the latency of a small message.
inline constexpr double spin_before_rest_s = 50e-6;
/// Naps of a proxy that sleeps, each of the worst delay, before it rests; for the same reason.
inline constexpr int naps_before_rest = 8;

// Beside others who look
// -----------------------------------------------------------------------------------------------
/// Messages are left to others for as long again as they have looked after them, at least for
/// `distances_left_to_others` shortest distances and at most for `longest_leave` worst delays.  To
/// wake costs the computation beside it 70 to 180 us of cold caches on a virtual machine.  [all
/// programs in shared memory, Open MPI: naps of up to 3 ms 1.03 to 1.10, up to 12 ms 0.99 to 1.06]
inline constexpr std::int64_t distances_left_to_others = 5;
inline constexpr int longest_leave = 4;

// A core that others want
// -----------------------------------------------------------------------------------------------
/// Less than this share of a core, over so many seconds of spinning, is of a core that others want.
inline constexpr double least_share_of_core = 0.8;
inline constexpr double watch_period_s = 5e-3;
/// Seconds for which the licence to spin is withdrawn: at first, and where that is found again at
/// once twice as long each time, up to the last.
inline constexpr double shortest_withdrawal_s = 0.25;
inline constexpr double longest_withdrawal_s = 4;
/// Looks in vain, in turn with the ranks that share the core, before a thread sleeps.  So many
/// looks and the switches between them take some 0.3 ms, ten times what a sleep costs.  [jacobi3d
/// of 128x128x128 on two cores, plait over olap, two runs each: on 8 ranks 16 looks 0.80 and 0.72,
/// 128 looks 0.75 and 0.74, 1024 looks 1.04 and 1.02; on 64 ranks not told apart]
inline constexpr int looks_in_turn = 128;
/// Least sleep of a thread whose core others want, in seconds.  To sleep and to look costs some
/// 30 us, an eighth of this.
inline constexpr double least_sleep_s = 250e-6;

// News of sockets
// -----------------------------------------------------------------------------------------------
/// Seconds between two searches for sockets that the library has opened, at most; at first a 1024th
/// of it, and twice as long each time.  Connections are opened early or never.
inline constexpr double longest_search_s = 1;
/// So many looks may leave alone what waits at a socket before it counts as the program's own.
inline constexpr int looks_left_alone = 4;
/// So few bytes may be a short message or a step of a long one: they are worth a look when they
/// come, as often as what is expected can have steps.
inline constexpr std::size_t few_bytes = 8 << 10;
inline constexpr std::uint64_t steps_of_a_message = 3;
/// Looks after one that ended a round of a collective, until the library has begun the next round.
/// [osu_iallreduce, 1 MiB at 1 Gbit/s, time by attainable, medians of three: MPICH 5.0.2 over
/// libfabric 1.26 with one, 1.10 with two, 1.10 with three; MPICH 4.0.2 1.26 with none, 1.03 with
/// one]
inline constexpr int looks_for_a_round = 2;
/// So much bulk is worth a look, which costs what the library takes to copy 50 KB.
inline constexpr std::size_t bulk_bytes = 256 << 10;

}  // namespace plait::look_numbers
