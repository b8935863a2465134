// SPDX-License-Identifier: BSD-3-Clause
#include "attach/rank_profile.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plait::attach {
namespace {

template <class T>
[[nodiscard]] std::vector<T> copy_of(std::span<const std::byte> memory, std::size_t at,
                                     std::size_t count) {
  if (at > memory.size() || count > (memory.size() - at) / sizeof(T)) {
    throw error("a profile is cut short");
  }
  std::vector<T> values(count);
  if (count > 0)
    std::memcpy(static_cast<void*>(values.data()), memory.data() + at, count * sizeof(T));
  return values;
}

template <class T>
void append(std::vector<std::byte>& to, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  to.insert(to.end(), bytes, bytes + values.size() * sizeof(T));
}

class reader {
 public:
  explicit reader(std::span<const std::byte> from) : from_(from) {}
  template <class T>
  [[nodiscard]] std::vector<T> take(std::size_t count) {
    auto values = copy_of<T>(from_, at_, count);
    at_ += count * sizeof(T);
    return values;
  }

 private:
  std::span<const std::byte> from_;
  std::size_t at_ = 0;
};

constexpr const char* file_prefix = "plait-attach-";

/// Numbers of sites, records and calls that follow the header.
struct packed_counts {
  std::uint64_t sites = 0;
  std::uint64_t records = 0;
  std::uint64_t calls = 0;
};
struct packed_site {
  std::int64_t number = 0;
  site_data site;
};

[[nodiscard]] std::string stem_of(const std::string& json) {
  std::error_code failed;
  const std::string whole = std::filesystem::absolute(json, failed).lexically_normal().string();
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : whole) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}{:016x}-", file_prefix, hash);
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

}  // namespace

rank_profile read_profile(std::span<const std::byte> memory, std::uint32_t sampling) {
  rank_profile one;
  one.header = copy_of<profile_header>(memory, 0, 1).front();
  profile_header& h = one.header;
  if (h.magic != profile_magic || h.size != memory.size() || h.ranks < 1) {
    throw error("a file is no profile of this build of plait");
  }
  const auto ranks = static_cast<std::size_t>(h.ranks);
  const profile_layout layout(ranks, h.record_capacity, h.call_capacity);
  const auto sites = copy_of<site_data>(memory, layout.sites, most_sites);
  for (int i = 0; i < most_sites; ++i) {
    if (sites[static_cast<std::size_t>(i)].count > 0) {
      one.sites[i] = sites[static_cast<std::size_t>(i)];
    }
  }
  one.sent_bytes = copy_of<std::uint64_t>(memory, layout.sent_bytes, ranks);
  one.sent_messages = copy_of<std::uint64_t>(memory, layout.sent_messages, ranks);
  one.records = copy_of<record_data>(memory, layout.records, h.records);
  one.calls = copy_of<call_data>(memory, layout.calls, h.calls);
  if (sampling > h.sampling) {
    h.sampling = sampling;
    std::erase_if(one.records,
                  [&](const record_data& r) { return !is_kept(sample_hash(r, h.rank), sampling); });
  }
  h.records = one.records.size();
  return one;
}

std::vector<std::byte> pack_profile(const rank_profile& one) {
  std::vector<packed_site> sites;
  for (const auto& [number, site] : one.sites) sites.push_back({number, site});
  std::vector<std::byte> packed;
  append(packed, std::vector{one.header});
  append(packed, std::vector{packed_counts{sites.size(), one.records.size(), one.calls.size()}});
  append(packed, sites);
  append(packed, one.sent_bytes);
  append(packed, one.sent_messages);
  append(packed, one.records);
  append(packed, one.calls);
  return packed;
}

rank_profile unpack_profile(std::span<const std::byte> packed) {
  reader from(packed);
  rank_profile one;
  one.header = from.take<profile_header>(1).front();
  const packed_counts counts = from.take<packed_counts>(1).front();
  for (const packed_site& s : from.take<packed_site>(counts.sites)) {
    one.sites[static_cast<int>(s.number)] = s.site;
  }
  one.sent_bytes = from.take<std::uint64_t>(static_cast<std::size_t>(one.header.ranks));
  one.sent_messages = from.take<std::uint64_t>(static_cast<std::size_t>(one.header.ranks));
  one.records = from.take<record_data>(counts.records);
  one.calls = from.take<call_data>(counts.calls);
  return one;
}

std::string profile_path(const std::string& folder, const std::string& json, int rank) {
  return fmt::format("{}/{}{}", folder, stem_of(json), rank);
}

/// Files of an earlier job that more ranks left are none of this one's: each names its job.
std::vector<rank_profile> read_left_profiles(const std::string& folder, const std::string& json) {
  std::vector<rank_profile> found;
  for (const std::filesystem::path& path : files_of(folder, stem_of(json))) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    try {
      found.push_back(read_profile(std::as_bytes(std::span(text))));
    } catch (const error&) {  // not begun yet when its process ended
    }
  }
  if (found.empty()) return found;
  const auto latest =
      std::ranges::max_element(found, {}, [](const rank_profile& one) { return one.header.begin; });
  const std::uint64_t job = latest->header.job;
  std::erase_if(found, [job](const rank_profile& one) { return one.header.job != job; });
  std::ranges::sort(found, {}, [](const rank_profile& one) { return one.header.rank; });
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
    if (stat(path.c_str(), &what) != 0 || what.st_uid != geteuid()) continue;
    if (std::time(nullptr) - what.st_ctime < day_s) continue;
    std::ifstream file(path, std::ios::binary);
    profile_header header;
    file.read(reinterpret_cast<char*>(&header), offsetof(profile_header, switches));
    const bool is_alive = file && header.pid > 0 && (kill(header.pid, 0) == 0 || errno != ESRCH);
    if (!is_alive) unlink(path.c_str());
  }
}

folder_lock::folder_lock(const std::string& folder) noexcept
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
}
folder_lock::~folder_lock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace plait::attach
