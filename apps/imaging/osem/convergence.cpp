// SPDX-License-Identifier: BSD-3-Clause
#include "convergence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace osem {
namespace {

using plait::measure::json;

/// More pictures than these say no more.
constexpr int most_pictures = 12;
/// Says what rounding of the likelihood's sum may take from it.
constexpr double rounding = 1e-12;

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < n ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= n ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string picture(const std::vector<double>& plane, double high) {
  std::vector<unsigned char> grey;
  for (const double value : plane)
    grey.push_back(static_cast<unsigned char>(
        high > 0 ? std::lround(255 * std::clamp(value / high, 0.0, 1.0)) : 0));
  return base64(grey);
}

bool has_picture(int number, int iterations) {
  if (iterations < most_pictures) return true;
  return number == iterations ||
         number % ((iterations + most_pictures - 2) / (most_pictures - 1)) == 0;
}

}  // namespace

void convergence::add(const serial_iteration& one) {
  kept_.push_back({one.number, one.found, middle_plane(one.image)});
}

std::vector<double> convergence::middle_plane(const std::vector<double>& image) const {
  const auto& cells = what_.rays->grid().cells;
  const std::int64_t size = cells[0] * cells[1];
  const auto first = image.begin() + cells[2] / 2 * size;
  return {first, first + size};
}

plait::measure::verdict convergence::check() const {
  for (std::size_t i = 1; i < kept_.size(); ++i) {
    const double before = kept_[i - 1].found.log_likelihood, now = kept_[i].found.log_likelihood;
    if (what_.subsets == 1 && now < before - rounding * std::abs(before) &&
        kept_[i].found.unexplained == kept_[i - 1].found.unexplained)
      return {.verified = false,
              .max_error = before - now,
              .complaint = fmt::format("iteration {}: the likelihood falls from {} to {}",
                                       kept_[i].number, before, now)};
  }
  return {};
}

json convergence::to_json(int iterations) const {
  const auto& cells = what_.rays->grid().cells;
  const std::vector<double> truth =
      what_.truth.empty() ? std::vector<double>() : middle_plane(what_.truth);
  const std::vector<double>& brightest = truth.empty() ? kept_.back().plane : truth;
  const double high = *std::ranges::max_element(brightest);
  json result{{"width", cells[0]}, {"height", cells[1]}, {"high", high}};
  result["truth"] = truth.empty() ? json(nullptr) : json(picture(truth, high));
  result["iterations"] = json::array();
  for (const kept& one : kept_) {
    json to{{"iteration", one.number},
            {"log_likelihood", one.found.log_likelihood},
            {"unexplained", one.found.unexplained}};
    to["error"] = one.found.error ? json(*one.found.error) : json(nullptr);
    to["picture"] =
        has_picture(one.number, iterations) ? json(picture(one.plane, high)) : json(nullptr);
    result["iterations"].push_back(std::move(to));
  }
  return result;
}

std::string fingerprint(const std::vector<double>& image) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const double value : image) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8)
      hash = (hash ^ (bits >> shift & 255)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace osem
