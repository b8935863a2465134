// SPDX-License-Identifier: BSD-3-Clause
/// Makes a result of what the ranks of a job left that was killed: `plait_attach_salvage JSON`.
#include <cstdio>
#include <exception>
#include <string>

#include "attach/after/rank_profile.hpp"
#include "attach/written/result_files.hpp"

int main(int argc, char** argv) {
  using namespace plait::attach;
  std::string wrong;
  settings asked = read_settings(wrong);
  if (argc != 2) {
    std::fprintf(stderr, "usage: plait_attach_salvage JSON\n");
    return 2;
  }
  asked.json = argv[1];
  try {
    const folder_lock lock(asked.folder);
    const std::vector<rank_profile> ranks = read_left_profiles(asked.folder, asked.json);
    if (ranks.empty()) {
      std::fprintf(stderr, "plait_attach_salvage: no rank left a profile for '%s' in %s\n", argv[1],
                   asked.folder.c_str());
      return 2;
    }
    write_results(ranks, asked);
    remove_left_profiles(asked.folder, asked.json);
  } catch (const std::exception& what) {
    std::fprintf(stderr, "plait_attach_salvage: %s\n", what.what());
    return 2;
  }
  return 0;
}
