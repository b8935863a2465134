// SPDX-License-Identifier: BSD-3-Clause
/// Runs mixed programs on one runtime, and holds what they leave against their serial execution.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"

namespace plait::test::mix {

[[nodiscard]] job_memory memory_of_job(const moved_array& array);
/// `array` must outlive what is made of the scene.
[[nodiscard]] scene scene_of(const moved_array& array, const job_memory& job, const features& with);

/// Options, array and window that the programs of one runtime share.
class stage {
 public:
  /// Collective.  `hangs` is told what a rank waits for that hangs.
  stage(environment& env, const std::vector<communicator>& among, std::uint64_t seed,
        const features& with, std::function<void(const std::string&)> hangs);

  [[nodiscard]] program make(std::uint64_t seed) const { return make_program(seed, scene_); }
  /// Collective.  What is wrong on this rank.
  [[nodiscard]] std::optional<std::string> run(const program& all);
  [[nodiscard]] const runtime_options& options() const { return options_; }

 private:
  void begin(const program& all);
  void run_part(live_rank& here, const part& one);
  [[nodiscard]] std::string describe(const program& all, const spot& where);

  environment& env_;
  const std::vector<communicator>& communicators_;
  runtime_options options_;
  moved_array array_;
  job_memory expected_;
  rank_memory memory_;
  scene scene_;
  std::vector<move_plan> moves_;
  runtime rt_;
  window<word> slots_;
  std::vector<std::unique_ptr<lane>> lanes_;
};

}  // namespace plait::test::mix
