// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "contestant.hpp"
#include "hpcc.hpp"
#include "hpl/variant.hpp"
#include "lapack.hpp"
#include "summa/variant.hpp"

#ifdef PLAIT_BENCH_SCALAPACK
#include "scalapack.hpp"
#endif

namespace plait::bench::dense {
namespace {

constexpr std::size_t most_in_flight = 4096;  // tasks, as the applications have it

template <class Problem>
using maker = std::function<std::unique_ptr<measure::variant<Problem>>()>;

/// Adds a row where it is wanted.
void add(contest& to, const std::vector<std::string>& wanted, const char* row,
         const std::function<std::unique_ptr<contestant>()>& make) {
  if (std::ranges::count(wanted, row) > 0) to.rows.push_back({row, make()});
}

/// A variant on a problem that `pose` makes.
template <class Problem>
candidate candidate_of(environment& env, std::string settings,
                       std::function<std::shared_ptr<Problem>()> pose, maker<Problem> make) {
  return {std::move(settings), [&env, pose = std::move(pose), make = std::move(make)] {
            const std::shared_ptr<Problem> posed = pose();
            const std::shared_ptr<measure::variant<Problem>> code = make();
            return [&env, posed, code] {
              return measure::run_checked<Problem>(
                  env, *code, *posed, 1,
                  [&](measure::setting solves) { return posed->check_closed_form(solves, 1); });
            };
          }};
}

runtime_options tasks_of(const setup& how) {
  return {.engine = {.policy = how.policy},
          .tasks = {.workers = how.workers, .in_flight = most_in_flight}};
}

#ifdef PLAIT_BENCH_SCALAPACK
/// Every block with every logical block.
template <class Problem, class Pose, class Make>
std::unique_ptr<contestant> of_scalapack(environment& env, const mesh& grid, const setup& how,
                                         const Pose& pose, Make make) {
  const auto on = std::make_shared<const blacs_grid>(grid);
  std::vector<candidate> all;
  for (const std::int64_t block : how.blocks)
    for (const std::int64_t logical : how.logical_blocks) {
      const std::string which =
          logical == 0 ? "ScaLAPACK's own pilaenv" : fmt::format("pilaenv {}", logical);
      // The grid of BLACS lives as long as the candidate.
      all.push_back(candidate_of<Problem>(
          env, fmt::format("block {}, {}", block, which), pose(block),
          [on, make, logical] { return make(*on, static_cast<int>(logical)); }));
    }
  return fastest_of(std::move(all));
}
#endif

}  // namespace

contest linear_system_of(environment& env, const mesh& grid, std::int64_t n, const setup& how,
                         const std::vector<std::string>& wanted) {
  const auto size = static_cast<double>(n);
  contest result{.column = fmt::format("hpl {}", n),
                 .operations = size * size * (2.0 / 3.0 * size + 1.5)};
  const auto pose = [&grid, n](std::int64_t block) {
    return [&grid, n, block] {
      hpl::settings system{.n = n, .nb = block, .grid = {grid.rows(), grid.columns()}, .depth = 2};
      return std::make_shared<hpl::linear_system>(system, grid);
    };
  };
  const auto own = [&](const maker<hpl::linear_system>& make) {
    return [&env, &how, pose, make] {
      std::vector<candidate> all;
      for (const std::int64_t block : how.blocks)
        all.push_back(candidate_of<hpl::linear_system>(env, fmt::format("block {}", block),
                                                       pose(block), make));
      return fastest_of(std::move(all));
    };
  };
  add(result, wanted, "base", own(hpl::make_base));
  add(result, wanted, "olap", own(hpl::make_olap));
  add(result, wanted, "plait",
      own([&env, tasks = tasks_of(how)] { return hpl::make_plait(env, tasks); }));
#ifdef PLAIT_BENCH_SCALAPACK
  add(result, wanted, "scalapack",
      [&] { return of_scalapack<hpl::linear_system>(env, grid, how, pose, make_pdgesv); });
#endif
  add(result, wanted, "lapack", [&] {
    const int threads = lapack_threads(env, how);
    std::vector<candidate> one;
    one.push_back(candidate_of<hpl::linear_system>(env, fmt::format("threads {}", threads),
                                                   pose(how.blocks.front()),
                                                   [threads] { return make_dgesv(threads); }));
    return fastest_of(std::move(one));
  });
  add(result, wanted, "hpcc", [&] { return make_hpcc(env, grid, n, how); });
  return result;
}

contest product_of(environment& env, const mesh& grid, std::int64_t n, const setup& how,
                   const std::vector<std::string>& wanted) {
  const auto size = static_cast<double>(n);
  contest result{.column = fmt::format("summa {}", n), .operations = 2 * size * size * size};
  const auto pose = [&grid, n](std::int64_t block) {
    return [&grid, n, block] {
      const summa::product what{
          .m = n, .n = n, .k = n, .block = block, .panel = block, .kind = summa::entries::random};
      return std::make_shared<summa::problem>(
          what, summa::arrange(what, summa::form::stationary_c, {grid.rows(), grid.columns()}),
          grid);
    };
  };
  const auto own = [&](const maker<summa::problem>& make) {
    return [&env, &how, pose, make] {
      std::vector<candidate> all;
      for (const std::int64_t block : how.blocks)
        all.push_back(
            candidate_of<summa::problem>(env, fmt::format("block {}", block), pose(block), make));
      return fastest_of(std::move(all));
    };
  };
  add(result, wanted, "base", own(summa::make_base));
  add(result, wanted, "olap", own(summa::make_olap));
  add(result, wanted, "plait",
      own([&env, tasks = tasks_of(how)] { return summa::make_plait(env, {.runtime = tasks}); }));
#ifdef PLAIT_BENCH_SCALAPACK
  add(result, wanted, "scalapack",
      [&] { return of_scalapack<summa::problem>(env, grid, how, pose, make_pdgemm); });
#endif
  return result;
}

}  // namespace plait::bench::dense
