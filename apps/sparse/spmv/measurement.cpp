// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <utility>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/ghost_exchange.hpp"
#include "common/kernel.hpp"
#include "measure/comparison.hpp"
#include "measure/comparison_result.hpp"
#include "measure/statistics.hpp"

namespace spmv {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::sparse::burden;

constexpr const char* memory_bandwidth = "memory bandwidth";

std::int64_t total(const std::vector<std::int64_t>& of) {
  return std::accumulate(of.begin(), of.end(), std::int64_t{0});
}

/// The largest over the mean.
double imbalance(const std::vector<std::int64_t>& of) {
  const std::int64_t sum = total(of);
  return sum == 0 ? 1
                  : static_cast<double>(std::ranges::max(of)) * static_cast<double>(of.size()) /
                        static_cast<double>(sum);
}

/// Bytes that the busiest rank sends or gets.
std::int64_t busiest_bytes(const burden& of) {
  const std::size_t ranks = of.rows.size();
  std::int64_t most = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    std::int64_t sent = 0;
    std::int64_t received = 0;
    for (std::size_t other = 0; other < ranks; ++other) {
      sent += of.sent[r * ranks + other];
      received += of.sent[other * ranks + r];
    }
    most = std::max({most, sent, received});
  }
  return 8 * most;
}

json to_json(const burden& of) {
  return {{"sent_bytes", 8 * total(of.sent)},
          {"busiest_rank_bytes", busiest_bytes(of)},
          {"messages", std::ranges::count_if(of.sent, [](std::int64_t n) { return n > 0; })},
          {"imbalance_rows", imbalance(of.rows)},
          {"imbalance_nonzeros", imbalance(of.nonzeros)}};
}

class session {
 public:
  session(plait::environment& env, problem& p, const description& about,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& wanted)
      : env_(env),
        p_(p),
        about_(about),
        variants_(variants),
        chosen_(chosen),
        wanted_(wanted),
        communicator_(plait::native(env)),
        exchange_(communicator_, p.matrix(), p.needed(), p.own(), p.ghosts) {}

  plait::measure::outcome run() {
    const plait::measure::comparison what = comparison();
    const measurements found = plait::measure::measure(env_, what, wanted_);
    const double nonzeros = plait::measure::sum(
        env_, static_cast<double>(p_.matrix().own.nonzeros() + p_.matrix().far.nonzeros()));
    const double traffic = plait::measure::sum(env_, plait::sparse::traffic_bytes(p_.matrix()));
    return {found.verified, env_.rank() == 0 ? result(what, found, nonzeros, traffic) : json()};
  }

 private:
  // What is compared ----------------------------------------------------------------------------

  plait::measure::comparison comparison() {
    plait::measure::comparison what;
    what.application = "spmv";
    what.parameters = {{"matrix", about_.name},
                       {"method", method_names[static_cast<std::size_t>(p_.how())]},
                       {"deal", about_.dealing},
                       {"steps", wanted_.steps},
                       {"repeat", wanted_.repeat},
                       {"workers", chosen_.workers},
                       {"policy", plait::to_string(chosen_.policy)},
                       {"variants", variants_}};
    for (const std::string& name : variants_) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [this] { return make_reference(); };
    what.ideal = compared("ideal");
    what.communication = communication();
    what.sent_per_step = exchange_.sent();
    what.also.push_back(
        {memory_bandwidth, [this] {
           return plait::measure::sum(
               env_, plait::sparse::triad_bytes_per_s(plait::sparse::traffic_bytes(p_.matrix())));
         }});
    return what;
  }

  plait::measure::compared_variant compared(const std::string& name) {
    return plait::measure::compared<problem>(name, make_variant(name, env_, chosen_), p_,
                                             wanted_.steps);
  }

  void run_steps(variant& code, int steps) {
    p_.reset(code.solves());
    code.prepare(p_);
    code.run(p_, steps, {});
    (void)code.finish(p_);
  }

  /// Makes the reference: what the last product must be follows from one step less.
  verdict make_reference() {
    for (const auto& make : {make_ideal, make_base}) {
      const std::unique_ptr<variant> code = make(env_);
      run_steps(*code, wanted_.steps - 1);
      p_.expect_product(code->solves());
    }
    const std::unique_ptr<variant> base = make_base(env_);
    run_steps(*base, wanted_.steps);
    if (!plait::measure::all_of(env_, !p_.now.indefinite))
      throw plait::usage_error(
          "--method is cg; the matrix is not positive definite, p·Ap became 0 or less");
    p_.keep_as_reference();
    checksum_ = p_.checksum();
    if (p_.how() == method::cg) residual_ = p_.residual();
    return p_.check_closed_form(base->solves(), wanted_.steps);
  }

  /// The messages of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone exchanges;
    exchanges.prepare = [this] { p_.reset(setting::distributed); };
    exchanges.run = [this] {
      for (int step = 0; step < wanted_.steps; ++step) {
        exchange_.exchange();
        for (int i = 0; i < p_.sums(); ++i) (void)plait::sparse::sum_over_ranks(communicator_, 0);
      }
    };
    exchanges.exchanges = wanted_.steps;
    exchanges.exchange_sparsely = [this](std::chrono::microseconds interval) {
      exchange_.exchange_sparsely(interval);
    };
    // What is counted meanwhile must not touch ghosts.
    if (!p_.pieces().empty())
      exchanges.work = [this, next = std::size_t{0}]() mutable {
        plait::sparse::multiply_own(p_.matrix(), p_.pieces()[next].rows, p_.own().data(),
                                    p_.y.data());
        next = (next + 1) % p_.pieces().size();
      };
    return exchanges;
  }

  // What comes out ------------------------------------------------------------------------------

  json result(const plait::measure::comparison& what, const measurements& found, double nonzeros,
              double traffic) const {
    json out = plait::measure::result_of(env_, what, wanted_, found);
    const measured_variant* tasks = found.find("plait");
    out["environment"]["workers"] = tasks != nullptr ? tasks->workers : 1;
    for (const char* word : {"policy_chosen", "policy_reason"})
      out["environment"][word] = tasks != nullptr ? json(tasks->words.at(word)) : json(nullptr);
    for (const measured_variant& one : found.variants)
      out["variants"][one.name]["gflop_per_s"] = 2e-9 * nonzeros * wanted_.steps / one.total_s();
    for (const char* name : {"base", "olap", "plait"})  // the last of these that ran
      if (const measured_variant* one = found.find(name))
        out["limiter"] = plait::measure::limiter_of(*one, found);
    out["matrix"] = matrix(nonzeros);
    out["traffic"] = traffic_of_ranks();
    const double stream = plait::measure::median(found.also.at(memory_bandwidth));
    const double bytes_per_s = traffic * wanted_.steps / found.alone().computation_s;
    out["kernel"] = {{"bytes_per_s", bytes_per_s},
                     {"stream_bytes_per_s", stream},
                     {"fraction_of_bandwidth", bytes_per_s / stream}};
    if (p_.how() == method::residues) out["checksum"] = checksum_;
    if (p_.how() == method::cg) out["residual"] = residual_;
    return out;
  }

  json matrix(double nonzeros) const {
    return {{"name", about_.name},
            {"rows", p_.matrix().rows},
            {"columns", p_.matrix().columns},
            {"nonzeros", nonzeros},
            {"symmetric", about_.symmetric}};
  }

  /// Who sends how much to whom in a product, and what other ways of dealing would send.
  json traffic_of_ranks() const {
    json out{{"dealing", about_.dealing}, {"bytes", json::array()}, {"dealings", json::object()}};
    const auto ranks = static_cast<std::size_t>(env_.size());
    for (const auto& [name, of] : about_.burdens) {
      out["dealings"][name] = to_json(of);
      if (name != about_.dealing) continue;
      for (std::size_t from = 0; from < ranks; ++from) {
        json row = json::array();
        for (std::size_t to = 0; to < ranks; ++to) row.push_back(8 * of.sent[from * ranks + to]);
        out["bytes"].push_back(row);
      }
      out["rows"] = of.rows;
      out["nonzeros"] = of.nonzeros;
    }
    return out;
  }

  plait::environment& env_;
  problem& p_;
  const description& about_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  MPI_Comm communicator_;
  plait::sparse::ghost_exchange exchange_;
  double checksum_ = 0;
  double residual_ = 0;
};

}  // namespace

plait::measure::outcome measure(plait::environment& env, problem& p, const description& about,
                                const std::vector<std::string>& variants, const options& chosen,
                                const plait::measure::session_options& wanted) {
  return session(env, p, about, variants, chosen, wanted).run();
}

}  // namespace spmv
