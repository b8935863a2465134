// SPDX-License-Identifier: BSD-3-Clause
/// The schedules of collective calls, kept for calls of the same shape.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>

#include <plait/collective/schedule.hpp>
#include <plait/collective/shape.hpp>

namespace plait {

class collective_schedules {
 public:
  struct entry {
    collective::shape shape;
    collective::algorithm how;
    collective::schedule schedule = collective::build(shape, how);
  };

  [[nodiscard]] std::shared_ptr<const entry> of(const collective::shape& shape,
                                                collective::algorithm how) {
    const std::size_t key = hash(shape, how);
    const auto [begin, end] = known_.equal_range(key);
    for (auto at = begin; at != end; ++at) {
      if (at->second->how == how && at->second->shape == shape) return at->second;
    }
    if (known_.size() >= most) known_.clear();
    return known_.emplace(key, std::make_shared<const entry>(entry{shape, how}))->second;
  }

 private:
  [[nodiscard]] static std::size_t hash(const collective::shape& s, collective::algorithm how) {
    std::size_t result = 0;
    const auto mix = [&](std::size_t value) {
      result ^=
          std::hash<std::size_t>{}(value) + 0x9e3779b97f4a7c15U + (result << 6) + (result >> 2);
    };
    for (const std::size_t value :
         {static_cast<std::size_t>(s.what), static_cast<std::size_t>(how), s.count, s.element_bytes,
          static_cast<std::size_t>(s.root), static_cast<std::size_t>(s.ranks)})
      mix(value);
    for (const auto* blocks : {&s.send_blocks, &s.receive_blocks}) {
      for (const collective::block& b : *blocks) mix(b.count + (b.displacement << 20));
    }
    return result;
  }

  static constexpr std::size_t most = 1024;
  std::unordered_multimap<std::size_t, std::shared_ptr<const entry>> known_;
};

}  // namespace plait
