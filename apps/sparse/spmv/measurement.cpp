// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "common/ghost_exchange.hpp"
#include "common/kernel.hpp"
#include "measure/base/rank_sum.hpp"
#include "measure/compare/program.hpp"
#include "measure/load/memory_bandwidth.hpp"
#include "reference.hpp"

namespace spmv {
namespace {

using plait::measure::json;
using plait::measure::measured_variant;
using plait::measure::measurements;
using plait::sparse::burden;

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

void print_table(const json& result) {
  plait::measure::print_table(result, {{"/ base", "ratio_to_base", "{:.3f}"}});
  const json& dealt =
      result["traffic"]["dealings"][result["traffic"]["dealing"].get<std::string>()];
  std::printf("a product sends %.3f MB in %d messages; nonzeros %.2f of the mean at most\n",
              1e-6 * dealt["sent_bytes"].get<double>(), dealt["messages"].get<int>(),
              dealt["imbalance_nonzeros"].get<double>());
}

class session {
 public:
  session(plait::environment& env, problem& p, const description& about, const variant_list& all,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& wanted)
      : env_(env),
        p_(p),
        about_(about),
        all_(all),
        variants_(variants),
        chosen_(chosen),
        wanted_(wanted),
        communicator_(plait::native(env)),
        exchange_(communicator_, p.matrix(), p.needed(), p.own(), p.ghosts) {}

  int run() {
    const double nonzeros = plait::measure::sum(
        env_, static_cast<double>(p_.matrix().own.nonzeros() + p_.matrix().far.nonzeros()));
    const double traffic = plait::measure::sum(env_, plait::sparse::traffic_bytes(p_.matrix()));
    return plait::measure::run_comparison(
        env_, comparison(nonzeros), wanted_,
        [&](json& out, const measurements& found) { add_matrix(out, found, nonzeros, traffic); },
        print_table);
  }

 private:
  // The comparison ------------------------------------------------------------------------------

  plait::measure::comparison comparison(double nonzeros) {
    plait::measure::comparison what =
        plait::measure::compare("spmv", variants_, p_, wanted_.steps, all_);
    what.parameters = plait::measure::to_json(chosen_);
    what.parameters.update({{"matrix", about_.name},
                            {"method", method_names[static_cast<std::size_t>(p_.how())]},
                            {"deal", about_.dealing}});
    // Those of the products: a product and a sum for each nonzero.
    plait::measure::set_operations(what, 2 * nonzeros * wanted_.steps);
    what.make_reference = [this] { return make_reference(); };
    what.communication = communication();
    what.sent_per_step = exchange_.sent();
    plait::measure::measure_bandwidth(env_, what, [this] {
      return plait::sparse::triad_bytes_per_s(plait::sparse::traffic_bytes(p_.matrix()));
    });
    what.limited = [](const measurements& found) {
      const measured_variant* last = nullptr;
      for (const char* name : {"base", "olap", "plait"})  // of these, if it ran
        if (const measured_variant* one = found.find(name)) last = one;
      return last;
    };
    return what;
  }

  verdict make_reference() {
    verdict of_base = spmv::make_reference(env_, p_, wanted_.steps);
    checksum_ = p_.checksum();
    if (p_.how() == method::cg) residual_ = p_.residual();
    return of_base;
  }

  /// The messages of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone exchanges;
    exchanges.prepare = [this] { p_.reset(setting::distributed); };
    exchanges.run = [this] {
      for (int step = 0; step < wanted_.steps; ++step) {
        exchange_.exchange();
        for (int i = 0; i < p_.sums(); ++i) (void)plait::measure::sum_over_ranks(communicator_, 0);
      }
    };
    exchanges.exchanges = wanted_.steps;
    exchanges.exchange_sparsely = [this](std::chrono::microseconds interval) {
      exchange_.exchange_sparsely(interval);
    };
    // The work that is counted meanwhile must not touch ghosts.
    exchanges.work = plait::measure::in_turns(p_.pieces(), [this](const piece& one) {
      plait::sparse::multiply_own(p_.matrix(), one.rows, p_.own().data(), p_.y.data());
    });
    return exchanges;
  }

  // The result ----------------------------------------------------------------------------------

  void add_matrix(json& out, const measurements& found, double nonzeros, double traffic) const {
    out["matrix"] = matrix(nonzeros);
    out["traffic"] = traffic_of_ranks();
    out["kernel"] = plait::measure::kernel_of(found, traffic * wanted_.steps);
    if (p_.how() == method::residues) out["checksum"] = checksum_;
    if (p_.how() == method::cg) out["residual"] = residual_;
  }

  json matrix(double nonzeros) const {
    return {{"name", about_.name},
            {"rows", p_.matrix().rows},
            {"columns", p_.matrix().columns},
            {"nonzeros", nonzeros},
            {"symmetric", about_.symmetric}};
  }

  /// Returns the bytes that each rank sends to each in a product, and those that other ways of
  /// dealing would send.
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
  const variant_list& all_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  MPI_Comm communicator_;
  plait::sparse::ghost_exchange exchange_;
  double checksum_ = 0;
  double residual_ = 0;
};

}  // namespace

int measure(plait::environment& env, problem& p, const description& about, const variant_list& all,
            const std::vector<std::string>& variants, const options& chosen,
            const plait::measure::session_options& wanted) {
  return session(env, p, about, all, variants, chosen, wanted).run();
}

}  // namespace spmv
