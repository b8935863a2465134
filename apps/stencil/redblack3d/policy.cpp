// SPDX-License-Identifier: BSD-3-Clause
#include "policy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace redblack3d {
namespace {

using kind = policy::kind;
using sharing = policy::sharing;

constexpr std::string_view grammar =
    "a policy is HAND, MT(k)[+!OLAP|+OLAP[+XTRA][+FACES]][+IRR(m:n)|+DYN], TASK[+MT(k)][+XTRA] or "
    "IDEAL";
constexpr int most_threads = 1024;
constexpr int largest_weight = 1'000'000;

constexpr std::array<std::string_view, 8> plain_words{"HAND", "IDEAL", "TASK", "DYN",
                                                      "OLAP", "!OLAP", "XTRA", "FACES"};

std::string_view trimmed(std::string_view word) {
  const std::size_t first = word.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return word.substr(first, word.find_last_not_of(" \t") - first + 1);
}

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  policy parse() {
    std::string_view rest = text_;
    for (std::size_t plus = 0; plus != std::string_view::npos;) {
      plus = rest.find('+');
      take(trimmed(rest.substr(0, plus)));
      if (plus != std::string_view::npos) rest.remove_prefix(plus + 1);
    }
    return composed();
  }

 private:
  void refuse_if(bool is_wrong, std::string_view why) const {
    if (is_wrong) throw plait::usage_error(fmt::format("policy '{}': {}; {}", text_, why, grammar));
  }

  [[nodiscard]] bool has(std::string_view word) const {
    return std::ranges::find(words_, word) != words_.end();
  }

  void take(std::string_view word) {
    refuse_if(word.empty(), "a word is missing");
    const std::size_t open = word.find('(');
    const bool encloses = open != std::string_view::npos;
    const std::string_view name = trimmed(word.substr(0, open));
    refuse_if(encloses && word.back() != ')',
              fmt::format("'{}' does not end with a parenthesis", word));
    const bool has_numbers = name == "MT" || name == "IRR";
    const bool is_plain = std::ranges::find(plain_words, name) != plain_words.end();
    refuse_if(!has_numbers && (encloses || !is_plain), fmt::format("unknown word '{}'", name));
    refuse_if(has(name), fmt::format("{} is given twice", name));
    words_.push_back(name);
    refuse_if(name == "MT" && !encloses, "MT wants its threads, as in MT(4)");
    if (!has_numbers) return;
    take_numbers(name, encloses ? word.substr(open + 1, word.size() - open - 2) : "");
  }

  void take_numbers(std::string_view name, std::string_view inside) {
    if (name == "MT") {
      given_.threads = number(name, inside, most_threads);
      return;
    }
    const std::size_t middle = inside.find_first_of(":,");
    refuse_if(middle == std::string_view::npos,
              "IRR wants the weights of two sets, as in IRR(44:50)");
    given_.first_weight = number(name, inside.substr(0, middle), largest_weight);
    given_.second_weight = number(name, inside.substr(middle + 1), largest_weight);
  }

  [[nodiscard]] int number(std::string_view name, std::string_view digits, int most) const {
    digits = trimmed(digits);
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    refuse_if(
        error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > most,
        fmt::format("'{}' in {} is no number from 1 to {}", digits, name, most));
    return value;
  }

  [[nodiscard]] policy composed() const {
    for (const auto& [name, what] : {std::pair{"HAND", kind::hand}, {"IDEAL", kind::ideal}}) {
      if (!has(name)) continue;
      refuse_if(words_.size() > 1, fmt::format("nothing goes with {}", name));
      return {.what = what};
    }
    policy result = given_;
    result.what = has("TASK") ? kind::tasks : kind::multi_tier;
    if (has("TASK")) {
      refuse_if(has("OLAP") || has("!OLAP"), "TASK overlaps by what tasks declare, without OLAP");
      refuse_if(has("FACES"), "TASK shares the work by itself, without FACES");
      refuse_if(has("DYN") || has("IRR"), "TASK shares the work by itself, without IRR or DYN");
    } else {
      refuse_if(!has("MT"), "it says neither HAND, MT(k), TASK nor IDEAL");
      refuse_if(has("OLAP") && has("!OLAP"), "OLAP and !OLAP exclude each other");
      refuse_if(has("XTRA") && !has("OLAP"), "XTRA is of use to OLAP only");
      refuse_if(has("FACES") && !has("OLAP"), "FACES is of use to OLAP only");
      refuse_if(has("FACES") && has("DYN"), "FACES and DYN exclude each other");
      refuse_if(has("IRR") && has("DYN"), "IRR and DYN exclude each other");
      refuse_if(has("IRR") && result.threads < 2,
                "IRR divides threads into two sets, so MT(k) needs k > 1");
    }
    result.overlap = has("TASK") || has("OLAP");
    result.proxy = has("XTRA");
    result.face_a_thread = has("FACES");
    if (has("DYN")) result.share = sharing::dynamic;
    if (has("IRR")) result.share = sharing::irregular;
    return result;
  }

  std::string_view text_;
  std::vector<std::string_view> words_;
  policy given_{.threads = 0};
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
  if (face_a_thread) result += "+FACES";
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
