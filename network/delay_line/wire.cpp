// SPDX-License-Identifier: BSD-3-Clause
#include "wire.hpp"

#include <utility>

namespace plait::network::delay_line {

void wire::send(frame sent, moment now) {
  if (used_bytes_ + sent.size() > room_bytes_) {
    ++lost_;
    return;
  }
  used_bytes_ += sent.size();
  on_their_way_.push_back({now + delay_, std::move(sent)});
}

std::optional<frame> wire::arrived(moment now) {
  if (on_their_way_.empty() || on_their_way_.front().due > now) return std::nullopt;
  frame result = std::move(on_their_way_.front().carried);
  on_their_way_.pop_front();
  used_bytes_ -= result.size();
  return result;
}

std::optional<moment> wire::next_arrival() const {
  if (on_their_way_.empty()) return std::nullopt;
  return on_their_way_.front().due;
}

}  // namespace plait::network::delay_line
