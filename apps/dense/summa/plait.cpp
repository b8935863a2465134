// SPDX-License-Identifier: BSD-3-Clause
// Variant `plait`: tasks.  A panel is a broadcast into one of a few buffers, and what reads it says
// so; the number of buffers is the look-ahead, for a buffer is overwritten as soon as its readers
// are done.  Nothing else says what overlaps.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/task_variant.hpp"
#include "variant.hpp"

namespace summa {
namespace {

using plait::in, plait::inout, plait::out;

// Columns of C that a task multiplies.  Each dgemm packs the panel of A anew, so tasks are long:
// the proxy looks after messages meanwhile.  [plait over base: shared memory, n = 4000: 256 columns
// 1.03, 512 0.98, 1024 0.98; 1 Gbit/s, n = 1200: 0.550, 0.547, 0.545]
constexpr std::int64_t most_columns_of_task = 1024, least_columns_of_task = 128;
// A panel travels along a chain of processes in pieces, so that all links of the chain are in use.
constexpr std::size_t fragment_bytes = std::size_t{256} << 10;

struct buffers {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> sums;
};

class tasks final : public plait::measure::task_variant<problem> {
 public:
  tasks(plait::environment& env, const plait::runtime_options& how, int panels)
      : task_variant(env, how), buffers_(static_cast<std::size_t>(panels)) {}

 private:
  plait::measure::task_steps steps_of(problem& p) override {
    p_ = &p;
    const step widest{.width = p.widest()};
    for (buffers& one : buffers_) {
      if (p.broadcasts_x()) one.x.resize(static_cast<std::size_t>(p.x_size(widest)));
      if (p.broadcasts_y()) one.y.resize(static_cast<std::size_t>(p.y_size(widest)));
      one.sums.resize(static_cast<std::size_t>(p.sums_size(widest)));
    }
    return {.replayed = false, .submit = [this](plait::runtime& rt, int) { submit_all(rt); }};
  }

  void ended(problem& p, int) override { p.scale_where_no_step_does(); }

  void submit_all(plait::runtime& rt) {
    rt_ = &rt;
    if (p_->of_a) transpose(*p_->of_a, p_->a, p_->left, from_a_);
    if (p_->of_b) transpose(*p_->of_b, p_->b, p_->right, from_b_);
    for (std::size_t i = 0; i < p_->steps.size(); ++i) submit(p_->steps[i], buffer(i));
  }

  buffers& buffer(std::size_t i) { return buffers_[i % buffers_.size()]; }

  static std::span<double> first(std::vector<double>& of, std::int64_t count) {
    return std::span(of).first(static_cast<std::size_t>(count));
  }

  void submit(const step& s, buffers& to) {
    const step_panels panels = broadcast(s, to);
    if (p_->where.stationary == form::stationary_c) {
      multiply(s, panels);
    } else {
      add_up(s, panels, to);
    }
  }

  // Panels --------------------------------------------------------------------------------------

  step_panels broadcast(const step& s, buffers& to) {
    step_panels panels;
    if (p_->broadcasts_x()) panels.x = broadcast_x(s, to);
    if (p_->broadcasts_y()) panels.y = broadcast_y(s, to);
    return panels;
  }

  std::span<const double> broadcast_x(const step& s, buffers& to) {
    const auto options = among(p_->grid.row());
    if (s.row_root == p_->grid.q()) {
      rt_->bcast("panel of A", in(p_->own_x(s)), s.row_root, options);
      return p_->own_x(s);
    }
    const std::span<double> x = first(to.x, p_->x_size(s));
    rt_->bcast("panel of A", out(x), s.row_root, options);
    return x;
  }

  std::span<const double> broadcast_y(const step& s, buffers& to) {
    const auto options = among(p_->grid.column());
    const std::span<double> y = first(to.y, p_->y_size(s));
    if (s.column_root == p_->grid.p()) {
      rt_->task("pack", &problem::pack_y, std::cref(*p_), s, in(p_->right_part()), out(y))
          .priority(plait::high);
      rt_->bcast("panel of B", in(y), s.column_root, options);
    } else {
      rt_->bcast("panel of B", out(y), s.column_root, options);
    }
    return y;
  }

  static plait::collective_options among(const plait::communicator& some) {
    const bool long_way = some.size() > 2;
    return {.among = some,
            .algorithm = long_way ? plait::collective::algorithm::chain
                                  : plait::collective::algorithm::linear,
            .fragment_bytes = fragment_bytes};
  }

  // Products ------------------------------------------------------------------------------------

  void multiply(const step& s, const step_panels& panels) {
    const std::int64_t columns = p_->c_columns();
    const std::int64_t each = std::clamp((columns + rt_->workers() - 1) / rt_->workers(),
                                         least_columns_of_task, most_columns_of_task);
    for (std::int64_t at = 0; at < columns; at += each) {
      const std::int64_t some = std::min(each, columns - at);
      const std::span<const double> y = panels.y.subspan(static_cast<std::size_t>(at * s.width),
                                                         static_cast<std::size_t>(some * s.width));
      rt_->task("multiply", &problem::multiply, std::cref(*p_), s, in(panels.x), in(y),
                inout(p_->columns_of_c(at, some)));
    }
  }

  void add_up(const step& s, const step_panels& panels, buffers& to) {
    const std::span<double> sums = first(to.sums, p_->sums_size(s));
    const bool a = p_->where.stationary == form::stationary_a;
    rt_->task("multiply", &problem::partial, std::cref(*p_), s, in(panels.x), in(panels.y),
              in(p_->stays()), out(sums));
    const plait::communicator& along = a ? p_->grid.row() : p_->grid.column();
    const plait::collective_options options{.among = along};
    if (!p_->owns_sums(s)) {
      rt_->reduce("sums", in(sums), out(sums.first(0)), s.owner, plait::sum{}, options);
      return;
    }
    rt_->reduce("sums", inout(sums), s.owner, plait::sum{}, options);
    rt_->task("add", &problem::add, std::cref(*p_), s, in(sums), inout(std::span(p_->c)));
  }

  // Operands ------------------------------------------------------------------------------------

  void transpose(const transposition& how, std::span<const double> from, std::span<double> to,
                 std::vector<std::vector<double>>& messages) {
    const auto ranks = static_cast<std::size_t>(env_.size());
    messages.assign(2 * ranks, {});
    for (std::size_t i = 0; i < ranks; ++i) {
      // First to the next process, so that not all send to the same one.
      const auto peer = static_cast<int>((static_cast<std::size_t>(env_.rank()) + i) % ranks);
      std::vector<double>& leaving = messages[2 * i];
      leaving.resize(static_cast<std::size_t>(how.entries_to(peer)));
      rt_->task("pack", &transposition::pack, std::cref(how), peer, in(from),
                out(std::span(leaving)));
      if (peer != env_.rank()) rt_->send("transpose", in(std::span(leaving)), peer);
    }
    for (std::size_t i = 0; i < ranks; ++i) {
      const auto peer =
          static_cast<int>((static_cast<std::size_t>(env_.rank()) + ranks - i) % ranks);
      std::vector<double>& coming = messages[2 * i + 1];
      coming.resize(static_cast<std::size_t>(how.entries_from(peer)));
      const std::span<double> message(peer == env_.rank() ? messages[0] : coming);
      if (peer != env_.rank()) rt_->recv("transpose", out(message), peer);
      rt_->task("unpack", &transposition::unpack, std::cref(how), peer, in(message),
                plait::commutative(to));
    }
  }

  problem* p_ = nullptr;
  plait::runtime* rt_ = nullptr;
  std::vector<buffers> buffers_;
  std::vector<std::vector<double>> from_a_;  ///< messages of a transposition
  std::vector<std::vector<double>> from_b_;
};

}  // namespace

std::unique_ptr<variant> make_plait(plait::environment& env, const options& chosen) {
  plait::runtime_options how = chosen.runtime;
  how.compare_sizes = false;
  return std::make_unique<tasks>(env, how, chosen.buffers);
}

plait::measure::variant_list<problem> variants_of(plait::environment& env, const options& chosen) {
  return {{"base", make_base},
          {"olap", make_olap},
          {"split", make_split},
          {"plait", [&] { return make_plait(env, chosen); }},
          {"ideal", make_ideal}};
}

}  // namespace summa
