// SPDX-License-Identifier: BSD-3-Clause
#include "own_block.hpp"

#include <algorithm>
#include <utility>

#include "common/kernel.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"
#include "measure/rows/alone.hpp"

namespace plait::bench::sparse {
namespace {

using spmv::setting;

/// The kernel that base, olap, plait and ideal share.
class our_kernel final : public own_product {
 public:
  explicit our_kernel(const plait::sparse::dealt_matrix& a) : a_(a) {}
  void multiply(const double* x, double* y) override {
    plait::sparse::multiply_own(a_, {0, a_.own_rows()}, x, y);
  }

 private:
  const plait::sparse::dealt_matrix& a_;
};

std::vector<double> samples_of(const measure::json& cell) {
  return cell.at("bytes_per_s").at("samples").get<std::vector<double>>();
}

}  // namespace

own_block::own_block(environment& env, spmv::problem& p, int products,
                     measure::row_findings& findings)
    : env_(env),
      p_(p),
      products_(products),
      findings_(findings),
      bytes_(measure::sum(env, plait::sparse::traffic_bytes(p.matrix().own))),
      nonzeros_(measure::sum(env, static_cast<double>(p.matrix().own.nonzeros()))) {
  p.reset(setting::isolated);
  expected_ = p.expect(setting::isolated);
}

std::vector<measure::measurement> own_block::rows(const std::vector<loaded_peer>& peers) {
  std::vector<measure::measurement> all;
  const auto add = [&](const std::string& name, std::shared_ptr<own_product> code) {
    all.push_back({name, own_block_column,
                   [this, name, code = std::move(code)] { return figures_of(name, *code); }});
  };
  add("plait", std::make_shared<our_kernel>(p_.matrix()));
  for (const loaded_peer& one : peers) add(one.name, one.matrix->make_own());
  all.push_back({triad_row, own_block_column, [this] { return triad(); }});
  return all;
}

measure::json own_block::figures_of(const std::string& row, own_product& code) {
  p_.reset(setting::isolated);
  const double own_s = measure::step_seconds(
      env_, products_, [&] { code.multiply(std::as_const(p_).own().data(), p_.y.data()); });
  measure::checked_run got{.total_s = products_ * measure::maximum(env_, own_s),
                           .found = p_.check_product(expected_),
                           .error_bound = p_.error_bound(setting::isolated, products_)};
  findings_.note(row, own_block_column, got);
  measure::json figures = measure::figures_of(env_, got, products_, 2 * nonzeros_ * products_);
  figures["bytes_per_s"] = bytes_ * products_ / got.total_s;
  return figures;
}

measure::json own_block::triad() const {
  env_.barrier();
  const double own =
      plait::sparse::triad_bytes_per_s(plait::sparse::traffic_bytes(p_.matrix().own));
  return {{"bytes_per_s", measure::sum(env_, own)}};
}

void own_block::add_fractions(measure::json& rows) {
  const std::vector<double> triad = samples_of(rows.at(triad_row).at(own_block_column));
  for (const auto& [name, columns] : rows.items()) {
    if (name == triad_row || !columns.contains(own_block_column)) continue;
    measure::json& cell = rows[name][own_block_column];
    std::vector<double> fractions = samples_of(cell);
    for (std::size_t i = 0; i < fractions.size(); ++i) fractions[i] /= triad.at(i);
    cell["fraction_of_triad"] = measure::to_json(measure::summarize(fractions));
  }
}

}  // namespace plait::bench::sparse
