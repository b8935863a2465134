// SPDX-License-Identifier: BSD-3-Clause
#include "policy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace redblack3d {
namespace {

using kind = policy::kind;
using sharing = policy::sharing;

constexpr std::string_view grammar =
    "a policy is HAND, MT(k)[+!OLAP|+OLAP[+XTRA]][+IRR(m:n)|+DYN], TASK[+MT(k)][+XTRA] or IDEAL";
constexpr int most_threads = 1024;
constexpr int largest_weight = 1'000'000;

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  policy parse() {
    std::string_view rest = text_;
    for (;;) {
      const std::size_t plus = rest.find('+');
      take(trimmed(rest.substr(0, plus)));
      if (plus == std::string_view::npos) break;
      rest.remove_prefix(plus + 1);
    }
    return composed();
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw plait::usage_error(fmt::format("policy '{}': {}; {}", text_, why, grammar));
  }

  static std::string_view trimmed(std::string_view word) {
    const std::size_t first = word.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return word.substr(first, word.find_last_not_of(" \t") - first + 1);
  }

  void take(std::string_view word) {
    const std::size_t open = word.find('(');
    const std::string_view name = trimmed(word.substr(0, open));
    if (open != std::string_view::npos) {
      if (word.back() != ')') refuse(fmt::format("'{}' does not end with a parenthesis", word));
      take_with(name, word.substr(open + 1, word.size() - open - 2));
    } else if (name == "HAND") {
      once(hand_, name);
    } else if (name == "IDEAL") {
      once(ideal_, name);
    } else if (name == "TASK") {
      once(task_, name);
    } else if (name == "DYN") {
      once(dynamic_, name);
    } else if (name == "OLAP") {
      once(overlap_, name);
    } else if (name == "!OLAP") {
      once(no_overlap_, name);
    } else if (name == "XTRA") {
      once(proxy_, name);
    } else if (name == "MT") {
      refuse("MT wants its threads, as in MT(4)");
    } else if (name == "IRR") {
      refuse("IRR wants the weights of two sets, as in IRR(44:50)");
    } else if (name.empty()) {
      refuse("a word is missing");
    } else {
      refuse(fmt::format("unknown word '{}'", name));
    }
  }

  void take_with(std::string_view name, std::string_view inside) {
    if (name == "MT") {
      if (threads_ != 0) refuse("MT is given twice");
      threads_ = number(name, inside, most_threads);
    } else if (name == "IRR") {
      if (weights_) refuse("IRR is given twice");
      const std::size_t middle = inside.find_first_of(":,");
      if (middle == std::string_view::npos)
        refuse("IRR wants the weights of two sets, as in IRR(44:50)");
      weights_ = {number(name, inside.substr(0, middle), largest_weight),
                  number(name, inside.substr(middle + 1), largest_weight)};
    } else {
      refuse(fmt::format("unknown word '{}'", name));
    }
  }

  void once(bool& flag, std::string_view name) const {
    if (flag) refuse(fmt::format("{} is given twice", name));
    flag = true;
  }

  [[nodiscard]] int number(std::string_view name, std::string_view digits, int most) const {
    digits = trimmed(digits);
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > most)
      refuse(fmt::format("'{}' in {} is no number from 1 to {}", digits, name, most));
    return value;
  }

  [[nodiscard]] policy composed() const {
    if (hand_) return alone(kind::hand, "HAND");
    if (ideal_) return alone(kind::ideal, "IDEAL");
    return task_ ? tasks() : multi_tier();
  }

  [[nodiscard]] policy alone(kind what, std::string_view name) const {
    if ((hand_ && ideal_) || task_ || dynamic_ || overlap_ || no_overlap_ || proxy_ || weights_ ||
        threads_ != 0)
      refuse(fmt::format("nothing goes with {}", name));
    policy result;
    result.what = what;
    return result;
  }

  [[nodiscard]] policy tasks() const {
    if (overlap_ || no_overlap_) refuse("TASK overlaps by what tasks declare, without OLAP");
    if (dynamic_ || weights_) refuse("TASK shares the work by itself, without IRR or DYN");
    policy result;
    result.what = kind::tasks;
    result.threads = threads_;
    result.overlap = true;
    result.proxy = proxy_;
    return result;
  }

  [[nodiscard]] policy multi_tier() const {
    if (threads_ == 0) refuse("it says neither HAND, MT(k), TASK nor IDEAL");
    if (overlap_ && no_overlap_) refuse("OLAP and !OLAP exclude each other");
    if (proxy_ && !overlap_) refuse("XTRA is of use to OLAP only");
    if (weights_ && dynamic_) refuse("IRR and DYN exclude each other");
    if (weights_ && threads_ < 2) refuse("IRR divides threads into two sets, so MT(k) needs k > 1");
    policy result;
    result.what = kind::multi_tier;
    result.threads = threads_;
    result.overlap = overlap_;
    result.proxy = proxy_;
    if (dynamic_) result.share = sharing::dynamic;
    if (weights_) {
      result.share = sharing::irregular;
      result.first_weight = weights_->first;
      result.second_weight = weights_->second;
    }
    return result;
  }

  struct pair_of_weights {
    int first = 1;
    int second = 1;
  };

  std::string_view text_;
  bool hand_ = false, ideal_ = false, task_ = false, dynamic_ = false;
  bool overlap_ = false, no_overlap_ = false, proxy_ = false;
  int threads_ = 0;
  std::optional<pair_of_weights> weights_;
};

}  // namespace

std::string policy::name() const {
  if (what == kind::hand) return "HAND";
  if (what == kind::ideal) return "IDEAL";
  std::string result = what == kind::tasks ? "TASK" : "";
  if (what == kind::multi_tier)
    result = fmt::format("MT({}){}", threads, overlap ? "+OLAP" : "+!OLAP");
  else if (threads != 0)
    result += fmt::format("+MT({})", threads);
  if (proxy) result += "+XTRA";
  if (share == sharing::irregular)
    result += fmt::format("+IRR({}:{})", first_weight, second_weight);
  if (share == sharing::dynamic) result += "+DYN";
  return result;
}

policy parse_policy(std::string_view text) {
  return parser(text).parse();
}

std::vector<policy> parse_policies(std::string_view text) {
  std::vector<policy> result;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size()) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')') --depth;
      if (text[at] != ',' || depth > 0) continue;
    }
    const policy one = parse_policy(text.substr(from, at - from));
    if (std::ranges::find(result, one) != result.end())
      throw plait::usage_error(fmt::format("policy {} is given twice", one.name()));
    result.push_back(one);
    from = at + 1;
  }
  return result;
}

}  // namespace redblack3d
