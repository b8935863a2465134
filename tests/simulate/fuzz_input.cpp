// SPDX-License-Identifier: BSD-3-Clause
// One input of libFuzzer: a file of GOAL, or the recording of a rank.  It is refused, or runs to an
// end in both dialects.  With clang (the first command has two lines):
//
//     cmake -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DPLAIT_MPI=none
//       -DPLAIT_SANITIZE=fuzzer-no-link,address -DCMAKE_BUILD_TYPE=RelWithDebInfo
//     cmake --build build/fuzz --target fuzz_simulate
//     mkdir corpus; build/fuzz/tests/simulate/fuzz_simulate corpus tests/simulate/golden
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <plait/core/error.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>
#include <plait/simulate/recorded_program.hpp>
#include <plait/trace/recording.hpp>

namespace {

using namespace plait::simulate;

constexpr std::uint64_t most_operations = 100'000;  // of an input, so that it takes no second

void run(const program& read) {
  if (read.operations() > most_operations) return;
  static_cast<void>(run_loggops(read, {}));
  machine on;
  on.latency_ps = 20'000'000;
  on.byte_ps = 8000;
  on.bucket_bytes = 131072;
  on.look_ps = 500'000;
  on.policy = look_policy::automatic;
  static_cast<void>(predict(read, on));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view data(reinterpret_cast<const char*>(bytes), size);
  try {
    run(parse_goal(data, "input"));
  } catch (const plait::usage_error&) {
  }
  // No input has the right checksum by chance.
  std::string file(data);
  if (file.size() < sizeof(std::uint64_t)) return 0;
  const std::size_t end = file.size() - sizeof(std::uint64_t);
  const std::uint64_t sum = plait::recording_checksum(std::string_view(file).substr(0, end));
  std::memcpy(file.data() + end, &sum, sizeof sum);
  try {
    const plait::recording one = plait::unpack_recording(file, "input");
    run(program_of(std::span(&one, 1), "input").operations);
  } catch (const plait::usage_error&) {
  }
  return 0;
}
