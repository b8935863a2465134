// SPDX-License-Identifier: BSD-3-Clause
// Tasks that decide whether they communicate: a sort in which neighbours compare the ends of their
// blocks, and exchange the blocks only where these overlap.
#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::inout, plait::lane, plait::out;

constexpr int numbers = 120;

struct block {
  std::vector<int> own, theirs;
  int ends[2] = {}, ends_there[2] = {};  // the least and the greatest
};

/// Keeps the lower or the upper half of both blocks.
void merge(std::span<int> own, std::span<const int> theirs, bool lower) {
  std::vector<int> both(own.begin(), own.end());
  both.insert(both.end(), theirs.begin(), theirs.end());
  std::sort(both.begin(), both.end());
  const auto from = lower ? both.begin() : both.end() - static_cast<std::ptrdiff_t>(own.size());
  std::copy_n(from, own.size(), own.begin());
}

/// Both neighbours come to the same decision.
void decide(lane& border, block& b, plait::runtime* rt, int peer) {
  const bool lower = border.rank() < peer;
  if (lower ? b.ends[1] <= b.ends_there[0] : b.ends_there[1] <= b.ends[0]) return;
  border.send("block", in(b.own), peer);
  border.recv("block", out(b.theirs), peer);
  rt->task("merge", merge, inout(std::span(b.own)), in(std::span(b.theirs)), lower);
}

void exchange(lane& border, block& b, plait::runtime* rt, int peer) {
  b.ends[0] = *std::min_element(b.own.begin(), b.own.end());
  b.ends[1] = *std::max_element(b.own.begin(), b.own.end());
  border.send("ends", in(std::span(b.ends)), peer);
  border.recv("ends", out(std::span(b.ends_there)), peer);
  rt->task("decide", decide, inout(border), inout(b), rt, peer)
      .also(inout(std::span(b.own), std::span(b.theirs)));
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  lane border{rt, "border"};  // collective
  block b;
  const int mine = numbers / env.size();
  for (int i = 0; i < mine; ++i) b.own.push_back((env.rank() * mine + i) * 77 % numbers);
  b.theirs.resize(b.own.size());
  std::sort(b.own.begin(), b.own.end());

  for (int round = 0; round < env.size(); ++round) {
    const int peer = env.rank() + ((env.rank() + round) % 2 == 0 ? 1 : -1);
    if (peer < 0 || peer >= env.size()) continue;
    // The task's accesses cover those of its messages and of the tasks that it submits.
    rt.task("exchange", exchange, inout(border), inout(b), &rt, peer)
        .also(inout(std::span(b.own), std::span(b.theirs)));
  }
  std::vector<int> all(env.rank() == 0 ? numbers : 0);
  rt.gather("all", in(std::span(b.own)), out(std::span(all)), 0);
  rt.wait();
  if (env.rank() != 0) return 0;
  const bool sorted = std::is_sorted(all.begin(), all.end());
  std::printf("%zu numbers, %s\n", all.size(), sorted ? "sorted" : "not sorted");
}
