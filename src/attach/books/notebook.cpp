// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/notebook.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "attach/calls/loaded_code.hpp"

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
  lines_.open(reinterpret_cast<python_place*>(bytes + layout.python_places), *header_);
  regions_ = reinterpret_cast<region_data*>(bytes + layout.regions);
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

/// The module that code at an address was loaded from, and where it lies; -1: none, or no room.
int notebook::module_of(std::uint64_t address, std::uint64_t& base) noexcept {
  const link_map* const loaded = file_of(reinterpret_cast<const void*>(address));
  if (loaded == nullptr) return -1;
  base = static_cast<std::uint64_t>(loaded->l_addr);
  const bool is_program = loaded->l_name == nullptr || loaded->l_name[0] == '\0';
  const char* path = is_program ? header_->program : loaded->l_name;
  int m = 0;
  while (m < header_->modules && std::strncmp(header_->module[m].path, path, 247) != 0) ++m;
  if (m == most_modules) return -1;
  if (m == header_->modules) {
    std::memcpy(header_->module[m].path, path, strnlen(path, 247));
    header_->module[m].base = base;
    ++header_->modules;
  }
  return m;
}

/// The first way to a call.
int notebook::new_way(int slot, called what, const call_place& from) noexcept {
  if (own_stack_end == 0) find_stack_end();
  site_data& one = sites_[slot];
  one.call = what.call;
  one.region = what.region;
  one.recent_way = one.next_way = slot;
  one.ways = 1;
  std::uint64_t base = 0;
  find_way_to(one, module_of(from.address, base), from);
  set_place(one, from.address);
  return slot;
}

int notebook::find_other_way(int first, called what, const call_place& from) noexcept {
  if (own_stack_end == 0) {  // a thread's first call
    find_stack_end();
    return find_site(what.call, from, what.region);
  }
  site_data& known = sites_[first];
  site_data& last = sites_[known.recent_way];
  if (is_way(sites_[last.next_way], from)) return known.recent_way = last.next_way;
  if (is_way(known, from)) return known.recent_way = last.next_way = first;
  site_data here;
  find_way_to(here, known.module, from);
  std::uint64_t way = static_cast<std::uint64_t>(here.callers);
  for (int i = 0; i < here.callers; ++i) way = mix(way, here.caller[i].address);
  if (way <= other_ways) way += 2;
  int slot = find_way(what, from, way);
  if (sites_[slot].address == 0 && known.ways == most_ways) {
    way = other_ways;
    here.callers = 0;
    slot = find_way(what, from, way);
  }
  site_data& one = sites_[slot];
  if (one.address == 0) {
    one.call = what.call;
    one.region = what.region;
    one.way = way;
    one.next_way = first;
    one.callers = here.callers;
    std::copy_n(here.caller, here.callers, one.caller);
    ++known.ways;
    set_place(one, from.address);
  }
  if (one.way == way && way != other_ways) known.recent_way = last.next_way = slot;
  return slot;
}

/// Lines of Python where mpi4py calls, else the callers.
void notebook::find_way_to(site_data& one, int module, const call_place& from) noexcept {
  const bool is_mpi4py =
      module >= 0 && std::strstr(header_->module[module].path, "/mpi4py/MPI") != nullptr;
  one.callers = is_mpi4py ? lines_.note_here(one.caller) : 0;
  if (one.callers == 0) one.callers = find_callers(from, one.caller);
}

void notebook::set_place(site_data& one, std::uint64_t address) noexcept {
  std::uint64_t base = 0;
  one.module = module_of(address, base);
  one.offset = address - base;
  for (int i = 0; i < one.callers; ++i) {
    one.caller[i].module = static_cast<std::int8_t>(module_of(one.caller[i].address, base));
  }
  one.address = address;
}

int notebook::rest_of_sites(int call) noexcept {
  site_data& rest = sites_[site_of_the_rest];
  rest.call = call;
  rest.recent_way = site_of_the_rest;
  rest.address = 1;  // of no code
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

void notebook::add_call(std::uint16_t thread, ticks begin, ticks end, int site, std::uint64_t bytes,
                        bool in_vain, std::uint64_t& failing_loop) noexcept {
  profile_header& h = *header_;
  const std::uint64_t goes_on = std::exchange(failing_loop, 0);
  if (goes_on > 0 && calls_[goes_on - 1].site == site &&
      ticks_to_seconds(begin - calls_[goes_on - 1].end) < shortest_computation_s) {
    if (in_vain) failing_loop = goes_on;
    call_data& last = calls_[goes_on - 1];
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
  calls_[h.calls] = {begin, end, static_cast<std::int16_t>(site), thread, 1, bytes};
  ++h.calls;
  if (in_vain) failing_loop = h.calls;
}

}  // namespace plait::attach
