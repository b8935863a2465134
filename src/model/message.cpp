// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include <plait/core/error.hpp>
#include <plait/model/message.hpp>

namespace plait::model {
namespace {

double further_bytes(double size_bytes) {
  return std::max(size_bytes - 1, 0.0);
}

bool by_rendezvous(const parameters& network, double size_bytes) {
  return size_bytes > network.eager_limit_bytes;
}

double processor_s(const parameters& network, double overhead_s, double size_bytes) {
  return overhead_s * (by_rendezvous(network, size_bytes) ? 2 : 1) +
         further_bytes(size_bytes) * network.overhead_per_byte_s;
}

double network_interval_s(const parameters& network, double size_bytes) {
  return network.gap_s + further_bytes(size_bytes) * network.gap_per_byte_s;
}

}  // namespace

double handshake_s(const parameters& network, double size_bytes) {
  PLAIT_EXPECTS(size_bytes >= 0, std::to_string(size_bytes));
  if (!by_rendezvous(network, size_bytes)) return 0;
  // A negative L must not make a handshake save time.
  return std::max(0.0,
                  network.send_overhead_s + network.receive_overhead_s + 2 * network.latency_s);
}

double message_s(const parameters& network, double size_bytes) {
  PLAIT_EXPECTS(size_bytes >= 0, std::to_string(size_bytes));
  const double per_byte_s = std::max(network.gap_per_byte_s, network.overhead_per_byte_s);
  return network.send_overhead_s + network.latency_s + further_bytes(size_bytes) * per_byte_s +
         network.receive_overhead_s + handshake_s(network, size_bytes);
}

double send_processor_s(const parameters& network, double size_bytes) {
  PLAIT_EXPECTS(size_bytes >= 0, std::to_string(size_bytes));
  return processor_s(network, network.send_overhead_s, size_bytes);
}

double receive_processor_s(const parameters& network, double size_bytes) {
  PLAIT_EXPECTS(size_bytes >= 0, std::to_string(size_bytes));
  return processor_s(network, network.receive_overhead_s, size_bytes);
}

double send_interval_s(const parameters& network, double size_bytes) {
  return std::max(send_processor_s(network, size_bytes), network_interval_s(network, size_bytes));
}

double receive_interval_s(const parameters& network, double size_bytes) {
  return std::max(receive_processor_s(network, size_bytes),
                  network_interval_s(network, size_bytes));
}

double burst_s(const parameters& network, double size_bytes, int count) {
  PLAIT_EXPECTS(count >= 1, std::to_string(count));
  return (count - 1) * send_interval_s(network, size_bytes) + message_s(network, size_bytes);
}

completion deliver(const parameters& network, double size_bytes, posting posted) {
  if (by_rendezvous(network, size_bytes)) {
    const double both_s = std::max(posted.send_s, posted.receive_s);
    const double done_s = both_s + message_s(network, size_bytes);
    return {done_s, done_s};
  }
  return {posted.send_s + send_processor_s(network, size_bytes),
          std::max(posted.send_s + message_s(network, size_bytes), posted.receive_s)};
}

}  // namespace plait::model
