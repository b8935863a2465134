// SPDX-License-Identifier: BSD-3-Clause
/// Writes a rank's profile while the program runs.  One thread at a time: where several threads
/// call MPI at once, `call` takes a lock.
#pragma once

#include <string>

#include "attach/books/python_lines.hpp"
#include "attach/calls/call_chain.hpp"

namespace plait::attach {

/// The shared mapping is written by this process alone, by plain stores, and read by others only
/// once the process has ended: the kernel keeps the pages of a file whatever ends their writer, and
/// orders the end of a process before what waits for it.  What a kill may cut short is one record
/// that is not counted yet: counters are raised after what they count is written.
class notebook {
 public:
  /// Opens the memory: the file `path`, or no file where that is empty or has no room.
  void open(const std::string& path, std::size_t ranks, bool with_calls);
  [[nodiscard]] bool has_file() const noexcept { return !path_.empty(); }
  /// Returns true if another process has removed the file: it has written what all files say.
  [[nodiscard]] bool was_taken() const noexcept;
  /// Gives the file up.
  void remove_file() noexcept;

  [[nodiscard]] profile_header& header() noexcept { return *header_; }
  [[nodiscard]] site_data& site(int index) noexcept { return sites_[index]; }
  [[nodiscard]] region_data& region(int number) noexcept { return regions_[number]; }

  [[nodiscard]] int find_site(int call, const call_place& from, int region) noexcept {
    const int first = find_way({call, region}, from, first_way);
    const site_data& one = sites_[first];
    if (one.address == 0) return new_way(first, {call, region}, from);
    if (is_way(sites_[one.recent_way], from)) [[likely]]
      return one.recent_way;
    return find_other_way(first, {call, region}, from);
  }

  void note_sent(int peer, std::uint64_t bytes) noexcept {
    sent_bytes_[peer] += bytes;
    sent_messages_[peer] += 1;
  }
  void add_record(const record_data& one) noexcept {
    profile_header& h = *header_;
    if (h.sampling != 0 && !is_kept(sample_hash(one, h.rank), h.sampling)) return;
    if (h.records == h.record_capacity) {
      thin_out();
      if (!is_kept(sample_hash(one, h.rank), h.sampling)) return;
    }
    if (h.records == ready_records_) [[unlikely]]
      bring_in_records();
    records_[h.records] = one;
    ++h.records;
  }
  /// Adds a call to the trace.  The tests of a loop that fail, and the one that ends it, are one
  /// call, unless the program computes in between.  `failing_loop`: the thread's own; the number,
  /// from 1, of the thread's last call if that was a test that failed, else 0.
  void add_call(std::uint16_t thread, ticks begin, ticks end, int site, std::uint64_t bytes,
                bool in_vain, std::uint64_t& failing_loop) noexcept;

 private:
  struct called {
    std::int32_t call;
    std::int32_t region;
  };
  /// Returns the site of a way, or a place for it whose address is 0.
  [[nodiscard]] int find_way(called what, const call_place& from, std::uint64_t way) noexcept {
    const std::uint64_t identity = from.address + static_cast<std::uint64_t>(what.call) +
                                   (static_cast<std::uint64_t>(what.region) << 48) + way;
    std::uint64_t slot = (identity * 0x9e3779b97f4a7c15) >> 52;
    for (int tries = 0; tries < 64; ++tries, slot = (slot + 1) % (most_sites - 1)) {
      slot %= most_sites - 1;
      const site_data& one = sites_[slot];
      if (one.address == from.address && one.call == what.call && one.region == what.region &&
          one.way == way) [[likely]]
        return static_cast<int>(slot);
      if (one.address == 0) return static_cast<int>(slot);
    }
    return rest_of_sites(what.call);
  }
  /// Returns true if a call came the way of a site.
  [[nodiscard]] bool is_way(const site_data& site, const call_place& from) const noexcept {
    if (site.caller[0].base == frame_base::python) [[unlikely]]
      return lines_.are_here(site);
    return came_through(site, from);
  }
  int new_way(int slot, called what, const call_place& from) noexcept;
  int find_other_way(int first, called what, const call_place& from) noexcept;
  void find_way_to(site_data& one, int module, const call_place& from) noexcept;
  void set_place(site_data& one, std::uint64_t address) noexcept;
  int module_of(std::uint64_t address, std::uint64_t& base) noexcept;
  int rest_of_sites(int call) noexcept;
  void thin_out() noexcept;
  void bring_in_records() noexcept;
  /// Returns up to which entry of an array pages have been brought in, from `first` on.
  template <class Entry>
  [[nodiscard]] static std::uint64_t bring_in(Entry* entries, std::uint64_t first,
                                              std::uint64_t capacity,
                                              std::size_t wanted_bytes) noexcept;

  std::string path_;
  profile_header* header_ = nullptr;
  site_data* sites_ = nullptr;
  python_lines lines_;
  region_data* regions_ = nullptr;
  std::uint64_t* sent_bytes_ = nullptr;
  std::uint64_t* sent_messages_ = nullptr;
  record_data* records_ = nullptr;
  call_data* calls_ = nullptr;
  std::uint64_t ready_records_ = 0;  ///< may be written without page faults
  std::uint64_t ready_calls_ = 0;
};

}  // namespace plait::attach
