// SPDX-License-Identifier: BSD-3-Clause
/// The signals that other ranks have raised here, and who waits for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>

#include <plait/comm/served_window.hpp>

namespace plait {

/// The k-th wait for a (source, flag) and the k-th signal of it meet, whichever is first; signals
/// may come in any order.  Holder of the token only.
class raised_signals {
 public:
  explicit raised_signals(int flags) : flags_(static_cast<std::size_t>(flags)) {}

  void raise(int source, int flag, std::uint64_t place, one_sided_service::finished_list& done) {
    line& l = lines_[index(source, flag)];
    if (place == l.come) {
      ++l.come;
      while (!l.early.empty() && *l.early.begin() == l.come) {
        l.early.erase(l.early.begin());
        ++l.come;
      }
    } else {
      l.early.insert(place);
    }
    const auto who = l.waiting.find(place);
    if (who == l.waiting.end()) return;
    done.push_back({who->second, nullptr});
    l.waiting.erase(who);
  }

  void await(operation& op, one_sided_service::finished_list& done) {
    line& l = lines_[index(op.peer, op.tag)];
    if (op.sequence < l.come || l.early.contains(op.sequence)) {
      done.push_back({&op, nullptr});
    } else {
      l.waiting.emplace(op.sequence, &op);
    }
  }

  void give_up(one_sided_service::finished_list& done) {
    for (auto& [of, l] : lines_) {
      for (const auto& [place, op] : l.waiting) done.push_back({op, nullptr});
      l.waiting.clear();
    }
  }

  void for_each(const std::function<void(const operation&)>& visit) const {
    for (const auto& [of, l] : lines_) {
      for (const auto& [place, op] : l.waiting) visit(*op);
    }
  }

 private:
  struct line {
    std::uint64_t come = 0;         ///< so many have come without a gap
    std::set<std::uint64_t> early;  ///< behind the gap
    std::unordered_map<std::uint64_t, operation*> waiting;
  };

  [[nodiscard]] std::size_t index(int source, int flag) const noexcept {
    return static_cast<std::size_t>(source) * flags_ + static_cast<std::size_t>(flag);
  }

  const std::size_t flags_;
  std::unordered_map<std::size_t, line> lines_;  ///< those that were used: a rank has few peers
};

}  // namespace plait
