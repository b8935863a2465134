// SPDX-License-Identifier: BSD-3-Clause
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "measure/base/mpi_check.hpp"
#include "measure/base/result.hpp"
#include "measure/compare/program.hpp"

namespace compress {
namespace {

using plait::measure::check_mpi;
using plait::measure::json;
using plait::measure::measurements;

/// Progress lines of a file, at most.
constexpr std::int64_t most_lines = 200;

json parameters(const archive& a, const runtime_options& how) {
  json result{{"file", a.input_path()},   {"codec", a.how().name()},
              {"level", a.how().level()}, {"bytes", a.input_bytes()},
              {"pieces", a.pieces()},     {"piece_bytes", a.how().piece_bytes()}};
  result.update(plait::measure::to_json(how));
  return result;
}

json sizes(const archive& a) {
  const double in = static_cast<double>(a.input_bytes()),
               out = static_cast<double>(a.output().size());
  return {{"input_bytes", a.input_bytes()},
          {"output_bytes", a.output().size()},
          {"ratio", in > 0 ? json(out / in) : json(nullptr)}};
}

class session {
 public:
  session(plait::environment& env, archive& a, const variant_list& all,
          const std::vector<std::string>& variants, const runtime_options& how,
          const plait::measure::session_options& wanted)
      : env_(env), archive_(a), all_(all), variants_(variants), how_(how), wanted_(wanted) {
    // A step is a piece of each rank.
    wanted_.steps = static_cast<int>((a.pieces() + a.ranks() - 1) / a.ranks());
  }

  int run() {
    archive_.make_reference();
    plait::measure::comparison what;
    what.application = "compress";
    what.parameters = parameters(archive_, how_);
    for (const std::string& name : variants_) what.variants.push_back(compared(name));
    what.base = "base";
    what.make_reference = [] { return verdict{}; };  // made before, for its sizes
    what.ideal = compared("ideal");
    what.communication = communication();
    add_sent_bytes(what);
    what.limited = &measurements::fastest_as_base;
    return plait::measure::run_comparison(
        env_, what, wanted_,
        [this](json& out, const measurements&) { out["compression"] = sizes(archive_); },
        print_table);
  }

 private:
  plait::measure::compared_variant compared(const std::string& name) {
    std::unique_ptr<variant> code = all_(name);
    const setting solves = code->solves();
    return plait::measure::compared(
        name, std::move(code), archive_, wanted_.steps,
        {.reset = [this, solves] { archive_.reset(solves); },
         .check = [this, solves](const run_report&) { return archive_.check(solves); }});
  }

  /// The messages of base.
  plait::measure::communication_alone communication() {
    plait::measure::communication_alone messages;
    messages.prepare = [this] { content_.assign(archive_.most_bytes(), std::byte{1}); };
    messages.run = [this] {
      for (std::int64_t i = 0; i < archive_.pieces(); ++i) move(i, {});
    };
    messages.exchanges = wanted_.steps;
    messages.exchange_sparsely = [this](std::chrono::microseconds interval) {
      for (std::int64_t i = 0; i < std::min<std::int64_t>(archive_.pieces(), archive_.ranks()); ++i)
        move(i, interval);
    };
    messages.work = [this, sum = std::uint64_t{0}]() mutable {
      for (std::size_t i = 0; i < std::min<std::size_t>(counted_.size(), 1 << 17); ++i)
        sum = (sum ^ static_cast<std::uint64_t>(counted_[i])) * 0x100000001b3;
      counted_[0] = static_cast<std::byte>(sum);
    };
    return messages;
  }

  /// Moves a piece to rank 0, with sleep between looks if there is an interval.
  void move(std::int64_t piece, std::optional<std::chrono::microseconds> interval) {
    const int size = static_cast<int>(archive_.sizes()[static_cast<std::size_t>(piece)]);
    const int owner = archive_.owner(piece);
    MPI_Request request = MPI_REQUEST_NULL;
    if (owner == 0) return;
    if (env_.rank() == owner)
      check_mpi(MPI_Isend(content_.data(), size, MPI_BYTE, 0, archive_.tag(piece),
                          plait::native(env_), &request),
                "MPI_Isend");
    else if (env_.rank() == 0)
      check_mpi(MPI_Irecv(content_.data(), size, MPI_BYTE, owner, archive_.tag(piece),
                          plait::native(env_), &request),
                "MPI_Irecv");
    for (int done = 0; interval && done == 0;) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) std::this_thread::sleep_for(*interval);
    }
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }

  /// Rank 0's link takes what all others send.
  void add_sent_bytes(plait::measure::comparison& to) const {
    double bytes = 0;
    int other = -1;
    for (std::int64_t i = 0; i < archive_.pieces(); ++i) {
      const auto owner = static_cast<std::size_t>(archive_.owner(i));
      if (env_.hosts()[owner] == env_.hosts()[0]) continue;
      other = static_cast<int>(owner);
      bytes += static_cast<double>(archive_.sizes()[static_cast<std::size_t>(i)]);
    }
    if (other > 0 && env_.rank() == 0) to.sent_per_step.push_back({other, bytes / wanted_.steps});
  }

  plait::environment& env_;
  archive& archive_;
  const variant_list& all_;
  const std::vector<std::string>& variants_;
  const runtime_options& how_;
  plait::measure::session_options wanted_;
  std::vector<std::byte> content_;
  std::vector<std::byte> counted_ = std::vector<std::byte>(1 << 17);
};

}  // namespace

plait::measure::outcome compress_file(plait::environment& env, archive& a,
                                      const runtime_options& how, bool replaces,
                                      bool says_how_far) {
  const std::int64_t every = std::max<std::int64_t>(1, a.pieces() / most_lines);
  if (says_how_far)
    a.progress = [&a, every](std::int64_t done) {
      if (done % every == 0 || done == a.pieces())
        std::fprintf(stderr, "@progress {\"done\":%lld,\"total\":%lld,\"label\":\"%s\"}\n",
                     static_cast<long long>(done), static_cast<long long>(a.pieces()),
                     a.how().name().c_str());
    };
  const std::unique_ptr<variant> tasks = make_plait(env, how);
  tasks->prepare(a);
  env.barrier();
  const plait::ticks start = plait::now_ticks();
  try {
    tasks->run(a, 1, {});
  } catch (...) {
    a.discard();
    throw;
  }
  const double total_s =
      plait::measure::maximum(env, plait::ticks_to_seconds(plait::now_ticks() - start));
  const run_report report = tasks->finish(a);
  plait::measure::outcome done;
  if (env.rank() != 0) return done;
  try {
    a.output().commit(replaces, a.input_path());
  } catch (...) {
    a.discard();
    throw;
  }
  const plait::measure::breakdown spent = plait::measure::mean_of(report.ledger);
  json one{{"total_s", plait::measure::to_json(plait::measure::summarize({total_s}))},
           {"compute_s", spent.compute_s},
           {"posting_s", spent.posting_s},
           {"exposed_s", spent.exposed_s},
           {"overhead_s", spent.overhead_s},
           {"idle_s", spent.idle_s},
           {"verified", true},
           {"workers", report.workers}};
  json out = plait::measure::new_result("application", "app", "compress", parameters(a, how),
                                        plait::measure::describe_environment(env));
  out["parameters"]["steps"] = 1;
  out["parameters"]["repeat"] = 1;
  out["variants"]["plait"] = std::move(one);
  out["bound_s"] = nullptr;
  out["beats_attainable"] = json::array();
  out["attainable_s"] = nullptr;
  out["compression"] = sizes(a);
  out["files"] = json::array({out["compression"]});
  out["files"][0]["file"] = a.input_path();
  out["files"][0]["total_s"] = total_s;
  done.result = std::move(out);
  return done;
}

json joined(json all, const json& next) {
  if (all.is_null()) return next;
  const auto add = [](json& to, const json& from, const std::string& key) {
    to[key] = from[key].is_number_integer()
                  ? json(to[key].get<std::int64_t>() + from[key].get<std::int64_t>())
                  : json(to[key].get<double>() + from[key].get<double>());
  };
  all["files"].push_back(next["files"][0]);
  json& one = all["variants"]["plait"];
  for (const char* key : {"compute_s", "posting_s", "exposed_s", "overhead_s", "idle_s"})
    add(one, next["variants"]["plait"], key);
  for (const char* key : {"bytes", "pieces"}) add(all["parameters"], next["parameters"], key);
  for (const char* key : {"input_bytes", "output_bytes"})
    add(all["compression"], next["compression"], key);
  double total_s = 0;
  for (const json& row : all["files"]) total_s += row["total_s"].get<double>();
  one["total_s"] = plait::measure::to_json(plait::measure::summarize({total_s}));
  const auto in = all["compression"]["input_bytes"].get<double>();
  all["compression"]["ratio"] =
      in > 0 ? json(all["compression"]["output_bytes"].get<double>() / in) : json(nullptr);
  all["parameters"]["file"] = fmt::format("{} files", all["files"].size());
  return all;
}

void print_table(const json& result) {
  const auto print = [](const json& name, const json& sizes) {
    std::printf("%s: %lld bytes to %lld\n", name.get<std::string>().c_str(),
                static_cast<long long>(sizes["input_bytes"].get<std::int64_t>()),
                static_cast<long long>(sizes["output_bytes"].get<std::int64_t>()));
  };
  for (const json& row : result.value("files", json::array())) print(row["file"], row);
  if (!result.contains("files") || result["files"].size() > 1)
    print(result["parameters"]["file"], result["compression"]);
  for (const auto& [name, one] : result["variants"].items())
    std::printf("%-8s %9.4f s, compute %9.4f s, exposed %9.4f s%s\n", name.c_str(),
                one["total_s"]["median"].get<double>(), one["compute_s"].get<double>(),
                one["exposed_s"].get<double>(), one["verified"].get<bool>() ? "" : ", WRONG");
}

int measure(plait::environment& env, archive& a, const variant_list& all,
            const std::vector<std::string>& variants, const runtime_options& how,
            const plait::measure::session_options& wanted) {
  return session(env, a, all, variants, how, wanted).run();
}

}  // namespace compress
