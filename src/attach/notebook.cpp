// SPDX-License-Identifier: BSD-3-Clause
#include "attach/notebook.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace plait::attach {
namespace {

constexpr std::size_t default_records = 1 << 17;
constexpr std::size_t default_calls = 1 << 18;
/// Sizes of what is brought in, of records and of calls each: before the program calls MPI, and
/// whenever more is needed.
constexpr std::size_t ready_bytes_at_start = 2 << 20;
constexpr std::size_t ready_bytes_at_once = 256 << 10;

[[nodiscard]] std::size_t number_from(const char* variable, std::size_t otherwise) noexcept {
  const char* text = std::getenv(variable);
  const long long value = text == nullptr ? 0 : std::atoll(text);
  return value >= 16 ? static_cast<std::size_t>(value) : otherwise;
}

/// Maps a file of that size; null where it cannot be had, or where its file system could not hold
/// some of them: a write to a page that finds no room would end the program.
[[nodiscard]] void* map_file(const std::string& path, std::size_t size) noexcept {
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  struct statvfs room {};
  if (statvfs(folder.c_str(), &room) != 0 || room.f_bavail * room.f_frsize < 8 * size) {
    return nullptr;
  }
  unlink(path.c_str());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (memory != MAP_FAILED) return memory;
  unlink(path.c_str());
  return nullptr;
}

}  // namespace

void notebook::open(const std::string& path, std::size_t ranks, bool with_calls) {
  const std::size_t records = number_from("PLAIT_ATTACH_RECORDS", default_records);
  const std::size_t calls = with_calls ? number_from("PLAIT_ATTACH_CALLS", default_calls) : 0;
  const profile_layout layout(ranks, records, calls);
  void* memory = path.empty() ? nullptr : map_file(path, layout.size);
  if (memory != nullptr) {
    path_ = path;
  } else {
    memory = mmap(nullptr, layout.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
  }
  auto* const bytes = static_cast<std::byte*>(memory);
  header_ = new (memory) profile_header;
  header_->size = layout.size;
  header_->record_capacity = records;
  header_->call_capacity = calls;
  sites_ = reinterpret_cast<site_data*>(bytes + layout.sites);
  sent_bytes_ = reinterpret_cast<std::uint64_t*>(bytes + layout.sent_bytes);
  sent_messages_ = reinterpret_cast<std::uint64_t*>(bytes + layout.sent_messages);
  records_ = reinterpret_cast<record_data*>(bytes + layout.records);
  calls_ = reinterpret_cast<call_data*>(bytes + layout.calls);
  ready_records_ = bring_in(records_, 0, records, ready_bytes_at_start);
  ready_calls_ = bring_in(calls_, 0, calls, ready_bytes_at_start);
}

bool notebook::was_taken() const noexcept {
  return access(path_.c_str(), F_OK) != 0;
}

void notebook::remove_file() noexcept {
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
}

int notebook::new_site(int slot, int call, std::uint64_t address) noexcept {
  site_data& one = sites_[slot];
  one.call = call;
  one.module = -1;
  Dl_info info{};
  link_map* loaded = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&loaded),
              RTLD_DL_LINKMAP) != 0 &&
      loaded != nullptr) {
    const auto base = static_cast<std::uint64_t>(loaded->l_addr);
    one.offset = address - base;
    const bool is_program = loaded->l_name == nullptr || loaded->l_name[0] == '\0';
    const char* path = is_program ? header_->program : loaded->l_name;
    int m = 0;
    while (m < header_->modules && std::strncmp(header_->module[m].path, path, 247) != 0) ++m;
    if (m == header_->modules && m < most_modules) {
      std::memcpy(header_->module[m].path, path, strnlen(path, 247));
      header_->module[m].base = base;
      ++header_->modules;
    }
    if (m < most_modules) one.module = m;
  }
  one.address = address;
  ++header_->sites;
  return slot;
}

int notebook::rest_of_sites(int call) noexcept {
  sites_[site_of_the_rest].call = call;
  return site_of_the_rest;
}

/// One system call for many pages: a fault for each takes a tenth of the time that a short message
/// takes. [osu_latency, 8 bytes, MPICH on shared memory, 10 000 messages each way, medians of
/// seven: 0.31 us with a fault for each, 0.29 without, 0.19 as the program is]
template <class Entry>
std::uint64_t notebook::bring_in(Entry* entries, std::uint64_t first, std::uint64_t capacity,
                                 std::size_t wanted_bytes) noexcept {
  const std::uint64_t end = std::min(first + wanted_bytes / sizeof(Entry), capacity);
  const auto begin_byte =
      reinterpret_cast<std::uintptr_t>(entries + first) / page_bytes * page_bytes;
  const auto end_byte = reinterpret_cast<std::uintptr_t>(entries + end);
  // A kernel that does not know how brings pages in one by one.
  (void)madvise(reinterpret_cast<void*>(begin_byte), end_byte - begin_byte, MADV_POPULATE_WRITE);
  return end;
}

void notebook::bring_in_records() noexcept {
  ready_records_ =
      bring_in(records_, header_->records, header_->record_capacity, ready_bytes_at_once);
}

/// Keeps every other record: those whose other ends are kept too.
void notebook::thin_out() noexcept {
  profile_header& h = *header_;
  while (h.records == h.record_capacity && h.sampling < 40) {
    ++h.sampling;
    std::uint64_t kept = 0;
    for (std::uint64_t i = 0; i < h.records; ++i) {
      if (is_kept(sample_hash(records_[i], h.rank), h.sampling)) records_[kept++] = records_[i];
    }
    h.records = kept;
  }
}

/// The tests of a loop that fail, and the one that ends it, are one call.
void notebook::add_call(ticks begin, ticks end, int site, std::uint64_t bytes,
                        bool in_vain) noexcept {
  profile_header& h = *header_;
  const bool goes_on = std::exchange(last_was_in_vain_, in_vain);
  if (goes_on && h.calls > 0 && calls_[h.calls - 1].site == site) {
    call_data& last = calls_[h.calls - 1];
    last.end = end;
    last.bytes += bytes;
    ++last.times;
    return;
  }
  if (h.calls == h.call_capacity) {
    ++h.calls_left_out;
    return;
  }
  if (h.calls == ready_calls_) [[unlikely]]
    ready_calls_ = bring_in(calls_, h.calls, h.call_capacity, ready_bytes_at_once);
  calls_[h.calls] = {begin, end, site, 1, bytes};
  ++h.calls;
}

}  // namespace plait::attach
