// SPDX-License-Identifier: BSD-3-Clause
/// The notes of a rank while the program runs: plain data in one stretch of memory, which may be a
/// file that outlives the process, and which travels to rank 0 as it is.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <plait/core/clock.hpp>

namespace plait::attach {

inline constexpr std::uint64_t profile_magic = 0x3868636174746170;  // "patatch8"
inline constexpr std::size_t page_bytes = 4096;
inline constexpr int most_sites = 4096;
inline constexpr int most_modules = 128;
inline constexpr int size_classes = 40;
inline constexpr int most_warnings = 16;
inline constexpr int most_cores = 1024;  ///< of a host whose ranks are asked what cores they share
inline constexpr int most_callers = 7;
inline constexpr int most_python_places = 1024;
inline constexpr int most_regions = 512;
/// The number of the region around code that is in none.
inline constexpr std::int32_t no_region = 0;
/// Ways to one call that are told apart.
inline constexpr int most_ways = 64;
inline constexpr std::uint64_t first_way = 0;
inline constexpr std::uint64_t other_ways = 1;  ///< all that found no room
/// The last site stands for all calls from places that found no room.
inline constexpr int site_of_the_rest = most_sites - 1;

enum class run_state : std::uint32_t { running, finalized, aborted, exited };

/// A file that code was loaded from.
struct module_data {
  std::uint64_t base = 0;
  char path[248] = {};
};

enum class frame_base : std::uint8_t { call, below, frame_pointer, python };

/// A caller on the way to a call of MPI, and how its frame is found from the one below.
struct caller_data {
  std::uint64_t address = 0;      ///< the return address in it; of Python, its `python_place`
  std::int32_t stack_offset = 0;  ///< of its stack pointer, from that of the call, or of the frame
                                  ///< below, or from the frame pointer there
  std::int16_t frame_offset = 0;  ///< of its frame pointer's place, from there; 0: not kept
  frame_base base = frame_base::call;
  std::int8_t module = -1;
};
static_assert(sizeof(caller_data) == 16 && most_modules <= 128);

/// A line of Python that was seen on the way to a call of MPI.
struct python_place {
  std::uint64_t code = 0;  ///< of its function; 0: not in use
  std::uint64_t instruction = 0;
  std::uint64_t mark = 0;       ///< of the code: other code may take its memory
  std::int32_t first_line = 0;  ///< of the function
  std::int32_t line = 0;
  char file[256] = {};
  char function[96] = {};
};
/// Returns true of the functions by which Python imports modules: they are nobody's program.
[[nodiscard]] inline bool is_of_import(const python_place& place) noexcept {
  return std::strncmp(place.file, "<frozen importlib", 17) == 0;
}

/// A region that the program names, by its name and the region around it.
struct region_data {
  char name[64] = {};
  std::uint64_t count = 0;
  ticks time = 0;
  ticks open_since = 0;  ///< 0: it is not open
  std::uint32_t not_ended = 0;
  std::int32_t around = no_region;  ///< the number of the region around it, which is smaller
};

/// Computation between two calls that is shorter is not told from the calls.
inline constexpr double shortest_computation_s = 1e-6;
/// Begins the name of a region that lasts from one MPI_Pcontrol to the next.
inline constexpr char mark_text[] = "MPI_Pcontrol(";
[[nodiscard]] inline bool is_mark(const region_data& one) noexcept {
  return std::strncmp(one.name, mark_text, sizeof mark_text - 1) == 0;
}

/// A place of the program that calls one MPI function in one region, reached in one way.
struct site_data {
  std::uint64_t address = 0;  ///< the return address; 0: not in use
  std::uint64_t offset = 0;   ///< of the call in its module
  std::int32_t call = -1;     ///< of `call_names`
  std::int32_t module = -1;
  std::uint64_t way = first_way;  ///< a hash of the callers; of the first way that was seen, 0
  std::int32_t recent_way = 0;    ///< of the first: the site of the way that was seen last
  std::int32_t ways = 0;          ///< of the first: how many
  std::int32_t callers = 0;
  std::int32_t next_way = 0;  ///< the site of the way that came after this one the last time
  std::int32_t region = no_region;
  caller_data caller[most_callers];  ///< the nearest first
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  ticks time = 0;
  ticks waited = 0;            ///< the part of `time` that was spent where the call may wait
  ticks stolen = 0;            ///< wall less processor time in the computation after the call
  ticks readings_left = 0;     ///< time that readings of the processor clock may still take here
  std::uint32_t fails = 0;     ///< tests in vain
  std::uint32_t overlaps = 0;  ///< computation follows what is posted here: 1 yes, 2 no, 0 unknown
  std::uint32_t sizes[size_classes] = {};  ///< messages by log2 of their bytes, rounded up
};

enum class record_kind : std::uint8_t { send, receive, all_to_all, from_root, to_root };

/// One end of a message, or one rank's part of a collective.
struct record_data {
  std::uint64_t communicator = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = 0;  ///< rank in the world; of a collective, the root, or -1
  std::int32_t tag = 0;
  std::uint32_t order = 0;  ///< among all that was posted on this rank
  std::uint32_t place = 0;  ///< among those of its kind with the same communicator, peer and tag
  ticks posted = 0;
  ticks wait_begin = 0;  ///< of the call that completed it
  ticks wait_end = 0;
  ticks useful_before_post = 0;  ///< computation of this rank until then
  ticks useful_before_wait = 0;
  std::int16_t post_site = -1;
  std::int16_t wait_site = -1;
  record_kind kind = record_kind::send;
  std::uint8_t is_blocking = 0;  ///< posted by the call that completed it
  std::uint8_t has_waited = 0;   ///< completed by a call that waits, not by a test
  ticks looked_before_post = 0;  ///< `profile_header::looked` then
  ticks looked_before_wait = 0;
};

/// One call, for the trace, or one stay in a region.
struct call_data {
  ticks begin = 0;
  ticks end = 0;
  std::int16_t site = -1;  ///< of a region, its number below 0
  std::uint16_t thread = 0;
  std::uint32_t times = 1;  ///< failing tests of a loop that computes nothing count as one
  std::uint64_t bytes = 0;
};

/// A send buffer that was not the same at its wait.
struct changed_buffer {
  std::int32_t post_site = -1;
  std::int32_t wait_site = -1;
  std::uint64_t times = 0;
};

/// Times of the threads of OpenMP's teams, summed over all teams that were counted.
struct team_sums {
  std::uint64_t teams = 0;
  std::uint64_t tasks = 0;    ///< whose times are not known: they are among the waits
  std::int32_t runtimes = 0;  ///< bits of `team_runtime`
  std::int32_t largest = 0;   ///< threads of the largest team
  ticks time = 0;             ///< of the thread that formed them, from begin to end
  ticks capacity = 0;         ///< the same, times the threads of each
  ticks busy = 0;             ///< of all threads, in the program's code or in MPI
  ticks mpi = 0;              ///< the part of `busy` in MPI
  ticks own_mpi = 0;          ///< the part of `mpi` of the thread that formed them
  ticks unequal = 0;          ///< waiting for slower threads
  ticks scheduling = 0;       ///< what each thread waited, in all teams
};

struct profile_header {
  std::uint64_t magic = 0;
  std::uint64_t size = 0;
  std::uint64_t job = 0;
  run_state state = run_state::running;
  std::int32_t rank = 0;
  std::int32_t ranks = 0;
  std::int32_t pid = 0;
  std::uint32_t switches = 0;
  char host[64] = {};
  char program[248] = {};
  char mpi[120] = {};
  std::uint64_t boot = 0;  ///< ranks of one boot have one clock
  double seconds_per_tick = 0;
  // Clock of rank 0 less this one's, in ticks of this rank, at two moments of this rank's clock.
  ticks clock_at[2] = {};
  double clock_offset_s[2] = {};
  double clock_uncertainty_s = 0;
  ticks begin = 0;
  ticks end = 0;     ///< the last that is known of the run
  ticks in_mpi = 0;  ///< of the thread that started MPI
  ticks in_mpi_others = 0;
  ticks others = 0;  ///< of each other thread, from its first call of MPI to its last return
  // The network, measured when the program ends: time = latency + bytes * seconds_per_byte.
  double latency_s[2] = {};  ///< between hosts, within one
  double seconds_per_byte[2] = {};
  double seconds_per_byte_each_way[2] = {};  ///< of messages both ways at once
  /// Processor time that a byte sent or received takes from a rank that computes.
  double processor_s_per_byte[2] = {};
  std::uint64_t record_capacity = 0;
  std::uint64_t records = 0;
  std::uint32_t sampling = 0;  ///< one record in 2^sampling is kept
  std::uint32_t orders = 0;
  std::uint64_t call_capacity = 0;
  std::uint64_t calls = 0;
  std::uint64_t calls_left_out = 0;
  std::uint64_t unmatched_peers = 0;  ///< messages to and from ranks outside the world
  std::uint64_t looks = 0;
  double look_s = 0;
  double look_cpu_s = 0;
  ticks looked = 0;  ///< time between the program's own calls, each time up to the last look
  std::uint64_t cores[most_cores / 64] = {};  ///< that this rank may run on, a bit each; or none
  // Of computation after whose beginning the counters were read; 0: they cannot be read.
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  double queued_s = -1;  ///< ready to run, and something else had the core; -1: not known
  std::int32_t modules = 0;
  std::int32_t python_places = 0;  ///< how many are in use
  std::int32_t regions = 0;        ///< the largest number of one
  std::uint64_t regions_left_out = 0;
  std::uint64_t stray_ends = 0;  ///< of regions that were not open
  char stray_name[64] = {};      ///< of the last such region
  std::int32_t changed = 0;
  std::uint32_t other_threads = 0;  ///< that have called MPI
  team_sums teams;
  changed_buffer changed_buffers[most_warnings];
  module_data module[most_modules];
};

/// Offsets in bytes of the parts of a profile in its memory, and its size.
struct profile_layout {
  std::size_t sites = 0;
  std::size_t python_places = 0;
  std::size_t regions = 0;
  std::size_t sent_bytes = 0;
  std::size_t sent_messages = 0;
  std::size_t records = 0;
  std::size_t calls = 0;
  std::size_t size = 0;

  profile_layout(std::size_t ranks, std::size_t record_capacity,
                 std::size_t call_capacity) noexcept {
    sites = (sizeof(profile_header) + page_bytes - 1) / page_bytes * page_bytes;
    python_places = sites + most_sites * sizeof(site_data);
    regions = python_places + most_python_places * sizeof(python_place);
    sent_bytes = regions + most_regions * sizeof(region_data);
    sent_messages = sent_bytes + ranks * sizeof(std::uint64_t);
    records = sent_messages + ranks * sizeof(std::uint64_t);
    calls = records + record_capacity * sizeof(record_data);
    size = calls + call_capacity * sizeof(call_data);
  }
};

/// Mixes a message's identity: both ends keep it or neither does.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t x = a ^ (b + 0x9e3779b97f4a7c15 + (a << 12) + (a >> 4));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The hash by which a record of `rank` is kept or not.
[[nodiscard]] inline std::uint64_t sample_hash(const record_data& of, int rank) noexcept {
  const bool is_message = of.kind == record_kind::send || of.kind == record_kind::receive;
  if (!is_message) return mix(of.communicator, of.place);
  const int source = of.kind == record_kind::send ? rank : of.peer;
  const int target = of.kind == record_kind::send ? of.peer : rank;
  const auto ends = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32) |
                    static_cast<std::uint32_t>(target);
  const auto turn =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(of.tag)) << 32) | of.place;
  return mix(mix(of.communicator, ends), turn);
}
[[nodiscard]] inline bool is_kept(std::uint64_t hash, std::uint32_t sampling) noexcept {
  return sampling == 0 || (hash >> (64 - sampling)) == 0;
}

}  // namespace plait::attach
