// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "common/counted_product.hpp"
#include "plain_mpi.hpp"

namespace summa {
namespace {

using plait::measure::measurements;
using plait::measure::sent_bytes;

class session {
 public:
  session(plait::environment& env, const product& what, const arrangement& where,
          const std::vector<std::string>& variants, const options& chosen,
          const plait::measure::session_options& wanted)
      : env_(env),
        variants_(variants),
        chosen_(chosen),
        wanted_(wanted),
        grid_(env, where.grid.rows, where.grid.columns),
        problem_(what, where, grid_),
        buffers_(problem_),
        operands_(problem_) {}

  int run(const std::function<void(const json&)>& print) {
    plait::measure::comparison what =
        plait::measure::compare("summa", variants_, problem_, 1, variants_of(env_, chosen_));
    what.parameters = parameters();
    what.communication = communication();
    what.sent_per_step = sent();
    const product& p = problem_.what;
    plait::measure::set_operations(
        what, 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k));
    return plait::measure::run_comparison(
        env_, what, wanted_,
        [](json& out, const measurements&) {
          out["environment"]["blas_kernel"] = plait::dense::blas_kernel();
        },
        print);
  }

 private:
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone messages;
    messages.prepare = [this] { problem_.reset(setting::distributed); };
    messages.run = [this] { exchange_all(problem_, buffers_, operands_); };
    messages.exchanges = 1;
    messages.exchange_sparsely = [this](std::chrono::microseconds interval) {
      exchange_all_sparsely(problem_, buffers_, operands_, interval);
    };
    messages.work = plait::dense::counted_product();
    return messages;
  }

  /// Returns the bytes that ranks send, counted as if panels went from process to process.  Any
  /// other tree brings as many bytes to each.
  std::vector<sent_bytes> sent() const {
    const auto bytes = [](std::int64_t entries) {
      return static_cast<double>(entries) * static_cast<double>(sizeof(double));
    };
    const int p = grid_.p(), q = grid_.q(), rows = grid_.rows(), columns = grid_.columns();
    std::vector<sent_bytes> all;
    const int right = grid_.rank_at(p, (q + 1) % columns);
    const int below = grid_.rank_at((p + 1) % rows, q);
    for (const step& s : problem_.steps) {
      if (s.row_root >= 0 && (q + 1) % columns != s.row_root)
        all.push_back({right, bytes(problem_.x_size(s))});
      if (s.column_root >= 0 && (p + 1) % rows != s.column_root)
        all.push_back({below, bytes(problem_.y_size(s))});
      if (s.owner < 0 || problem_.owns_sums(s)) continue;
      const bool a = problem_.where.stationary == form::stationary_a;
      all.push_back({a ? right : below, bytes(problem_.sums_size(s))});
    }
    for (const auto* how : {&problem_.of_a, &problem_.of_b})
      for (int rank = 0; how->has_value() && rank < env_.size(); ++rank)
        all.push_back({rank, bytes((*how)->entries_to(rank))});
    return all;
  }

  json parameters() const {
    const product& what = problem_.what;
    const auto word = [](op how) { return how == op::none ? "N" : "T"; };
    json result{{"size", {what.m, what.n, what.k}},
                {"grid", {grid_.rows(), grid_.columns()}},
                {"transpose", std::string(word(what.of_a)) + word(what.of_b)},
                {"alpha", what.alpha},
                {"beta", what.beta},
                {"block", what.block},
                {"panel", what.panel},
                {"stationary", form_names[static_cast<std::size_t>(problem_.where.stationary)]},
                {"buffers", chosen_.buffers}};
    result.update(plait::measure::to_json(chosen_.runtime));
    return result;
  }

  plait::environment& env_;
  const std::vector<std::string>& variants_;
  const options& chosen_;
  const plait::measure::session_options& wanted_;
  const mesh grid_;
  problem problem_;
  plain_step buffers_;
  plain_transposition operands_;
};

}  // namespace

int measure(plait::environment& env, const product& what, const arrangement& where,
            const std::vector<std::string>& variants, const options& chosen,
            const plait::measure::session_options& wanted,
            const std::function<void(const json&)>& print) {
  return session(env, what, where, variants, chosen, wanted).run(print);
}

}  // namespace summa
