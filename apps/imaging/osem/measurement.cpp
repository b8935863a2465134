// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/number_file.hpp"
#include "convergence.hpp"
#include "measure/base/mpi_check.hpp"
#include "measure/base/quiet_barrier.hpp"
#include "measure/compare/program.hpp"

namespace osem {
namespace {

using plait::measure::check_mpi;
using plait::measure::json;
using plait::measure::measurements;

/// Says what is long enough for a message of its own.  [256x256, 1 Gbit/s, ms of olap and plait: at
/// 1280 angles slabs of 32 KiB 490, 514; 64 KiB 480, 481; 128 KiB 574, 561; at 640 angles slabs of
/// 32 KiB 286, 292; of 64 KiB, which ask the receiver first, 377, 301]
constexpr std::int64_t bytes_of_a_slab = std::int64_t{1} << 15;
constexpr std::int64_t most_slabs = 64;
/// Number of tasks, for each worker, that trace the paths of a list's subset.
constexpr int blocks_of_a_list = 8;

int slabs_for(const scan& what, int wanted) {
  if (wanted != 0) return wanted;
  const std::int64_t bytes = what.rays->grid().size() * static_cast<std::int64_t>(sizeof(double));
  return static_cast<int>(std::clamp<std::int64_t>(bytes / bytes_of_a_slab, 1, most_slabs));
}

int blocks_for(const scan& what, int workers) {
  return std::max(workers, 1) * (what.is_list ? blocks_of_a_list : 1);
}

void print_table(const json& result) {
  plait::measure::print_table(result, {{"/ base", "ratio_to_base", "{:.3f}"}});
  const json& last = result["reconstruction"]["iterations"].back();
  std::printf("log likelihood %.10g\n", last["log_likelihood"].get<double>());
}

class session {
 public:
  session(plait::environment& env, const scan& what, const variant_list& all,
          const session_choice& chosen, const plait::measure::session_options& wanted)
      : env_(env),
        scan_(what),
        all_(all),
        chosen_(chosen),
        wanted_(wanted),
        problem_(env, what, slabs_for(what, chosen.slabs),
                 blocks_for(what, chosen.runtime.tasks.workers)),
        convergence_(what),
        message_(problem_.credits.size()) {
    wanted_.steps = chosen.iterations * what.subsets;
  }

  int run() {
    plait::measure::comparison what =
        plait::measure::compare("osem", chosen_.variants, problem_, wanted_.steps, all_);
    what.parameters = parameters();
    what.make_reference = [this] { return make_reference(); };
    what.communication = communication();
    if (const double bytes = bytes_to_other_hosts(); bytes > 0)
      what.sent_per_step.push_back({rank_of_another_host(), bytes});
    what.limited = &measurements::fastest_as_base;
    return plait::measure::run_comparison(
        env_, what, wanted_, [this](json& out, const measurements&) { add_reconstruction(out); },
        print_table);
  }

 private:
  /// The image of a serial run, which is that of all variants.
  verdict make_reference() {
    if (env_.rank() == 0) {
      serial_start from{problem_.start(), {}};
      for (int k = 0; k < scan_.subsets; ++k)
        from.sensitivity.push_back(problem_.whole_sensitivity(k));
      image_ = reconstruct_serially(scan_, from, wanted_.steps,
                                    [&](const serial_iteration& one) { convergence_.add(one); });
    }
    plait::measure::quiet_barrier(env_);
    image_.resize(problem_.image.size());
    check_mpi(MPI_Bcast(image_.data(), static_cast<int>(image_.size()), MPI_DOUBLE, 0,
                        plait::native(env_)),
              "MPI_Bcast");
    problem_.keep_as_reference(image_);
    return convergence_.check();
  }

  /// The sums of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone sums;
    sums.prepare = [this] { std::ranges::fill(message_, 1); };
    sums.run = [this] {
      for (int step = 0; step < wanted_.steps; ++step)
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, message_.data(), static_cast<int>(message_.size()),
                                MPI_INT64_T, MPI_SUM, plait::native(env_)),
                  "MPI_Allreduce");
    };
    sums.exchanges = wanted_.steps;
    sums.exchange_sparsely = [this](std::chrono::microseconds interval) { sum_sparsely(interval); };
    if (!scan_.is_list)
      sums.work = [this, slab = 0]() mutable {
        problem_.forward_slab(0, slab);
        slab = (slab + 1) % problem_.slabs();
      };
    return sums;
  }

  void sum_sparsely(std::chrono::microseconds interval) {
    MPI_Request sum = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, message_.data(), static_cast<int>(message_.size()),
                             MPI_INT64_T, MPI_SUM, plait::native(env_), &sum),
              "MPI_Iallreduce");
    while (true) {
      int done = 0;
      check_mpi(MPI_Test(&sum, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done != 0) return;
      std::this_thread::sleep_for(interval);
    }
  }

  /// No allreduce sends less than 2 m (H - 1) / H from each of H hosts.  [Patarasuk and Yuan 2009]
  /// This rank's share of its host's.
  [[nodiscard]] double bytes_to_other_hosts() const {
    const std::set<std::string> different(env_.hosts().begin(), env_.hosts().end());
    const auto hosts = static_cast<double>(different.size());
    const auto ranks = static_cast<double>(std::ranges::count(env_.hosts(), env_.host()));
    return 2 * static_cast<double>(message_.size() * sizeof(std::int64_t)) * (hosts - 1) / hosts /
           ranks;
  }

  [[nodiscard]] int rank_of_another_host() const {
    const auto other =
        std::ranges::find_if(env_.hosts(), [&](const std::string& h) { return h != env_.host(); });
    return static_cast<int>(other - env_.hosts().begin());
  }

  json parameters() const {
    json result{{"size", scan_.rays->grid().cells},
                {"iterations", chosen_.iterations},
                {"subsets", scan_.subsets},
                {"views", scan_.rays->views()},
                {"rays", scan_.rays->rays()},
                {"events", scan_.is_list ? json(scan_.events.size()) : json(nullptr)},
                {"slabs", problem_.slabs()}};
    result.update(plait::measure::to_json(chosen_.runtime));
    return result;
  }

  // The result ----------------------------------------------------------------------------------

  void write_image() const {
    const auto& cells = scan_.rays->grid().cells;
    plait::imaging::number_array array{{cells[2], cells[1], cells[0]}, image_};
    if (cells[2] == 1) array.shape.erase(array.shape.begin());
    plait::imaging::write_npy(chosen_.image_file, array);
  }

  /// Writes the image, too, where a file is wanted.
  void add_reconstruction(json& out) const {
    if (!chosen_.image_file.empty()) write_image();
    out["kind"] = "reconstruction";
    out["reconstruction"] = convergence_.to_json(chosen_.iterations);
    out["reconstruction"]["fingerprint"] = fingerprint(image_);
  }

  plait::environment& env_;
  const scan& scan_;
  const variant_list& all_;
  const session_choice& chosen_;
  plait::measure::session_options wanted_;
  problem problem_;
  convergence convergence_;
  std::vector<double> image_;
  std::vector<std::int64_t> message_;  ///< as long as the image
};

}  // namespace

int measure(plait::environment& env, const scan& what, const variant_list& all,
            const session_choice& chosen, const plait::measure::session_options& wanted) {
  return session(env, what, all, chosen, wanted).run();
}

}  // namespace osem
