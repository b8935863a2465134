// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/transport.hpp"
#include "measure/comparison.hpp"
#include "measure/comparison_result.hpp"
#include "measure/statistics.hpp"

namespace ft {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;

/// What the transport's processor time is counted with takes some 100 µs.
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
  session(plait::environment& env, const request& wanted, const spectral::slabs& shape,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& asked)
      : env_(env),
        wanted_(wanted),
        variants_(variants),
        chosen_(chosen),
        session_(asked),
        kernel_(shape, wanted.planning),
        problem_(kernel_, chosen.iterations_in_flight, asked.steps),
        chunks_(kernel_.shape(), problem_.in_flight.front().buffers(),
                spectral::transpose::to_planes),
        transpose_(plait::native(env), chunks_) {}

  plait::measure::outcome run() {
    const plait::measure::comparison what = comparison();
    const measurements found = plait::measure::measure(env_, what, session_);
    return {found.verified, env_.rank() == 0 ? result(what, found) : json()};
  }

 private:
  plait::measure::comparison comparison() {
    plait::measure::comparison what;
    what.application = "ft";
    what.parameters = parameters();
    for (const std::string& name : variants_) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared("ideal");
    what.communication = communication();
    // A run has a transpose more than it has steps.
    const double share = static_cast<double>(exchanges()) / session_.steps;
    for (int peer = 0; peer < env_.size(); ++peer)
      if (peer != env_.rank())
        what.sent_per_step.push_back(
            {peer, share * sizeof(complex) * static_cast<double>(kernel_.shape().sent_to(peer))});
    return what;
  }

  plait::measure::compared_variant compared(const std::string& name) {
    return plait::measure::compared<problem>(name, make_variant(name, env_, chosen_), problem_,
                                             session_.steps);
  }

  verdict make_reference() {
    const std::unique_ptr<variant> base = make_base(env_);
    problem_.reset(base->solves());
    base->prepare(problem_);
    base->run(problem_, session_.steps, {});
    (void)base->finish(problem_);
    problem_.keep_as_reference();
    if (env_.rank() == 0) checksums_ = problem_.sums;
    return problem_.check_closed_form(base->solves(), session_.steps);
  }

  [[nodiscard]] int exchanges() const { return session_.steps + 1; }

  /// The transposes of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone alone;
    alone.prepare = [this] { problem_.reset(setting::distributed); };
    alone.run = [this] {
      for (int i = 0; i < exchanges(); ++i) transpose_.exchange();
    };
    alone.exchanges = exchanges();
    alone.exchange_sparsely = [this](std::chrono::microseconds interval) {
      spectral::exchange_sparsely(plait::native(env_), chunks_, interval);
    };
    // What is counted meanwhile must not touch what travels.
    const index rows = 1 + cells_per_count / kernel_.shape().plane_size();
    alone.work = [this, rows, z = kernel_.shape().own_z().low]() mutable {
      const range own = kernel_.shape().own_z();
      if (z + rows > own.high) z = own.low;
      const range some{z, std::min(z + rows, own.high)};
      kernel_.rows(problem_.in_flight.front().planes.data(), some,
                   forward_ ? spectral::sign::forward : spectral::sign::backward);
      forward_ = !forward_;
      z = some.high;
    };
    return alone;
  }

  json parameters() const {
    return {{"class", wanted_.what.name},
            {"size", kernel_.shape().cells()},
            {"steps", session_.steps},
            {"repeat", session_.repeat},
            {"iterations_in_flight", chosen_.iterations_in_flight},
            {"tile", kernel_.shape().tile()},
            {"tiles", kernel_.shape().tiles()},
            {"workers", chosen_.workers},
            {"policy", plait::to_string(chosen_.policy)},
            {"in_flight", chosen_.in_flight},
            {"plans", wanted_.planning == spectral::planning::measured ? "measured" : "estimated"},
            {"variants", variants_}};
  }

  json result(const plait::measure::comparison& what, const measurements& found) const {
    json out = plait::measure::result_of(env_, what, session_, found);
    const double operations = ft::operations(kernel_.shape().cells(), session_.steps);
    for (const measured_variant& one : found.variants) {
      out["variants"][one.name]["gflops"] = operations / one.total_s() / 1e9;
      if (one.has_proxy())
        out["variants"][one.name]["longest_unwatched_s"] = one.figure("longest_unwatched_s");
    }
    for (const char* name : {"base", "library", "olap", "plait"})  // the last of these that ran
      if (const measured_variant* one = found.find(name))
        out["limiter"] = plait::measure::limiter_of(*one, found);
    const measured_variant* tasks = found.find("plait");
    out["environment"]["workers"] = tasks != nullptr ? tasks->workers : 1;
    for (const char* word : {"policy_chosen", "policy_reason"})
      out["environment"][word] = tasks != nullptr ? json(tasks->words.at(word)) : json(nullptr);
    out["checksums"] = json::array();
    for (const complex& sum : checksums_) out["checksums"].push_back({sum.real(), sum.imag()});
    out["checksums_known_by"] = to_string(problem_.known_by());
    return out;
  }

  plait::environment& env_;
  const request& wanted_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& session_;
  spectral::passes kernel_;
  problem problem_;
  spectral::chunk_map chunks_;
  spectral::whole_transpose transpose_;
  std::vector<complex> checksums_;
  bool forward_ = true;
};

}  // namespace

plait::measure::outcome measure(plait::environment& env, const request& wanted,
                                const spectral::slabs& shape,
                                const std::vector<std::string>& variants, const options& chosen,
                                const plait::measure::session_options& asked) {
  return session(env, wanted, shape, variants, chosen, asked).run();
}

}  // namespace ft
