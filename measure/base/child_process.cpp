// SPDX-License-Identifier: BSD-3-Clause
#include "child_process.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <plait/plait.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace plait::measure {
namespace {

bool belongs_to_a_launcher(std::string_view variable) {
  for (std::string_view prefix : {"OMPI_", "PMIX_", "PMI_", "PMI2_", "ORTE_", "HYDRA_", "HYDI_"}) {
    if (variable.starts_with(prefix)) return true;
  }
  return false;
}

std::vector<char*> passed_on(bool as_this_rank) {
  std::vector<char*> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (as_this_rank || !belongs_to_a_launcher(*variable)) result.push_back(*variable);
  }
  result.push_back(nullptr);
  return result;
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text.append(1, ' ').append(argument);
  return text;
}

/// Runs a program to its end; returns its output and its wait status.
std::pair<std::string, int> run(std::string program, std::vector<std::string> words,
                                bool as_this_rank = false) {
  int ends[2];
  if (pipe(ends) != 0) throw error("no pipe to a child process can be made");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&files, ends[0]);
  posix_spawn_file_actions_addclose(&files, ends[1]);

  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> variables = passed_on(as_this_rank);

  pid_t child = 0;
  const int failure =
      posix_spawn(&child, program.c_str(), &files, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  std::string output;
  if (failure == 0) output = read_all(ends[0]);
  close(ends[0]);
  if (failure != 0) throw error(program + " cannot be started:" + joined(words));

  int status = 0;
  waitpid(child, &status, 0);
  return {output, status};
}

bool ended_well(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string run_self(const std::vector<std::string>& arguments) {
  const auto [output, status] = run("/proc/self/exe", arguments);
  if (!ended_well(status))
    throw error("a measurement failed (wait status " + std::to_string(status) +
                "):" + joined(arguments));
  return output;
}

std::string run_program(const std::string& program, const std::vector<std::string>& arguments,
                        bool as_this_rank) {
  const auto [output, status] = run(program, arguments, as_this_rank);
  if (!ended_well(status))
    throw error("a measurement failed (wait status " + std::to_string(status) + "): " + program +
                joined(arguments));
  return output;
}

std::string run_line(const std::string& folder, const std::string& line) {
  // The folder is a word of its own: whatever its name, the shell does not read it.
  const auto [output, status] =
      run("/bin/sh", {"-c", "cd \"$0\" && { " + line + "\n} </dev/null", folder});
  if (!ended_well(status))
    throw error("a command failed (wait status " + std::to_string(status) + "): " + line);
  return output;
}

}  // namespace plait::measure
