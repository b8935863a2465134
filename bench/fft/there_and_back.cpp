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
#include "fft3d/variant.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/compare/comparison.hpp"

namespace plait::bench::fft {
namespace {

using measure::setting;
using measure::verdict;

/// The waves at 1024 places, scattered as NPB's checksum has them.
std::vector<complex> sampled(environment& env, const std::array<index, 3>& cells,
                             const std::function<complex(const std::array<index, 3>&)>& own) {
  std::vector<complex> mine;
  for (index j = 1; j <= ft::checksum_terms; ++j) mine.push_back(own(ft::checksum_cell(cells, j)));
  std::vector<complex> all(mine.size());
  measure::check_mpi(MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()),
                                   MPI_C_DOUBLE_COMPLEX, MPI_SUM, native(env)),
                     "MPI_Allreduce");
  return all;
}

/// The kernel and the buffers that the rows of one grid share.
struct shared {
  shared(environment& env, const std::array<index, 3>& cells, const setup& how)
      : steps(how.steps > 0 ? how.steps : 3),
        kernel(spectral::slabs("--class", cells, env.size(), env.rank(),
                               spectral::usual_tile(cells, env.size())),
               how.planning),
        where(kernel.shape()),
        field(kernel, where),
        transpose(native(env), {kernel.shape(), where.buffers(), spectral::transpose::to_planes}) {}

  /// Keeps what base leaves behind; its waves are divided by the size.
  void keep_waves_of_base(environment& env) {
    const spectral::slabs& s = kernel.shape();
    const auto size = static_cast<double>(s.size());
    waves = sampled(env, s.cells(), [&](const std::array<index, 3>& at) -> complex {
      if (at[1] < s.own_y().low || at[1] >= s.own_y().high) return 0;
      return size * where.lines.data()[s.line_index(at[0], at[1], at[2])];
    });
  }

  int steps;
  spectral::passes kernel;
  fft3d::memory where;
  fft3d::problem field;
  spectral::whole_transpose transpose;
  std::vector<complex> waves;  ///< of base
};

/// There and back on a peer's transforms.
class peer_run {
 public:
  peer_run(environment& env, const shared& with, transform& plans)
      : env_(env), with_(with), plans_(plans) {}

  measure::checked_run run() {
    measure::checked_run result;
    measure::run_timed(env_,
                       {.prepare = [&](int) { fill(); },
                        .run =
                            [&] {
                              for (int step = 0; step < with_.steps; ++step) {
                                plans_.forward();
                                normalise();
                                plans_.backward();
                              }
                            },
                        .finish = [&](int, double total_s) { result.total_s = total_s; }},
                       0);
    result.error_bound = with_.field.error_bound(setting::distributed, with_.steps);
    check_field(result);
    check_waves(result);
    return result;
  }

 private:
  [[nodiscard]] const std::array<index, 3>& cells() const { return with_.kernel.shape().cells(); }
  [[nodiscard]] complex input(index x, index y, index z) const {
    return with_.field.input(setting::distributed, x, y, z);
  }

  void fill() {
    const part& space = plans_.space();
    for_rows(space, [&](index y, index z, complex* row) {
      for (index x = 0; x < space.x.size(); ++x) row[x] = input(space.x.low + x, y, z);
    });
  }

  void normalise() {
    const part& waves = plans_.waves();
    const double share = 1 / static_cast<double>(with_.kernel.shape().size());
    for_rows(waves, [&](index, index, complex* row) {
      for (index x = 0; x < waves.x.size(); ++x) row[x] *= share;
    });
  }

  /// Every cell is what it was before.
  void check_field(measure::checked_run& to) {
    const part& space = plans_.space();
    for_rows(space, [&](index y, index z, const complex* row) {
      for (index x = 0; x < space.x.size(); ++x)
        note(to, row[x], input(space.x.low + x, y, z), 1, [&] {
          return fmt::format("rank {}, cell ({}, {}, {})", env_.rank(), space.x.low + x, y, z);
        });
    });
  }

  /// Checks the waves that the next step would begin with.  Not timed.
  void check_waves(measure::checked_run& to) {
    plans_.forward();
    const std::vector<complex> got =
        sampled(env_, cells(), [&](const std::array<index, 3>& at) -> complex {
          return plans_.waves().has(at) ? plans_.waves().at(at) : 0;
        });
    double largest = 0;
    for (const complex& wave : with_.waves) largest = std::max(largest, std::abs(wave));
    for (std::size_t j = 0; j < got.size(); ++j)
      note(to, got[j], with_.waves[j], largest,
           [&] { return fmt::format("wave {} of base", j + 1); });
  }

  template <class Where>
  static void note(measure::checked_run& to, const complex& got, const complex& expected,
                   double scale, Where&& where) {
    double error = std::abs(got - expected) / scale;
    // A value that is no number is infinitely wrong: NaN would be lost in a maximum.
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error > to.error_bound && to.found.verified) {
      to.found.verified = false;
      to.found.complaint =
          fmt::format("{}: expected ({:.17g}, {:.17g}), got ({:.17g}, {:.17g})", where(),
                      expected.real(), expected.imag(), got.real(), got.imag());
    }
    to.found.max_error = std::max(to.found.max_error, error);
  }

  environment& env_;
  const shared& with_;
  transform& plans_;
};

std::unique_ptr<fft3d::variant> made(const std::string& row, environment& env,
                                     const fft3d::options& chosen) {
  if (row == "base") return fft3d::make_blocking(env);
  if (row == "olap") return fft3d::make_pipeline(env, fft3d::looks::tests);
  if (row == "plait") return fft3d::make_plait(env, chosen);
  return fft3d::make_ideal();
}

}  // namespace

contest there_and_back(environment& env, const ft::problem_class& what, const setup& how,
                       const std::vector<planned_peer>& peers) {
  const auto all = std::make_shared<shared>(env, what.cells, how);
  const auto size = static_cast<double>(all->kernel.shape().size());
  contest result{
      .column = fmt::format("fft3d {}x{}x{}", what.cells[0], what.cells[1], what.cells[2]),
      .cells = what.cells,
      .transforms = 2 * all->steps,
      .operations = 2 * all->steps * 5 * size * std::log2(std::max(size, 2.0))};
  expect_right(measure::reference_of(*fft3d::make_blocking(env), all->field, all->steps));
  all->keep_waves_of_base(env);

  const fft3d::options chosen{.engine = {.policy = how.policy}, .tasks = {.workers = how.workers}};
  for (const char* name : {"base", "olap", "plait", "ideal"}) {
    const std::shared_ptr<fft3d::variant> code = made(name, env, chosen);
    result.rows.push_back({name, [&env, all, code] {
                             return measure::run_checked<fft3d::problem>(
                                 env, *code, all->field, all->steps, [&](setting solves) {
                                   verdict found = all->field.check_closed_form(solves, all->steps);
                                   if (!found.verified || solves != setting::distributed)
                                     return found;
                                   const double error = found.max_error;
                                   found = all->field.check_against_reference();
                                   found.max_error = error;
                                   return found;
                                 });
                           }});
  }
  for (const planned_peer& one : peers) {
    const auto code = std::make_shared<peer_run>(env, *all, *one.plans);
    result.rows.push_back({one.name, [all, code, plans = one.plans] { return code->run(); }});
  }
  result.exchange = [all] { all->transpose.exchange(); };
  result.exchange_sparsely = [&env, all](std::chrono::microseconds interval) {
    spectral::exchange_sparsely(
        native(env), {all->kernel.shape(), all->where.buffers(), spectral::transpose::to_planes},
        interval);
  };
  result.sent_per_transform = sent_in_transpose(all->kernel.shape());
  result.memory = all;
  return result;
}

}  // namespace plait::bench::fft
