// SPDX-License-Identifier: BSD-3-Clause
#include "profile.hpp"

#include <charconv>
#include <cstddef>
#include <fstream>
#include <string_view>
#include <utility>

#include <link.h>
#include <plait/core/error.hpp>

namespace plait::bench::counts {
namespace {

constexpr std::string_view requested = "desc: Trigger: Client Request: ";

/// plait is linked into the program.
[[nodiscard]] bool is_own(std::string_view object) {
  return object.substr(object.rfind('/') + 1) == "counts";
}

/// The body of a task is the program's.
[[nodiscard]] bool is_work(std::string_view function) {
  return function.find("metg::run_point(") != std::string_view::npos ||
         function.find("metg::kernel(") != std::string_view::npos;
}

/// `operator new[]` calls this.
[[nodiscard]] bool is_new(std::string_view function) {
  return function.starts_with("operator new(");
}

/// Returns where the program lies in memory; callgrind's addresses count from there.
[[nodiscard]] std::uintptr_t base_of_program() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<std::uintptr_t*>(to) = first->dlpi_addr;
        return 1;
      },
      &base);
  return base;
}

/// x86-64: the prefix `lock`, or `xchg` with memory, which has none and locks.
[[nodiscard]] bool is_locked(std::uint64_t address) {
  static const std::uintptr_t base = base_of_program();
  const auto* at = reinterpret_cast<const std::uint8_t*>(base + address);
  const auto is_prefix = [](std::uint8_t byte) {
    return byte == 0x66 || byte == 0xF2 || byte == 0xF3 || (byte & 0xF0) == 0x40;
  };
  while (is_prefix(*at)) ++at;
  return *at == 0xF0 || ((*at == 0x86 || *at == 0x87) && (at[1] & 0xC0) != 0xC0);
}

[[nodiscard]] std::uint64_t number(std::string_view text, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc()) throw error("callgrind has written '" + std::string(text) + "'");
  return value;
}

/// Goes through the lines of one file.
class reader {
 public:
  void take(std::string_view line) {
    if (line.empty() || line[0] == '#') return;
    if (line[0] == '0') return take_cost(line);
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) return;
    const std::string_view key = line.substr(0, sign);
    const std::string_view value = line.substr(sign + 1);
    if (key == "ob") {
      own_ = is_own(value);
    } else if (key == "fn") {
      function_ = value;
      counts_ = own_ && !is_work(value);
      is_new_ = is_new(value);
    } else if (key == "calls") {
      of_call_ = true;
    }
  }
  [[nodiscard]] profile result() && {
    for (const auto& [function, first] : news_) found_.allocations += first.times;
    return std::move(found_);
  }

 private:
  /// "0xADDRESS COST"; behind `calls=` the cost of what was called.
  void take_cost(std::string_view line) {
    if (std::exchange(of_call_, false)) return;
    const std::size_t space = line.find(' ');
    const std::uint64_t cost = number(line.substr(space + 1));
    found_.instructions += cost;
    const std::uint64_t address = number(line.substr(0, space), 16);
    if (is_new_) note_new(address, cost);
    if (!counts_) return;
    found_.own_instructions += cost;
    found_.own_by_function[function_] += cost;
    if (is_locked(address)) found_.locked_instructions += cost;
  }

  /// The first instruction of the function is executed once a call.  (Callgrind's numbers of calls
  /// include those that it was not asked to count.)
  void note_new(std::uint64_t address, std::uint64_t times) {
    auto& first = news_.try_emplace(function_, address, times).first->second;
    if (address < first.address) first = {address, times};
  }

  struct first_instruction {
    std::uint64_t address;
    std::uint64_t times;
    first_instruction(std::uint64_t at, std::uint64_t so_often) : address(at), times(so_often) {}
  };
  profile found_;
  std::map<std::string, first_instruction> news_;
  bool is_new_ = false;
  bool own_ = false;
  bool counts_ = false;
  bool of_call_ = false;
  std::string function_;
};

}  // namespace

void profile::add(const profile& other) {
  instructions += other.instructions;
  own_instructions += other.own_instructions;
  locked_instructions += other.locked_instructions;
  allocations += other.allocations;
  for (const auto& [function, cost] : other.own_by_function) own_by_function[function] += cost;
}

profile read_profile(const std::string& path) {
  std::ifstream file(path);
  reader lines;
  for (std::string line; std::getline(file, line);) lines.take(line);
  return std::move(lines).result();
}

std::string request_in(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line) && !line.starts_with("fn=");) {
    if (line.starts_with(requested)) return line.substr(requested.size());
  }
  return {};
}

}  // namespace plait::bench::counts
