// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <unistd.h>

#include "measure/base/quiet_barrier.hpp"
#include "measure/base/size_list.hpp"
#include "measure/base/statistics.hpp"
#include "task_pair.hpp"

namespace plait::network::collectives {
namespace {

using measure::json;

constexpr double margin = 1.1;  // as plait::probe's: the clocks of ranks and link are not one
// Until the last rank has heard when to begin; ranks that share processors also have to wake.
constexpr double notice_s = 3e-4;
constexpr double crowded_notice_s = 2e-3;
// A rank that begins later than that has lost its processor: the step is made again.
constexpr double late_s = 1e-5;
constexpr int most_tries = 4;
constexpr int most_steps = 20;

double rest_s(const shaped_link& link) {
  return link.burst_bytes > 0 ? margin * link.burst_bytes / link.payload_Bps : 0;
}

// One process's part in a session: the runtime that all steps are done by, and its clock.
class participant {
 public:
  participant(environment& env, const session_options& wanted)
      : env_(env),
        wanted_(wanted),
        rt_(env, {.tasks = {.workers = 1}}),
        pair_(rt_, 0, env.size() - 1),
        crowded_(measure::maximum(env, env.size() > sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0) > 0) {}

  std::vector<message_times> messages() {
    offset_s_ = env_.measure_clock_offset().offset_s;
    std::vector<message_times> found(sizes().size());
    if (pair_.takes_part()) found = messages_between_two();
    measure::quiet_barrier(env_);  // others leave them the processors
    // All at the same time, as in a collective.
    for (std::size_t i = 0; i < sizes().size(); ++i) {
      found[i].kernels = measure_kernels(sizes()[i], env_.size());
      found[i].first_both_ways_s = both_ways_s(sizes()[i], 1);
      found[i].next_both_ways_s = both_ways_s(sizes()[i], 2) - found[i].first_both_ways_s;
    }
    measure::quiet_barrier(env_);
    const task_times tasks = own_tasks();
    for (message_times& one : found) one.tasks = tasks;
    return found;
  }

  // The median over some steps, of each the time from the common start to the last rank's end.
  double seconds_of(const measured_case& which) {
    offset_s_ = env_.measure_clock_offset().offset_s;
    buffers data(*which.what, which.size_bytes(), native(env_));
    (void)step_s(which, data);
    std::vector<double> steps{step_s(which, data)};
    const double each_s = steps[0] + notice() + rest_s(wanted_.link);
    const double number =
        std::clamp(wanted_.sample_s / each_s, 1.0, static_cast<double>(most_steps));
    while (steps.size() < static_cast<std::size_t>(number)) steps.push_back(step_s(which, data));
    return model::median(std::move(steps));
  }

  [[nodiscard]] const std::vector<std::size_t>& sizes() {
    if (sizes_.empty()) {
      std::size_t largest = 64;
      for (const measured_case& one : wanted_.cases) largest = std::max(largest, one.size_bytes());
      sizes_ = message_sizes(largest, wanted_.messages, wanted_.link);
    }
    return sizes_;
  }

 private:
  std::vector<message_times> messages_between_two() {
    const int n = wanted_.messages;
    const probe::loggp_plan plan{.sizes_bytes = sizes(),
                                 .messages = n,
                                 .repeat = rounds_at_once(),
                                 .link_rate_Bps = wanted_.link.payload_Bps,
                                 .link_burst_bytes = wanted_.link.burst_bytes};
    const probe::loggp_measurement measured =
        probe::measure_loggp([&](const burst& what) { return pair_.run(what); }, plan);
    std::vector<message_times> found;
    for (const probe::size_times& size : measured.sizes) {
      const model::round_trips medians = size.medians(n);
      message_times one = from_a_common_start(size.size_bytes);
      one.interval_s = model::gap_s(medians);
      one.send_overhead_s = model::send_overhead_s(medians);
      one.receive_overhead_s = model::receive_overhead_s(medians);
      found.push_back(one);
    }
    return found;
  }

  // Bursts behind a shaper take long, and are as long as it wants.
  [[nodiscard]] int rounds_at_once() const { return wanted_.link.burst_bytes > 0 ? 1 : 5; }
  [[nodiscard]] int times_at_once() const { return wanted_.link.burst_bytes > 0 ? 3 : most_steps; }

  // Steps of one kind in a row, the first not counted: as warm as those of an operation.
  template <class Step>
  double median_of_row_s(Step&& step) {
    (void)step();
    std::vector<double> times;
    for (int i = 0; i < times_at_once(); ++i) times.push_back(step());
    return model::median(std::move(times));
  }

  message_times from_a_common_start(std::size_t size_bytes) {
    const common_start when{.rest_s = rest_s(wanted_.link), .offset_s = offset_s_};
    message_times found;
    found.size_bytes = size_bytes;
    found.first_s = median_of_row_s([&] { return pair_.in_turn_s(1, size_bytes, when); });
    found.next_s =
        median_of_row_s([&] { return pair_.in_turn_s(2, size_bytes, when); }) - found.first_s;
    return found;
  }

  // So many rounds in which every rank sends to the next one what it has from the one before, in
  // arrays of a block for each rank.
  double both_ways_s(std::size_t size_bytes, int rounds) {
    const int ranks = env_.size();
    const int right = (env_.rank() + 1) % ranks;
    const int left = (env_.rank() + ranks - 1) % ranks;
    const auto byte_of = [](int rank) { return static_cast<std::byte>(rank % 256); };
    std::vector<std::byte> one(static_cast<std::size_t>(ranks) * size_bytes);
    std::vector<std::byte> other(one.size());
    const auto block_of = [&](auto& all) { return std::span(all).first(size_bytes); };
    const auto write = [&] {
      for (auto* each : {&other, &one}) std::ranges::fill(*each, byte_of(env_.rank()));
    };
    const double found_s = median_of_row_s([&] {
      return step_s(write, [&] {
        for (int round = 0; round < rounds; ++round) {
          const bool is_even = round % 2 == 0;
          receive_in_pieces(rt_, block_of(is_even ? other : one), left, round);
          send_in_pieces(rt_, block_of(is_even ? one : other), right, round);
        }
      });
    });
    const auto came = block_of(rounds % 2 == 0 ? one : other);
    const std::byte expected = byte_of((env_.rank() + (ranks - 1) * rounds) % ranks);
    if (std::ranges::any_of(came, [=](std::byte is) { return is != expected; }))
      throw error(fmt::format("a message of {} bytes arrived wrong, both ways", size_bytes));
    return found_s;
  }

  // Of the call itself: that a rank has to begin and end something is in the first message's time.
  task_times own_tasks() {
    constexpr int chain = 8;
    double data = 0;
    const auto tasks_s = [&](int tasks) {
      return median_step_s([&] {
        for (int i = 0; i < tasks; ++i)
          rt_.task(
              "task", [](double&) {}, inout(data));
      });
    };
    std::vector<double> nothing;
    const double call_s = median_step_s([&] { rt_.bcast("nothing", inout(nothing), 0); });
    const double one_s = tasks_s(1);
    return {.call_s = std::max(0.0, call_s - tasks_s(0)),
            .task_s = std::max(0.0, tasks_s(1 + chain) - one_s) / chain};
  }

  // A step that needs no data.
  template <class Submit>
  double median_step_s(Submit&& submit) {
    return median_of_row_s([&] { return step_s([] {}, submit); });
  }

  double step_s(const measured_case& which, buffers& data) {
    const double found_s = step_s(
        [&] { data.renew(); },
        [&] {
          which.what->submit(rt_, data,
                             {.algorithm = which.how, .fragment_bytes = which.call.fragment_bytes});
        });
    data.expect_right();
    return found_s;
  }

  // `write` makes the data, so that it lies in caches where a program's does that has just computed
  // it, for messages and operations alike.
  template <class Write, class Submit>
  double step_s(Write&& write, Submit&& submit) {
    for (int tries = 1;; ++tries) {
      write();
      const double start_s = common_start_s();
      wait_until(start_s);
      const double late = since_s(start_s);
      submit();
      rt_.wait();
      const double last_s = measure::maximum(env_, since_s(start_s));
      if (measure::maximum(env_, late) < late_s || crowded_ || tries == most_tries) return last_s;
    }
  }

  // On rank 0's clock, as soon as all can know of it and the link has rested.
  double common_start_s() {
    env_.barrier();
    const double at_s = since_s(0) + notice() + rest_s(wanted_.link);
    std::string bytes(sizeof at_s, '\0');
    std::memcpy(bytes.data(), &at_s, sizeof at_s);
    double start_s = 0;
    std::memcpy(&start_s, env_.broadcast(bytes).data(), sizeof start_s);
    return start_s;
  }

  [[nodiscard]] double notice() const { return crowded_ ? crowded_notice_s : notice_s; }

  // On rank 0's clock.
  [[nodiscard]] double since_s(double then_s) const {
    return ticks_to_seconds(now_ticks()) + offset_s_ - then_s;
  }

  // Busy, since a sleep ends late and on a cold processor; but where ranks share processors, those
  // that wait would keep them from each other.
  void wait_until(double start_s) {
    if (crowded_) std::this_thread::sleep_for(std::chrono::duration<double>(-since_s(start_s)));
    while (since_s(start_s) < 0) {
    }
  }

  environment& env_;
  const session_options& wanted_;
  runtime rt_;
  task_pair pair_;
  /// Ranks share processors, as far as one can tell: hosts of an emulated cluster do.
  bool crowded_;
  std::vector<std::size_t> sizes_;
  double offset_s_ = 0;  ///< rank 0's clock minus this one
};

measure::json exactly(double value) {
  return {{"median", value}, {"q1", value}, {"q3", value}, {"samples", {value}}};
}

// Tasks of the busiest rank that are no messages: combinations and copies, and the one that holds
// the schedule's memory.
int local_steps(collective::shape call, collective::algorithm how) {
  std::ptrdiff_t most = 0;
  for (call.rank = 0; call.rank < call.ranks; ++call.rank) {
    const collective::schedule own = build(call, how);
    const auto is_local = [](const collective::action& one) {
      using enum collective::action::kind;
      return one.what == operate || one.what == copy;
    };
    most = std::max(most,
                    std::ranges::count_if(own.actions, is_local) + (own.scratch_bytes > 0 ? 1 : 0));
  }
  return static_cast<int>(most);
}

double percent(double part, double whole) {
  return 100 * (part - whole) / whole;
}

// Prediction and error beside each measured time.
void predict(session_result& result, const measured_network& network,
             const session_options& wanted) {
  std::map<std::string, std::vector<double>> errors;
  for (const measured_case& one : wanted.cases) {
    measure::json& cell = result.rows[one.row()][one.column()];
    const double predicted_us =
        1e6 * network.predicted_s(one.modelled_what, one.modelled_how, modelled_shape(one.call),
                                  local_steps(one.call, one.how));
    const double error = percent(predicted_us, cell["measured_us"]["median"].get<double>());
    cell["predicted_us"] = exactly(predicted_us);
    cell["error_percent"] = exactly(error);
    for (const std::string& which : {std::string(one.what->name), std::string("all")})
      errors[which].push_back(std::abs(error));
  }
  result.median_error_percent = measure::json::object();
  for (const auto& [which, each] : errors) result.median_error_percent[which] = model::median(each);
}

}  // namespace

std::string measured_case::row() const {
  return fmt::format("{} {}", what->name, collective::to_string(how));
}

std::string measured_case::column() const {
  return measure::size_label(size_bytes());
}

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names{"all"};
  for (const collective::algorithm how : collective::all_algorithms)
    names.push_back(collective::to_string(how));
  return names;
}

std::vector<measured_case> cases_of(const operation& what,
                                    const std::vector<std::string>& algorithms,
                                    std::size_t size_bytes, int ranks, std::size_t fragment_bytes) {
  const collective::shape call{
      .what = what.name == "reduce_scatter" ? collective::operation::reduce_scatter_block
                                            : collective::operation_from(what.name).value(),
      .ranks = ranks,
      .element_bytes = sizeof(double),
      .count = size_bytes / sizeof(double),
      .fragment_bytes = fragment_bytes,
  };
  std::vector<measured_case> cases;
  for (const collective::algorithm how : collective::algorithms_of(call.what)) {
    const bool wanted = std::ranges::any_of(algorithms, [&](const std::string& name) {
      return name == "all" || name == to_string(how);
    });
    const auto formula = modelled(call, how);
    if (wanted && formula) cases.push_back({&what, call, how, *modelled(call.what), *formula});
  }
  return cases;
}

session_result measure(environment& env, const session_options& wanted) {
  participant own(env, wanted);
  std::vector<std::vector<message_times>> rounds;
  std::vector<measure::measurement> plan;
  plan.push_back({"messages", "between two ranks", [&] {
                    rounds.push_back(own.messages());
                    return measure::json::object();
                  }});
  for (const measured_case& one : wanted.cases) {
    plan.push_back({one.row(),
                    one.column(),
                    [&own, one] {
                      measure::json figures;
                      figures["measured_us"] = 1e6 * own.seconds_of(one);
                      return figures;
                    },
                    {{"op", one.what->name},
                     {"algorithm", collective::to_string(one.how)},
                     {"size_bytes", one.size_bytes()},
                     {"verified", true}}});  // else the measurement throws
  }
  session_result result;
  result.rows = measure::measure_interleaved(plan, wanted.repetition);
  result.rows.erase("messages");
  if (env.rank() != 0) return result;
  rounds.erase(rounds.begin());  // the warm-up
  const measured_network network(rounds, wanted.messages, wanted.link);
  predict(result, network, wanted);
  result.network = network.to_json();
  result.network_text = network.to_text();
  return result;
}

}  // namespace plait::network::collectives
