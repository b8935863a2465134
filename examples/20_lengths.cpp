// SPDX-License-Identifier: BSD-3-Clause
// A message gets its length while the program runs: a task chooses the data that leaves a rank.
// The receiver names the largest size and learns the length.
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::counted, plait::in, plait::inout, plait::out;

constexpr int numbers = 100;
constexpr int steps = 4;

void choose(std::vector<int>& own, std::span<int> leaving, std::size_t& count, int step) {
  count = 0;
  std::erase_if(own, [&](int number) {
    if ((number + step) % 3 != 0) return false;
    leaving[count++] = number;
    return true;
  });
}

void take(std::vector<int>& own, std::span<const int> coming, const std::size_t& count) {
  const auto came = coming.first(count);
  own.insert(own.end(), came.begin(), came.end());
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  std::vector<int> own;
  for (int n = env.rank(); n < numbers; n += env.size()) own.push_back(n);
  std::vector<int> leaving_memory(numbers), coming_memory(numbers);
  const std::span<int> leaving(leaving_memory), coming(coming_memory);  // the largest size
  std::size_t leaving_count = 0, coming_count = 0;

  for (int step = 0; step < steps; ++step) {
    rt.task("choose", choose, inout(own), out(leaving), out(leaving_count), step);
    rt.recv("coming", counted(out(coming), out(coming_count)), left);
    rt.send("leaving", counted(in(leaving), in(leaving_count)), right);
    rt.task("take", take, inout(own), in(coming), in(coming_count));
  }
  long mine[2] = {}, all[2] = {};
  rt.task(
      "count",
      [](const std::vector<int>& held, std::span<long> result) {
        result[0] = static_cast<long>(held.size());
        result[1] = std::accumulate(held.begin(), held.end(), 0L);
      },
      in(own), out(std::span(mine)));
  rt.allreduce("all", in(std::span(mine)), out(std::span(all)));
  rt.wait();
  if (env.rank() == 0) std::printf("%ld numbers, their sum is %ld\n", all[0], all[1]);
}
