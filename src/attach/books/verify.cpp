// SPDX-License-Identifier: BSD-3-Clause
#include "attach/books/verify.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "attach/books/device_memory.hpp"
#include "attach/calls/posting.hpp"

namespace plait::attach {
namespace {

/// Longer buffers are looked at in parts, spread over all of them.
constexpr std::uint64_t most_bytes = 64 << 20;

[[nodiscard]] std::uint64_t hash_bytes(const void* from, std::uint64_t bytes) noexcept {
  const auto* data = static_cast<const unsigned char*>(from);
  const std::uint64_t stride = bytes > most_bytes ? bytes / most_bytes : 1;
  std::uint64_t sum[4] = {bytes, 1, 2, 3};
  std::uint64_t at = 0;
  for (int lane = 0; at + 8 <= bytes; at += 8 * stride, lane = (lane + 1) % 4) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, sizeof word);
    sum[lane] = (sum[lane] ^ word) * 0x9e3779b97f4a7c15;
    sum[lane] ^= sum[lane] >> 29;
  }
  std::uint64_t rest = 0;
  if (bytes % 8 != 0) std::memcpy(&rest, data + bytes - bytes % 8, bytes % 8);
  return mix(mix(sum[0], sum[1]), mix(mix(sum[2], sum[3]), rest));
}

/// Says what the library's own sends say that are complete from the start.
int say_sent(void*, MPI_Status* status) {
  PLAIT_REAL(MPI_Status_set_elements)(status, constants.byte, 0);
  PLAIT_REAL(MPI_Status_set_cancelled)(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;
}

}  // namespace

void start_own_request(MPI_Request& made) noexcept {
  PLAIT_REAL(MPI_Grequest_start)
  (
      say_sent, [](void*) -> int { return MPI_SUCCESS; },
      [](void*, int) -> int { return MPI_SUCCESS; }, nullptr, &made);
}

/// A datatype that the program has made is kept by one that is made of it.  A duplicate would run
/// the program's code for its attributes.
void keep_type(request_data& sent) noexcept {
  if (!sent.has_peer || sent.record.bytes == 0 || attached.sizes.is_named(sent.type)) return;
  MPI_Datatype own{};
  const int count = sent.count > INT32_MAX ? 0 : static_cast<int>(sent.count);
  if (count == 0 || PLAIT_REAL(MPI_Type_contiguous)(count, sent.type, &own) != MPI_SUCCESS) {
    sent.buffer = MPI_BOTTOM;
    return;
  }
  PLAIT_REAL(MPI_Type_commit)(&own);
  sent.type = own;
  sent.count = 1;
  sent.owns_type = true;
}

void free_type(request_data& sent) noexcept {
  if (std::exchange(sent.owns_type, false)) PLAIT_REAL(MPI_Type_free)(&sent.type);
}

void give_own_handle(MPI_Request& request) noexcept {
  int is_complete = 0;
  if (request == constants.request_null ||
      PLAIT_REAL(MPI_Request_get_status)(request, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
      is_complete == 0) {
    return;
  }
  PLAIT_REAL(MPI_Wait)(&request, MPI_STATUS_IGNORE);
  start_own_request(request);
  PLAIT_REAL(MPI_Grequest_complete)(request);
}

/// Elements of the program's own datatypes are packed first: they may leave gaps, or overlap.
std::optional<std::uint64_t> checksum_of(const request_data& sent) noexcept {
  const std::uint64_t bytes = sent.record.bytes;
  // MPICH takes MPI_BOTTOM for a missing buffer when it packs: such sends are not verified.
  if (bytes == 0 || sent.buffer == MPI_BOTTOM || is_of_device(sent.buffer)) return {};
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  PLAIT_REAL(MPI_Type_get_extent)(sent.type, &low, &extent);
  const bool is_dense = extent == static_cast<MPI_Aint>(bytes / sent.count);
  if (!sent.owns_type && is_dense) return hash_bytes(sent.buffer, bytes);
  int packed_bytes = 0;
  if (sent.count > INT32_MAX ||
      PLAIT_REAL(MPI_Pack_size)(static_cast<int>(sent.count), sent.type, constants.comm_self,
                                &packed_bytes) != MPI_SUCCESS ||
      packed_bytes <= 0) {
    return {};
  }
  const std::unique_ptr<unsigned char[]> packed(new (std::nothrow) unsigned char[packed_bytes]);
  if (packed == nullptr) return {};
  int position = 0;
  PLAIT_REAL(MPI_Pack)
  (sent.buffer, static_cast<int>(sent.count), sent.type, packed.get(), packed_bytes, &position,
   constants.comm_self);
  return hash_bytes(packed.get(), static_cast<std::uint64_t>(position));
}

void verify_at_wait(request_data& sent, const call& here) noexcept {
  if (!sent.is_started || !sent.checksum || std::exchange(sent.is_checked, true)) return;
  const auto checksum = checksum_of(sent);
  if (!checksum || *checksum == *sent.checksum) return;
  profile_header& h = attached.notes.header();
  int i = 0;
  while (i < h.changed && (h.changed_buffers[i].post_site != sent.record.post_site ||
                           h.changed_buffers[i].wait_site != here.site())) {
    ++i;
  }
  if (i == most_warnings) return;
  h.changed_buffers[i].post_site = sent.record.post_site;
  h.changed_buffers[i].wait_site = here.site();
  ++h.changed_buffers[i].times;
  if (i == h.changed) ++h.changed;
}

}  // namespace plait::attach
