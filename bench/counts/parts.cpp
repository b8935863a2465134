// SPDX-License-Identifier: BSD-3-Clause
#include "parts.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "profile.hpp"

namespace plait::bench::counts {
namespace {

constexpr const char* folder_variable = "PLAIT_COUNTS_FOLDER";

[[nodiscard]] std::string folder_of_this_rank() {
  const char* const name = std::getenv(folder_variable);
  return name != nullptr ? name : "";
}

/// A count has no spread.
[[nodiscard]] measure::json one_unit(std::uint64_t count, int units) {
  return measure::to_json(
      measure::summarize({static_cast<double>(count) / static_cast<double>(units)}));
}

[[nodiscard]] measure::json by_function(const profile& found, int units) {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  for (const auto& [name, cost] : found.own_by_function) all.emplace_back(cost, name);
  std::ranges::sort(all, std::greater{});
  measure::json list = measure::json::array();
  for (const auto& [cost, name] : all) {
    if (100 * cost < found.own_instructions) break;
    list.push_back({name, static_cast<double>(cost) / units});
  }
  return list;
}

[[nodiscard]] measure::json cell_of(const profile& found, int units) {
  measure::json cell{{"instructions", one_unit(found.instructions, units)},
                     {"own_instructions", one_unit(found.own_instructions, units)},
                     {"locked_instructions", one_unit(found.locked_instructions, units)},
                     {"allocations", one_unit(found.allocations, units)},
                     {"units", units}};
  cell["functions"] = by_function(found, units);
  return cell;
}

}  // namespace

bool is_counted() {
  return RUNNING_ON_VALGRIND != 0 && !folder_of_this_rank().empty();
}

bool looks_on() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const rank = std::getenv(name)) return std::atoi(rank) > 1;
  }
  return false;
}

int count_this_program(char** argv) {
  std::string folder = "/tmp/plait-callgrind-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw usage_error("no folder can be made in /tmp");
  setenv(folder_variable, folder.c_str(), 1);
  setenv("HWLOC_COMPONENTS", "-x86", 0);  // which complains under valgrind
  const std::string out = "--callgrind-out-file=" + folder + "/out";
  const std::string log = "--log-file=" + folder + "/log";
  std::vector<std::string> words{"valgrind",
                                 "--tool=callgrind",
                                 "--collect-atstart=no",
                                 "--dump-instr=yes",
                                 "--dump-line=no",
                                 "--compress-strings=no",
                                 "--compress-pos=no",
                                 out,
                                 log};
  words.emplace_back("/proc/self/exe");
  words.back() = std::filesystem::read_symlink("/proc/self/exe").string();
  for (char** word = argv + 1; *word != nullptr; ++word) words.emplace_back(*word);
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  constexpr int not_found = 127;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp("valgrind", raw.data());
    _exit(not_found);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  std::filesystem::remove_all(folder);
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == not_found))
    throw usage_error("valgrind does not start; install valgrind");
  if (WIFSIGNALED(status)) {
    throw usage_error(
        "valgrind ended by signal " + std::to_string(WTERMSIG(status)) +
        (WTERMSIG(status) == SIGILL ? ": it does not know an instruction of this program's" : ""));
  }
  return WEXITSTATUS(status);
}

void parts::end(const std::string& row, const std::string& column, int units) {
  const std::string place = row + "/" + column;
  CALLGRIND_DUMP_STATS_AT(place.c_str());
  units_[place] += units;
}

measure::json parts::rows(environment& env) const {
  namespace fs = std::filesystem;
  const std::string folder = folder_of_this_rank();
  std::map<std::string, profile> found;
  // Who looks on has no folder.
  for (const auto& file :
       folder.empty() ? fs::directory_iterator() : fs::directory_iterator(folder)) {
    const std::string path = file.path().string();
    const std::string place = request_in(path);
    if (units_.contains(place)) found[place].add(read_profile(path));
  }
  measure::json own = measure::json::object();
  for (const auto& [place, units] : units_) own[place] = cell_of(found[place], units);
  measure::json rows = measure::json::object();
  for (const measure::json& of_rank : measure::gather(env, own)) {
    for (const auto& [place, cell] : of_rank.items()) {
      const std::size_t slash = place.find('/');
      rows[place.substr(0, slash)][place.substr(slash + 1)] = cell;
    }
  }
  return rows;
}

}  // namespace plait::bench::counts
