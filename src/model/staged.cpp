// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include <plait/core/error.hpp>
#include <plait/model/message.hpp>
#include <plait/model/staged.hpp>

namespace plait::model {

parameters usual_network() noexcept {
  parameters network;
  network.latency_s = 2e-5;
  network.send_overhead_s = network.receive_overhead_s = 5e-6;
  network.gap_per_byte_s = 8e-10;
  network.eager_limit_bytes = 65536;  // Open MPI's btl_tcp_eager_limit
  return network;
}

double staged_s(const staged_way& way, double size_bytes, int parts) {
  PLAIT_EXPECTS(size_bytes >= 0 && parts >= 1,
                std::to_string(size_bytes) + " bytes in " + std::to_string(parts));
  const double part = size_bytes / parts;
  const double copy = way.copy_latency_s + part * way.copy_per_byte_s;
  const double link =
      std::max(send_interval_s(way.network, part), receive_interval_s(way.network, part)) +
      handshake_s(way.network, part) + way.part_s;
  return 2 * copy + message_s(way.network, part) + (parts - 1) * std::max(copy, link);
}

int cheapest_parts(const staged_way& way, double size_bytes) {
  const int most = static_cast<int>(std::min<double>(most_parts, size_bytes / least_part_bytes));
  int best = 1;
  for (int parts = 2; parts <= most; ++parts) {
    if (staged_s(way, size_bytes, parts) < staged_s(way, size_bytes, best)) best = parts;
  }
  return best;
}

}  // namespace plait::model
