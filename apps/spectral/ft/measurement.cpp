// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/transport.hpp"
#include "measure/compare/program.hpp"

namespace ft {
namespace {

using plait::measure::json;
using plait::measure::measurements;

/// Sizes the work that the transport's processor time is counted with: some 100 µs.
constexpr index cells_per_count = index{1} << 13;

[[nodiscard]] const char* to_string(reference known_by) {
  switch (known_by) {
    case reference::published:
      return "published";
    case reference::serial:
      return "serial run";
    case reference::none:
      break;
  }
  return "none";
}

class session {
 public:
  session(plait::environment& env, const request& wanted, const spectral::pencils& shape,
          const variant_list& all, const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& asked)
      : env_(env),
        wanted_(wanted),
        all_(all),
        variants_(variants),
        chosen_(chosen),
        session_(asked),
        kernel_(shape, chosen.planning),
        problem_(kernel_, chosen.iterations_in_flight, asked.steps),
        ranks_(plait::native(env), shape),
        transposes_(ranks_, shape, problem_.memory(0), spectral::transpose::to_planes) {}

  int run() {
    plait::measure::comparison what =
        plait::measure::compare("ft", variants_, problem_, session_.steps, all_);
    what.parameters = parameters();
    plait::measure::set_operations(what, ft::operations(kernel_.grid().cells(), session_.steps));
    what.make_reference = [this] { return make_reference(); };
    what.communication = communication();
    // A run has a transpose more than it has steps.
    const double share = static_cast<double>(exchanges()) / session_.steps;
    const auto add_sent = [&](int peer, index cells) {
      if (peer != env_.rank())
        what.sent_per_step.push_back({peer, share * sizeof(complex) * static_cast<double>(cells)});
    };
    const spectral::pencils& g = kernel_.grid();
    for (int q = 0; q < g.grid().q; ++q) add_sent(g.rank_in_column(q), g.column().sent_to(q));
    for (int p = 0; p < g.grid().p; ++p)
      add_sent(g.rank_in_row(p), g.own_z().size() * g.y_side_plane(p));
    return plait::measure::run_comparison(
        env_, what, session_, [this](json& out, const measurements&) { add_checksums(out); });
  }

 private:
  verdict make_reference() {
    const verdict found = plait::measure::reference_of(*all_("base"), problem_, session_.steps);
    if (env_.rank() == 0) checksums_ = problem_.sums;
    return found;
  }

  [[nodiscard]] int exchanges() const { return session_.steps + 1; }

  /// The transposes of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone alone;
    alone.prepare = [this] { problem_.reset(setting::distributed); };
    alone.run = [this] {
      for (int i = 0; i < exchanges(); ++i) {
        transposes_.exchange_column();
        transposes_.exchange_row();
      }
    };
    alone.exchanges = exchanges();
    alone.exchange_sparsely = [this](std::chrono::microseconds interval) {
      const spectral::transform_memory memory = problem_.memory(0);
      const auto exchange = [&](MPI_Comm among, const spectral::chunk_map& chunks) {
        spectral::exchange_sparsely(among, chunks, interval);
      };
      const spectral::pencils& g = kernel_.grid();
      exchange(ranks_.column(), {g, memory.column, spectral::transpose::to_planes});
      if (!g.are_slabs()) exchange(ranks_.row(), {g, memory.row, spectral::transpose::to_planes});
    };
    // The work that is counted meanwhile must not touch the data that travels.
    const index rows = 1 + cells_per_count / kernel_.grid().plane_size();
    alone.work = [this, rows, z = kernel_.grid().own_z().low]() mutable {
      const range own = kernel_.grid().own_z();
      if (z + rows > own.high) z = own.low;
      const range some{z, std::min(z + rows, own.high)};
      kernel_.rows(problem_.memory(0).field, some,
                   forward_ ? spectral::sign::forward : spectral::sign::backward);
      forward_ = !forward_;
      z = some.high;
    };
    return alone;
  }

  json parameters() const {
    const spectral::pencils& g = kernel_.grid();
    json result{{"class", wanted_.what.name},
                {"size", g.cells()},
                {"geometry", g.are_slabs() ? "slabs" : "pencils"},
                {"grid", {g.grid().p, g.grid().q}},
                {"iterations_in_flight", chosen_.iterations_in_flight},
                {"tile", kernel_.shape().tile()},
                {"tiles", kernel_.shape().tiles()},
                {"way", chosen_.way},
                {"plans", spectral::planning_names[static_cast<std::size_t>(chosen_.planning)]}};
    result.update(plait::measure::to_json(chosen_.runtime));
    return result;
  }

  void add_checksums(json& out) const {
    out["checksums"] = json::array();
    for (const complex& sum : checksums_) out["checksums"].push_back({sum.real(), sum.imag()});
    out["checksums_known_by"] = to_string(problem_.known_by());
  }

  plait::environment& env_;
  const request& wanted_;
  const variant_list& all_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& session_;
  spectral::passes kernel_;
  problem problem_;
  spectral::grid_communicators ranks_;
  spectral::whole_transposes transposes_;
  std::vector<complex> checksums_;
  bool forward_ = true;
};

}  // namespace

int measure(plait::environment& env, const request& wanted, const spectral::pencils& shape,
            const variant_list& all, const std::vector<std::string>& variants,
            const options& chosen, const plait::measure::session_options& asked) {
  return session(env, wanted, shape, all, variants, chosen, asked).run();
}

}  // namespace ft
