// SPDX-License-Identifier: BSD-3-Clause
/// A rank's profile out of its memory: for sending it to rank 0, and for reading what a process
/// left.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "attach/books/profile_data.hpp"

namespace plait::attach {

struct rank_profile {
  profile_header header;
  std::map<int, site_data> sites;               ///< those in use, by their number
  std::map<std::uint64_t, python_place> lines;  ///< of Python, likewise
  /// By their number; one that was still open ended with the rank.
  std::vector<region_data> regions;
  std::vector<std::uint64_t> sent_bytes;
  std::vector<std::uint64_t> sent_messages;
  std::vector<record_data> records;
  std::vector<call_data> calls;
};

/// Reads the memory of a notebook; of records, those that a stricter sampling keeps.  Errors:
/// `error` where the bytes are no profile, or a damaged one.
[[nodiscard]] rank_profile read_profile(std::span<const std::byte> memory,
                                        std::uint32_t sampling = 0);
/// Drops the records that a stricter sampling does not keep.
void thin_out(rank_profile& one, std::uint32_t sampling);
[[nodiscard]] std::vector<std::byte> pack_profile(const rank_profile& one);
[[nodiscard]] rank_profile unpack_profile(std::span<const std::byte> packed);

/// The file of a rank's profile, for a job that writes its result to `json`.
[[nodiscard]] std::string profile_path(const std::string& folder, const std::string& json,
                                       int rank);
/// Reads the files that the ranks of the last such job left.  Files of other users and damaged ones
/// are left out.  Errors: `error` that says what is wrong with a file, where none can be read.
[[nodiscard]] std::vector<rank_profile> read_left_profiles(const std::string& folder,
                                                           const std::string& json);
/// Removes the files of all ranks of such jobs.
void remove_left_profiles(const std::string& folder, const std::string& json) noexcept;
/// Removes what jobs of this user that were killed left in a folder more than a day ago.
void remove_forgotten_profiles(const std::string& folder) noexcept;

/// Keeps other processes of this machine from reading and removing the files of a folder, for a
/// scope.  A process that ends gives it up.  Errors: `error` where another keeps it for long, as
/// any user may who can read the folder.
class folder_lock {
 public:
  explicit folder_lock(const std::string& folder);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

 private:
  int descriptor_;
};

}  // namespace plait::attach
