// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>

#include "common/transport.hpp"
#include "contest.hpp"
#include "ft/variant.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/compare/comparison.hpp"

namespace plait::bench::fft {
namespace {

using measure::setting;
using measure::verdict;

constexpr double npbs_bound = 1e-12;

/// NAS FT on a peer's transforms.
class peer_run {
 public:
  peer_run(environment& env, const std::array<index, 3>& cells, transform& plans)
      : env_(env),
        cells_(cells),
        plans_(plans),
        factors_(ft::evolution(cells)),
        evolved_(static_cast<std::size_t>(plans.waves().size())) {
    const part& space = plans.space();
    for (index j = 1; j <= ft::checksum_terms; ++j) {
      const std::array<index, 3> cell = ft::checksum_cell(cells, j);
      if (space.has(cell)) terms_.push_back(&space.at(cell));
    }
  }

  /// Returns the checksums on rank 0, with the seconds of the slowest rank.
  std::pair<std::vector<complex>, double> run(int steps) {
    std::vector<complex> sums;
    double seconds = 0;
    measure::run_timed(env_,
                       {.prepare = [&](int) { fill(); },
                        .run =
                            [&] {
                              plans_.forward();
                              for (int step = 0; step < steps; ++step) {
                                evolve(step == 0);
                                plans_.backward();
                                add_checksum(sums);
                              }
                            },
                        .finish = [&](int, double total_s) { seconds = total_s; }},
                       0);
    return {std::move(sums), seconds};
  }

 private:
  void fill() {
    const part& space = plans_.space();
    for (index z = space.z.low; z < space.z.high && space.y.size() > 0; ++z)
      ft::fill_rows(cells_, space.y, z, space.y_stride, space.row(space.y.low, z));
  }

  /// The waves are kept beside those that are transformed back, and lost.
  void evolve(bool first) {
    const part& waves = plans_.waves();
    const double* along_x = factors_.x.data() + waves.x.low;
    complex* kept = evolved_.data();
    for_rows(waves, [&](index y, index z, complex* row) {
      const double yz =
          factors_.y[static_cast<std::size_t>(y)] * factors_.z[static_cast<std::size_t>(z)];
      const complex* from = first ? row : kept;
      for (index x = 0; x < waves.x.size(); ++x) row[x] = kept[x] = from[x] * (along_x[x] * yz);
      kept += waves.x.size();
    });
  }

  void add_checksum(std::vector<complex>& sums) {
    complex mine = 0;
    for (const complex* term : terms_) mine += *term;
    complex total;
    measure::check_mpi(MPI_Reduce(&mine, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, native(env_)),
                       "MPI_Reduce");
    const auto size = static_cast<double>(cells_[0] * cells_[1] * cells_[2]);
    if (env_.rank() == 0) sums.push_back(total / size);
  }

  environment& env_;
  const std::array<index, 3> cells_;
  transform& plans_;
  const spectral::separable_factors factors_;
  std::vector<complex> evolved_;
  std::vector<const complex*> terms_;
};

/// The kernel and the buffers that the rows of one grid share.
struct shared {
  shared(environment& env, const ft::problem_class& what, const setup& how)
      : steps(how.steps > 0 ? how.steps : what.iterations),
        kernel(spectral::slabs("--class", what.cells, env.size(), env.rank(),
                               spectral::usual_tile(what.cells, env.size())),
               how.planning),
        problem(kernel, 1, steps),
        transpose(native(env),
                  {kernel.shape(), problem.memory(0).column, spectral::transpose::to_planes}) {}

  int steps;
  spectral::passes kernel;
  ft::problem problem;
  spectral::whole_transpose transpose;
  std::vector<complex> sums_of_base;  ///< rank 0
};

verdict against_base(const std::vector<complex>& sums, const std::vector<complex>& base,
                     verdict so_far) {
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double error = i < sums.size() ? std::abs(sums[i] - base[i]) / std::abs(base[i])
                                         : std::numeric_limits<double>::infinity();
    if (!(error <= npbs_bound) && so_far.verified)
      so_far = {false, so_far.max_error,
                fmt::format("checksum {} is not that of base, by {:.3g} of it", i + 1, error)};
    so_far.max_error = std::max(so_far.max_error, error);
  }
  return so_far;
}

std::unique_ptr<ft::variant> make_variant(std::string_view row, environment& env,
                                          const ft::options& chosen) {
  if (row == "base") return ft::make_base(env);
  if (row == "olap") return ft::make_olap(env, chosen);
  if (row == "plait") return ft::make_plait(env, chosen);
  return ft::make_ideal();
}

}  // namespace

contest nas_ft(environment& env, const ft::problem_class& what, const setup& how,
               const std::vector<planned_peer>& peers) {
  const auto all = std::make_shared<shared>(env, what, how);
  const std::string name =
      what.name == "U" ? fmt::format("{}x{}x{}", what.cells[0], what.cells[1], what.cells[2])
                       : what.name;
  contest result{.column = "ft " + name,
                 .cells = what.cells,
                 .transforms = all->steps + 1,
                 .operations = ft::operations(what.cells, all->steps)};
  expect_right(measure::reference_of(*ft::make_base(env), all->problem, all->steps));
  all->sums_of_base = all->problem.sums;

  const ft::options chosen{
      .runtime = {.engine = {.policy = how.policy}, .tasks = {.workers = how.workers}}};
  for (const char* variant : {"base", "olap", "plait", "ideal"}) {
    const std::shared_ptr<ft::variant> code = make_variant(variant, env, chosen);
    result.rows.push_back({variant, [&env, all, code] {
                             return measure::run_checked<ft::problem>(
                                 env, *code, all->problem, all->steps, [&](setting solves) {
                                   verdict found =
                                       all->problem.check_closed_form(solves, all->steps);
                                   if (!found.verified || solves != setting::distributed)
                                     return found;
                                   const double error = found.max_error;
                                   found = all->problem.check_against_reference();
                                   found.max_error = error;
                                   return found;
                                 });
                           }});
  }
  for (const planned_peer& one : peers) {
    const auto code = std::make_shared<peer_run>(env, what.cells, *one.plans);
    result.rows.push_back(
        {one.name, [all, code, plans = one.plans] {
           const auto [sums, seconds] = code->run(all->steps);
           all->problem.sums = sums;
           const verdict found = all->problem.check_closed_form(setting::distributed, all->steps);
           return measure::checked_run{.total_s = seconds,
                                       .found = against_base(sums, all->sums_of_base, found),
                                       .error_bound = npbs_bound};
         }});
  }
  result.exchange = [all] { all->transpose.exchange(); };
  result.exchange_sparsely = [&env, all](std::chrono::microseconds interval) {
    spectral::exchange_sparsely(
        native(env),
        {all->kernel.shape(), all->problem.memory(0).column, spectral::transpose::to_planes},
        interval);
  };
  result.sent_per_transform = sent_in_transpose(all->kernel.shape());
  result.memory = all;
  return result;
}

}  // namespace plait::bench::fft
