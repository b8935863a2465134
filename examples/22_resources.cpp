// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: a thread of its own writes them, while workers compute on.  MPI/SMPSs calls this
// target(resource).
#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::in, plait::inout, plait::out;

constexpr int steps = 40, steps_between = 8;

/// A file that is gone when the program is.
struct checkpoint_file {
  std::FILE* stream = std::tmpfile();
  int step = 0;  ///< that was written last

  ~checkpoint_file() { std::fclose(stream); }
};

void relax(std::span<double> u, double f) {
  for (double& x : u) x = x * f + 1;
}

void take(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

/// Waits for the disk.
void save(std::span<const double> u, checkpoint_file& file, int step) {
  std::rewind(file.stream);
  if (std::fwrite(u.data(), sizeof(double), u.size(), file.stream) != u.size() ||
      std::fflush(file.stream) != 0)
    throw plait::error("the checkpoint cannot be written");
  file.step = step;
}

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env};
  const plait::resource io = rt.resource("io");  // one thread

  std::vector<std::vector<double>> blocks(8, std::vector<double>(20'000, env.rank()));
  std::vector<double> snapshot(blocks.size() * blocks[0].size());
  checkpoint_file file;
  const auto part = [&](std::vector<double>& all, std::size_t b) {
    return std::span(all).subspan(b * blocks[b].size(), blocks[b].size());
  };
  for (int step = 1; step <= steps; ++step) {
    for (auto& u : blocks) rt.task("relax", relax, inout(std::span(u)), 0.5 + 1.0 / step);
    if (step % steps_between != 4) continue;
    // The snapshot waits for the last write, and the steps that follow wait for neither.
    for (std::size_t b = 0; b < blocks.size(); ++b)
      rt.task("take", take, in(std::span(blocks[b])), out(part(snapshot, b)));
    rt.task("save", save, in(std::span(snapshot)), inout(file), step).target(io);
  }
  rt.wait();

  // From the last checkpoint on, the steps give the same bits.
  std::vector<double> again(snapshot.size());
  std::rewind(file.stream);
  bool same = std::fread(again.data(), sizeof(double), again.size(), file.stream) == again.size();
  for (int step = file.step + 1; step <= steps; ++step) relax(again, 0.5 + 1.0 / step);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    same = same && std::ranges::equal(part(again, b), blocks[b]);
  int right = same ? 1 : 0;
  rt.allreduce("right", inout(right));
  rt.wait();
  const double wrote_s = rt.ledger(io)[0].compute_s;
  if (env.rank() != 0) return 0;
  std::printf("last checkpoint: step %d; the thread for it wrote for %s\n", file.step,
              wrote_s > 0 ? "some time" : "no time");
  std::printf("%s\n", right == env.size() ? "every rank goes on from it to the same bits"
                                          : "a checkpoint is wrong");
}
