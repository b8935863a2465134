// SPDX-License-Identifier: BSD-3-Clause
// Parallel compression: pieces of a file are compressed by all ranks and written in order by one,
// after all, or while the next are compressed.  [Hoefler and Lumsdaine, slides 27 and 28]
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/command_line.hpp"
#include "measure/gather.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

struct command {
  std::vector<std::string> files;
  std::string codec = "bzip2";
  std::int64_t level = 0;
  std::string folder;
  bool force = false;
  std::string variants;
  std::int64_t workers = 0;
  std::string policy = "auto";
  plait::measure::session_options session;
};

constexpr std::array<std::string_view, 2> codec_names{"bzip2", "zstd"};

/// Words that are no options are files.
std::vector<char*> take_files(command& c, int argc, char** argv,
                              const std::vector<std::string_view>& flags) {
  std::vector<char*> others{argv[0]};
  bool only_files = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!only_files && word == "--") {
      only_files = true;
    } else if (only_files || !word.starts_with('-')) {
      c.files.emplace_back(word);
    } else {
      others.push_back(argv[i]);
      const bool has_value = word.find('=') == std::string_view::npos &&
                             std::find(flags.begin(), flags.end(), word) == flags.end();
      if (has_value && i + 1 < argc) others.push_back(argv[++i]);
    }
  }
  return others;
}

bool parse(command& c, int argc, char** argv, const plait::environment& env) {
  plait::measure::command_line options(
      "Compresses FILE... on all ranks, to what bzip2 -d or zstd -d reads", "compress");
  options.option("--codec", c.codec, "bzip2 or zstd");
  options.option("--level", c.level, "Level of the codec; 0 = its own (bzip2 9, zstd 3)");
  options.option("--out", c.folder, "Folder for the output; empty = that of each file");
  options.flag("--force", c.force, "Replace files that are there");
  options.option("--variants", c.variants,
                 "Compare base, olap, plait, ideal, and keep no output; commas between");
  options.option("--repeat", c.session.repeat, "Runs of each variant, with --variants");
  options.option("--workers", c.workers, "Workers of a rank, for tasks; 0 = choose");
  options.option("--policy", c.policy, "Progress: auto, dedicated, sleeping, workers or none");
  plait::measure::add_outputs(options, c.session, "variant");
  std::vector<char*> words = take_files(c, argc, argv, {"--force", "--progress", "--help", "-h"});
  return options.parse(static_cast<int>(words.size()), words.data(), env);
}

std::unique_ptr<compress::codec> make_codec(const command& c) {
  const std::string name = plait::measure::parse_name("--codec", c.codec, codec_names);
  const int level = static_cast<int>(c.level);
  if (name == "bzip2") return compress::make_bzip2(level == 0 ? 9 : level);
  return compress::make_zstd(level == 0 ? 3 : level);
}

std::string output_of(const command& c, const std::string& file, const std::string& suffix) {
  const std::filesystem::path path(file + suffix);
  return c.folder.empty() ? path.string()
                          : (std::filesystem::path(c.folder) / path.filename()).string();
}

/// Before anything is read.  Rank 0 alone writes.  Collective.
void check_outputs(plait::environment& env, const command& c, const std::string& suffix) {
  std::string complaint;
  std::set<std::string> outputs;
  if (env.rank() == 0 && c.variants.empty())
    for (const std::string& file : c.files) {
      const std::string output = output_of(c, file, suffix);
      if (!outputs.insert(output).second)
        complaint = fmt::format("two files become {}", output);
      else if (!c.force && std::filesystem::exists(output))
        complaint = fmt::format("{} exists; --force replaces it", output);
    }
  complaint = plait::measure::broadcast(env, complaint);
  if (!complaint.empty()) throw plait::usage_error(complaint);
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

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "compress", [&] {
    command given;
    if (!parse(given, argc, argv, env)) return plait::measure::exit_verified;
    if (given.files.empty()) throw plait::usage_error("name a file to compress");
    plait::measure::check_range("--workers", given.workers, 0, 1024);
    plait::measure::check_range("--level", given.level, -7, 19);
    plait::measure::session_options session = given.session;
    plait::measure::check(session);
    plait::measure::check_outputs(env, session);
    const compress::options how{.workers = static_cast<int>(given.workers),
                                .policy = plait::measure::parse_progress("--policy", given.policy)};
    const std::unique_ptr<compress::codec> codec = make_codec(given);
    check_outputs(env, given, codec->suffix());
    std::vector<std::string> variants;
    if (!given.variants.empty())
      variants = plait::measure::parse_names("--variants", given.variants, compress::variant_names);
    if (!variants.empty() && given.files.size() > 1)
      throw plait::usage_error("--variants compares with one file; name one");
    plait::measure::outcome all;
    for (const std::string& file : given.files) {
      compress::archive one(env, file, output_of(given, file, codec->suffix()), *codec);
      plait::measure::outcome done =
          variants.empty() ? compress::compress_file(env, one, how, given.force, session.progress)
                           : compress::measure(env, one, variants, how, session);
      all.verified = all.verified && done.verified;
      all.result =
          variants.empty() ? compress::joined(std::move(all.result), done.result) : done.result;
    }
    return plait::measure::conclude(env, session, all, print_table);
  });
}
