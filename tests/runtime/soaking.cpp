// SPDX-License-Identifier: BSD-3-Clause
#include "soaking.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>

namespace plait::test {

std::vector<std::string> words_of_this_process() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::optional<std::string> value_after(const std::vector<std::string>& words,
                                       std::string_view word) {
  const auto at = std::find(words.begin(), words.end(), word);
  if (at == words.end()) return std::nullopt;
  if (at + 1 == words.end()) throw usage_error(std::string(word) + " wants a value");
  return *(at + 1);
}

std::uint64_t number_from(const std::string& text, std::string_view name) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
    throw usage_error(std::string(name) + " '" + text + "' is not a number");
  }
  return value;
}

soak_options soak_options_from(const std::vector<std::string>& words, std::uint64_t usual) {
  soak_options o;
  o.programs = usual;
  if (const char* text = std::getenv("PLAIT_TEST_PROGRAMS")) {
    o.programs = number_from(text, "PLAIT_TEST_PROGRAMS");
  }
  if (const auto text = value_after(words, "--programs")) {
    o.programs = number_from(*text, "--programs");
  }
  if (const auto text = value_after(words, "--seed")) o.seed = number_from(*text, "--seed");
  o.progress = std::find(words.begin(), words.end(), "--progress") != words.end();
  return o;
}

void progress_printer::done(std::uint64_t programs, std::uint64_t seed) {
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || (now < next_ && programs < options_.programs)) return;
  next_ = now + std::chrono::seconds(1);
  std::fprintf(stderr, "@progress {\"done\":%llu,\"total\":%llu,\"label\":\"seed %llu\"}\n",
               static_cast<unsigned long long>(std::min(programs, options_.programs)),
               static_cast<unsigned long long>(options_.programs),
               static_cast<unsigned long long>(seed));
}

bool failed_anywhere(environment& env, bool here) {
  int mine = here ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, native(env));
  return all != 0;
}

}  // namespace plait::test
