// SPDX-License-Identifier: BSD-3-Clause
#include "attach/after/rank_profile.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fcntl.h>
#include <plait/core/error.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/after/packed.hpp"
#include "attach/calls.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

constexpr const char* file_prefix = "plait-attach-";

struct packed_site {
  std::int64_t number = 0;
  site_data site;
};
struct packed_line {
  std::uint64_t number = 0;
  python_place place;
};

[[nodiscard]] std::string stem_of(const std::string& json) {
  std::error_code failed;
  const std::string whole = std::filesystem::absolute(json, failed).lexically_normal().string();
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : whole) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return filled("{}{}-", file_prefix, hex(hash, 16));
}

[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::string& folder,
                                                          const std::string& stem) {
  std::vector<std::filesystem::path> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().filename().string().starts_with(stem)) found.push_back(entry.path());
  }
  return found;
}

using file_pointer = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Opens a file of this user's, whatever lies under its name in a folder that all may write to.
/// Errors: `error` that says what it is instead.
[[nodiscard]] file_pointer open_own(const std::filesystem::path& path, std::size_t& size) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  file_pointer file(descriptor < 0 ? nullptr : fdopen(descriptor, "r"), std::fclose);
  struct stat what {};
  if (file == nullptr || fstat(descriptor, &what) != 0) throw error(std::strerror(errno));
  if (what.st_uid != geteuid()) throw error("it is another user's");
  if (!S_ISREG(what.st_mode)) throw error("it is no file with contents");
  size = static_cast<std::size_t>(what.st_size);
  return file;
}

/// Every number of the header that says where something is, or how much of it.
[[nodiscard]] bool is_sound(const profile_header& h, std::size_t size) noexcept {
  constexpr std::int32_t most_ranks = 1 << 24;
  const auto is_within = [](auto value, auto least, auto most) {
    return value >= least && value <= most;
  };
  return h.size == size && is_within(h.ranks, 1, most_ranks) && is_within(h.rank, 0, h.ranks - 1) &&
         h.record_capacity <= size && h.call_capacity <= size && h.records <= h.record_capacity &&
         h.calls <= h.call_capacity && h.sampling < 64 && h.state <= run_state::exited &&
         is_within(h.modules, 0, most_modules) && is_within(h.changed, 0, most_warnings) &&
         is_within(h.python_places, 0, most_python_places) &&
         is_within(h.regions, 0, most_regions - 1) && h.seconds_per_tick > 0 &&
         h.seconds_per_tick < 1 &&
         profile_layout(static_cast<std::size_t>(h.ranks), h.record_capacity, h.call_capacity)
                 .size == size;
}

[[nodiscard]] bool is_sound(const rank_profile& one) noexcept {
  for (const auto& [number, site] : one.sites) {
    if (site.call < 0 || site.call >= call_count) return false;
    if (site.module < -1 || site.module >= one.header.modules) return false;
    if (site.region < 0 || site.region > one.header.regions) return false;
    if (site.callers < 0 || site.callers > most_callers) return false;
    const auto is_there = [&](const caller_data& caller) {
      return caller.base != frame_base::python || one.lines.contains(caller.address);
    };
    if (!std::all_of(site.caller, site.caller + site.callers, is_there)) return false;
  }
  for (std::int32_t i = 1; i <= one.header.regions; ++i) {
    const std::int32_t around = one.regions[static_cast<std::size_t>(i)].around;
    if (around < 0 || around >= i) return false;
  }
  return std::ranges::all_of(one.records,
                             [](const record_data& r) { return r.kind <= record_kind::to_root; }) &&
         std::ranges::all_of(one.calls, [&](const call_data& c) {
           return c.site < 0 ? -c.site <= one.header.regions : one.sites.contains(c.site);
         });
}

/// Those that are in use; none is read where a program has none.
[[nodiscard]] std::map<std::uint64_t, python_place> lines_of(std::span<const std::byte> memory,
                                                             std::size_t at, std::int32_t count) {
  std::map<std::uint64_t, python_place> lines;
  if (count == 0) return lines;
  const auto places = copy_of<python_place>(memory, at, most_python_places);
  for (int i = 0; i < most_python_places; ++i) {
    const python_place& one = places[static_cast<std::size_t>(i)];
    if (one.code == 0) continue;
    python_place& kept = lines[static_cast<std::uint64_t>(i)] = one;
    kept.file[sizeof kept.file - 1] = kept.function[sizeof kept.function - 1] = '\0';
  }
  return lines;
}

void end_texts(profile_header& h) noexcept {
  h.host[sizeof h.host - 1] = h.program[sizeof h.program - 1] = h.mpi[sizeof h.mpi - 1] = '\0';
  h.stray_name[sizeof h.stray_name - 1] = '\0';
  for (module_data& one : h.module) one.path[sizeof one.path - 1] = '\0';
}

/// Ends what was still open when the rank ended.
void end_region(region_data& one, ticks at) noexcept {
  one.name[sizeof one.name - 1] = '\0';
  if (one.open_since == 0) return;
  ++one.count;
  if (!is_mark(one)) ++one.not_ended;
  one.time += std::max<ticks>(0, at - one.open_since);
  one.open_since = 0;
}

/// Errors: `error` that says what is wrong with it.
[[nodiscard]] rank_profile read_file(const std::filesystem::path& path) {
  std::size_t size = 0;
  const file_pointer file = open_own(path, size);
  profile_header header;
  if (std::fread(&header, sizeof header, 1, file.get()) != 1 || header.size != size) {
    throw error("it is no profile of this build of plait");
  }
  std::rewind(file.get());
  std::vector<std::byte> memory(size);
  memory.resize(std::fread(memory.data(), 1, size, file.get()));
  return read_profile(memory);
}

}  // namespace

rank_profile read_profile(std::span<const std::byte> memory, std::uint32_t sampling) {
  rank_profile one;
  one.header = copy_of<profile_header>(memory, 0, 1).front();
  profile_header& h = one.header;
  if (h.magic != profile_magic) throw error("it is no profile of this build of plait");
  if (!is_sound(h, memory.size())) throw error("the profile is damaged");
  end_texts(h);
  const auto ranks = static_cast<std::size_t>(h.ranks);
  const profile_layout layout(ranks, h.record_capacity, h.call_capacity);
  const auto sites = copy_of<site_data>(memory, layout.sites, most_sites);
  for (int i = 0; i < most_sites; ++i) {
    if (sites[static_cast<std::size_t>(i)].count > 0) {
      one.sites[i] = sites[static_cast<std::size_t>(i)];
    }
  }
  one.lines = lines_of(memory, layout.python_places, h.python_places);
  const auto regions = static_cast<std::size_t>(h.regions) + 1;
  one.regions = copy_of<region_data>(memory, layout.regions, regions);
  for (region_data& region : one.regions) end_region(region, h.end);
  one.sent_bytes = copy_of<std::uint64_t>(memory, layout.sent_bytes, ranks);
  one.sent_messages = copy_of<std::uint64_t>(memory, layout.sent_messages, ranks);
  one.records = copy_of<record_data>(memory, layout.records, h.records);
  one.calls = copy_of<call_data>(memory, layout.calls, h.calls);
  if (!is_sound(one)) throw error("the profile is damaged");
  h.records = one.records.size();
  thin_out(one, sampling);
  return one;
}

void thin_out(rank_profile& one, std::uint32_t sampling) {
  profile_header& h = one.header;
  if (sampling <= h.sampling) return;
  h.sampling = sampling;
  std::erase_if(one.records,
                [&](const record_data& r) { return !is_kept(sample_hash(r, h.rank), sampling); });
  h.records = one.records.size();
}

std::vector<std::byte> pack_profile(const rank_profile& one) {
  std::vector<packed_site> sites;
  for (const auto& [number, site] : one.sites) sites.push_back({number, site});
  std::vector<packed_line> lines;
  for (const auto& [number, place] : one.lines) lines.push_back({number, place});
  std::vector<std::byte> packed;
  append(packed, std::vector{one.header});
  append(packed, sites);
  append(packed, lines);
  append(packed, one.regions);
  append(packed, one.sent_bytes);
  append(packed, one.sent_messages);
  append(packed, one.records);
  append(packed, one.calls);
  return packed;
}

rank_profile unpack_profile(std::span<const std::byte> packed) {
  rank_profile one;
  one.header = take<profile_header>(packed).front();
  for (const packed_site& s : take<packed_site>(packed)) {
    one.sites[static_cast<int>(s.number)] = s.site;
  }
  for (const packed_line& l : take<packed_line>(packed)) {
    one.lines[l.number] = l.place;
  }
  one.regions = take<region_data>(packed);
  one.sent_bytes = take<std::uint64_t>(packed);
  one.sent_messages = take<std::uint64_t>(packed);
  one.records = take<record_data>(packed);
  one.calls = take<call_data>(packed);
  return one;
}

std::string profile_path(const std::string& folder, const std::string& json, int rank) {
  return filled("{}/{}{}", folder, stem_of(json), rank);
}

/// Files of an earlier job that more ranks left are none of this one's: each names its job.
std::vector<rank_profile> read_left_profiles(const std::string& folder, const std::string& json) {
  std::vector<rank_profile> found;
  std::string trouble;
  for (const std::filesystem::path& path : files_of(folder, stem_of(json))) {
    try {
      found.push_back(read_file(path));
    } catch (const error& what) {  // its process may have ended before it had begun
      trouble = filled("{}: {}", path.string(), what.what());
    }
  }
  if (found.empty() && !trouble.empty()) throw error(trouble);
  if (found.empty()) return found;
  const auto latest =
      std::ranges::max_element(found, {}, [](const rank_profile& one) { return one.header.begin; });
  const std::uint64_t job = latest->header.job;
  const std::int32_t ranks = latest->header.ranks;
  std::erase_if(found, [&](const rank_profile& one) {
    return one.header.job != job || one.header.ranks != ranks;
  });
  const auto rank_of = [](const rank_profile& one) { return one.header.rank; };
  std::ranges::sort(found, {}, rank_of);
  const auto twice = std::ranges::unique(found, {}, rank_of);
  found.erase(twice.begin(), twice.end());
  return found;
}

void remove_left_profiles(const std::string& folder, const std::string& json) noexcept {
  for (const std::filesystem::path& path : files_of(folder, stem_of(json))) unlink(path.c_str());
}

/// A process with the number that a file names may be another one, or of another container: then
/// the file stays, or a job that lives can no longer be salvaged.
void remove_forgotten_profiles(const std::string& folder) noexcept {
  constexpr std::time_t day_s = 24 * 3600;
  for (const std::filesystem::path& path : files_of(folder, file_prefix)) {
    struct stat what {};
    if (lstat(path.c_str(), &what) != 0 || what.st_uid != geteuid()) continue;
    if (std::time(nullptr) - what.st_ctime < day_s || !S_ISREG(what.st_mode)) continue;
    std::ifstream file(path, std::ios::binary);
    profile_header header;
    file.read(reinterpret_cast<char*>(&header), offsetof(profile_header, switches));
    const bool is_alive = file && header.pid > 0 && (kill(header.pid, 0) == 0 || errno != ESRCH);
    if (!is_alive) unlink(path.c_str());
  }
}

folder_lock::folder_lock(const std::string& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  constexpr int longest_ms = 20'000;
  constexpr int step_ms = 10;
  for (int ms = 0; descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ms += step_ms) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;
    if (ms >= longest_ms) {
      close(descriptor_);
      throw error(filled("another program keeps {} locked", folder));
    }
    const timespec nap{0, step_ms * 1'000'000};
    nanosleep(&nap, nullptr);
  }
}
folder_lock::~folder_lock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace plait::attach
