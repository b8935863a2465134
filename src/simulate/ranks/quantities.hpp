// SPDX-License-Identifier: BSD-3-Clause
/// Laws by which durations of tasks, sizes of messages and lengths of calls follow from the grid.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <plait/simulate/more_ranks.hpp>

#include "simulate/ranks/scaling.hpp"
#include "simulate/ranks/structure.hpp"

namespace plait::simulate {

class quantity_laws {
 public:
  /// All outlive this.
  quantity_laws(std::span<const recorded_calls> recorded, const common_structure& structure,
                const grid_space& space);

  /// Returns by what a quantity of an operation of a class is multiplied from one grid to another.
  /// `call`: null unless the operation is one.  Errors: usage_error where no two recordings share
  /// it.
  [[nodiscard]] double factor(const operation& what, const collective_call* call,
                              const peer_law& peer, const grid_space::point& from,
                              const grid_space::point& to) const;
  [[nodiscard]] const std::vector<power_law>& all() const { return shown_; }
  /// Returns the shares of computation that laws have of which no simple fraction is near.
  [[nodiscard]] std::string why_uncertain() const;

 private:
  /// Quantity, name, and the axes along which a message goes.
  using key = std::tuple<power_law::quantity, std::uint32_t, std::uint32_t>;
  struct law {
    std::vector<double> exponents;
    bool is_known = false;
  };
  [[nodiscard]] static key key_of(const operation& what, bool is_call, const peer_law& peer);
  [[nodiscard]] std::map<key, std::vector<scaling_sample>> samples_of(
      std::map<key, double>& weights, std::set<key>& shared) const;
  /// Returns the largest deviation of a size, each against the same operation on other ranks.
  [[nodiscard]] double largest_by_place(const key& which,
                                        const std::vector<double>& exponents) const;
  /// Returns whether there is a grid more than exponents and constant take.
  [[nodiscard]] bool is_confirmed() const;
  [[nodiscard]] law fitted(const key& of, const std::vector<scaling_sample>& samples);

  std::span<const recorded_calls> recorded_;
  const common_structure& structure_;
  const grid_space& space_;
  std::map<key, law> laws_;
  std::vector<power_law> shown_;
  std::string why_uncertain_;
};

}  // namespace plait::simulate
