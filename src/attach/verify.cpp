// SPDX-License-Identifier: BSD-3-Clause
#include "attach/verify.hpp"

#include <cstring>
#include <vector>

#include "attach/posting.hpp"

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

}  // namespace

/// Elements that do not lie side by side are packed first.
std::uint64_t checksum_of(const request_data& sent) noexcept {
  const std::uint64_t bytes = sent.record.bytes;
  if (bytes == 0) return 0;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  PLAIT_REAL(MPI_Type_get_extent)(sent.type, &low, &extent);
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  PLAIT_REAL(MPI_Type_get_true_extent)(sent.type, &true_low, &true_extent);
  const auto size = static_cast<MPI_Aint>(bytes / sent.count);
  if (low == 0 && true_low == 0 && extent == size && true_extent == size) {
    return hash_bytes(sent.buffer, bytes);
  }
  // MPICH takes MPI_BOTTOM for a missing buffer here: such sends are not verified.
  int packed_bytes = 0;
  if (sent.buffer == MPI_BOTTOM || sent.count > INT32_MAX ||
      PLAIT_REAL(MPI_Pack_size)(static_cast<int>(sent.count), sent.type, constants.comm_self,
                                &packed_bytes) != MPI_SUCCESS) {
    return 0;
  }
  std::vector<unsigned char> packed(static_cast<std::size_t>(packed_bytes));
  int position = 0;
  PLAIT_REAL(MPI_Pack)
  (sent.buffer, static_cast<int>(sent.count), sent.type, packed.data(), packed_bytes, &position,
   constants.comm_self);
  return hash_bytes(packed.data(), static_cast<std::uint64_t>(position));
}

void verify_at_wait(const request_data& sent, const call& here) noexcept {
  if (!sent.has_peer || checksum_of(sent) == sent.checksum) return;
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
