// SPDX-License-Identifier: BSD-3-Clause
#include "hpcc.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/mesh.hpp"
#include "hpl/settings.hpp"
#include "measure/base/child_process.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/quiet_barrier.hpp"

namespace plait::bench::dense {
namespace {

/// Values to be tried, each with each.
struct search {
  std::vector<std::int64_t> blocks;
  std::vector<int> depths, broadcasts, factorisations;
  std::vector<std::int64_t> columns_at_end;  ///< of the recursion
};

/// One of the program's runs, as it prints them: "WR01C2R8 2000 64 1 2 0.06 8.976e+01".
struct netlib_run {
  std::string code;
  std::int64_t block = 0;
  double gflops = 0;
  double residual = std::numeric_limits<double>::infinity();
  bool passed = false;
};

void to_json(json& to, const netlib_run& from) {
  to = {{"code", from.code},
        {"block", from.block},
        {"gflops", from.gflops},
        {"residual", from.residual},
        {"passed", from.passed}};
}

void from_json(const json& from, netlib_run& to) {
  from.at("code").get_to(to.code);
  from.at("block").get_to(to.block);
  from.at("gflops").get_to(to.gflops);
  from.at("residual").get_to(to.residual);
  from.at("passed").get_to(to.passed);
}

/// A file of netlib's form, and four lines that ask for no other transpositions than HPL's sizes.
std::string input_of(std::int64_t n, const mesh& grid, const search& what) {
  std::string text = "HPL\nHPL\nHPL.out\n8\n";
  const auto add = [&text](const auto& values) {
    text += fmt::format("{}\n{}\n", values.size(), fmt::join(values, " "));
  };
  add(std::vector{n});
  add(what.blocks);
  text += fmt::format("0\n1\n{}\n{}\n", grid.rows(), grid.columns());  // ranks row by row
  text += "16.0\n";
  add(what.factorisations);
  add(what.columns_at_end);
  add(std::vector{2});  // groups of each recursion
  add(std::vector{1});  // Crout, recursive
  add(what.broadcasts);
  add(what.depths);
  return text + "2\n64\n0\n0\n1\n8\n#\n0\n0\n0\n0\n";
}

/// Reads the section of HPL: that of transpositions has lines of the same form.
std::vector<netlib_run> runs_of(const std::string& output) {
  std::vector<netlib_run> all;
  const std::size_t begin = output.find("Begin of HPL section.");
  if (begin == std::string::npos) return all;
  std::istringstream lines(output.substr(begin));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    netlib_run run;
    long long n = 0, p = 0, q = 0;
    double seconds = 0;
    if (line.starts_with("W") &&
        words >> run.code >> n >> run.block >> p >> q >> seconds >> run.gflops)
      all.push_back(run);
    const std::size_t equals = line.find("= ");
    if (line.starts_with("||Ax-b||_oo/") && equals != std::string::npos && !all.empty()) {
      all.back().residual = std::strtod(line.c_str() + equals + 1, nullptr);
      all.back().passed = line.ends_with("PASSED");
    }
  }
  return all;
}

/// A folder of its own for as long as it lives.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = std::filesystem::temp_directory_path() / "plait-hpcc-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw error("no folder can be made: " + name);
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string output_of(const std::string& command, const std::string& input) {
  const scratch_folder folder;
  std::ofstream(folder.path() / "hpccinf.txt") << input;
  (void)measure::run_line(folder.path(), command);
  std::ostringstream text;
  text << std::ifstream(folder.path() / "hpccoutf.txt").rdbuf();
  return text.str();
}

class hpcc final : public contestant {
 public:
  hpcc(environment& env, const mesh& grid, std::int64_t n, const setup& how)
      : env_(env), grid_(grid), n_(n), command_(how.hpcc), blocks_(how.blocks) {}

  std::vector<std::string> choose(double operations) override {
    operations_ = operations;
    // With two columns of processes all ways to send a panel are one message.
    const std::vector<int> ways =
        grid_.columns() > 2 ? std::vector{0, 1, 4} : std::vector{1};  // 1ring, 1ringM, Blong
    const std::vector<netlib_run> all = job({.blocks = blocks_,
                                             .depths = {0, 1},
                                             .broadcasts = ways,
                                             .factorisations = {1, 2},  // Crout, right
                                             .columns_at_end = {4, 8}});
    const auto best = std::ranges::max_element(all, {}, &netlib_run::gflops);
    kept_ = *best;
    std::vector<std::string> tried;
    for (const netlib_run& one : all)
      tried.push_back(rate_line(words_of(one), operations, seconds_of(one)));
    return tried;
  }

  [[nodiscard]] std::string settings() const override { return words_of(kept_); }

  checked_run run() override {
    const netlib_run got = job(as_kept()).front();
    checked_run result{.total_s = seconds_of(got), .error_bound = 16};
    result.found.max_error = got.residual;
    result.found.verified = got.passed;
    if (!got.passed) result.found.complaint = fmt::format("the residual is {:.3g}", got.residual);
    return result;
  }

 private:
  static std::string words_of(const netlib_run& one) {
    return fmt::format("block {}, {}", one.block, one.code);
  }
  /// It prints seconds to two places, and rates to four.
  [[nodiscard]] double seconds_of(const netlib_run& one) const {
    return 1e-9 * operations_ / one.gflops;
  }

  /// The digits of the code: WR, depth, broadcast, recursion, its groups, factorisation, columns.
  [[nodiscard]] search as_kept() const {
    const std::string& code = kept_.code;
    const std::string letters = "LCR";
    return {.blocks = {kept_.block},
            .depths = {code.at(2) - '0'},
            .broadcasts = {code.at(3) - '0'},
            .factorisations = {static_cast<int>(letters.find(code.at(6)))},
            .columns_at_end = {std::atoll(code.c_str() + 7)}};
  }

  /// Rank 0 starts it.  The others leave it the processors.  Collective.
  std::vector<netlib_run> job(const search& what) {
    json found = json::array();
    if (env_.rank() == 0) {
      found = runs_of(output_of(command_, input_of(n_, grid_, what)));
      if (found.empty()) throw error("hpcc has solved nothing: " + command_);
    }
    measure::quiet_barrier(env_);
    return json::parse(measure::broadcast(env_, found.dump())).get<std::vector<netlib_run>>();
  }

  environment& env_;
  const mesh& grid_;
  std::int64_t n_;
  std::string command_;
  std::vector<std::int64_t> blocks_;
  double operations_ = 0;
  netlib_run kept_;
};

/// Returns whether programs that ask for the BLAS that is installed get OpenBLAS.
bool blas_is_openblas() {
  void* const blas = dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);
  return blas != nullptr && dlsym(blas, "openblas_get_config") != nullptr;
}

}  // namespace

std::unique_ptr<contestant> make_hpcc(environment& env, const mesh& grid, std::int64_t n,
                                      const setup& how) {
  return std::make_unique<hpcc>(env, grid, n, how);
}

std::string why_no_hpcc(const std::string& command) {
  if (command.empty())
    return "needs --hpcc, the command that starts it; plait bench gives it where "
           "hpcc is installed, which Debian builds for Open MPI alone";
  if (!blas_is_openblas())
    return "would call another BLAS than ours: libblas.so.3 is not OpenBLAS's "
           "(update-alternatives)";
  return "";
}

}  // namespace plait::bench::dense
