// SPDX-License-Identifier: BSD-3-Clause
// Waiting for one answer instead of everything: tasks that add into the same variable side by side
// (`reduce`), tasks that append in any order but one at a time (`commutative`), the value a task
// returns (`result`), and tasks that submit tasks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include <plait/plait.hpp>

using plait::commutative, plait::in, plait::inout, plait::out, plait::reduce;
using block = std::span<double>;

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  plait::runtime rt{env, {.tasks = {.workers = 2}}};

  std::vector<double> u(1 << 16);
  double total = 0;
  std::vector<std::size_t> large;  // where |u| is large, in no particular order
  large.reserve(16);

  // A task that submits tasks, one for each block, is finished when they are.
  rt.task(
      "fill",
      [&rt](block all) {
        for (std::size_t i = 0; i < all.size(); i += 4096) {
          rt.task(
              "fill block",
              [](block some, std::size_t first) {
                for (std::size_t k = 0; k < some.size(); ++k)
                  some[k] = std::sin(1e-4 * static_cast<double>(first + k));
              },
              out(all.subspan(i, 4096)), i);
        }
      },
      out(std::span(u)));

  for (std::size_t i = 0; i < u.size(); i += 4096) {
    const block some = std::span(u).subspan(i, 4096);
    rt.task(
        "square",
        [](std::span<const double> x, double& mine) {
          mine = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
        },
        in(some), reduce(total));
    rt.task(
        "large",
        [](std::span<const double> x, std::vector<std::size_t>& found, std::size_t first) {
          if (std::abs(x[0]) > 0.9) found.push_back(first);
        },
        in(some), commutative(large), i);
  }
  const auto norm = rt.task(
                          "norm", [](double sum) { return std::sqrt(sum); }, in(total))
                        .result();

  std::printf("norm: %.6f\n", norm.get());  // others may still run
  rt.wait();
  std::sort(large.begin(), large.end());
  std::printf("blocks that begin large: %zu, the first at %zu\n", large.size(), large.at(0));
}
