// SPDX-License-Identifier: BSD-3-Clause
// Parallel compression: pieces of a file are compressed by all ranks and written in order by one,
// after all, or while the next are compressed.  [Hoefler and Lumsdaine, slides 27 and 28]
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/compare/program.hpp"
#include "measurement.hpp"

namespace {

struct command {
  std::vector<std::string> files;
  std::string codec = "bzip2";
  std::int64_t level = 0;
  std::string folder;
  bool force = false;
  plait::measure::program_options common = plait::measure::usual_options("", 1);
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

bool parse(command& c, const compress::variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  plait::measure::command_line options(
      "Compresses FILE... on all ranks, to what bzip2 -d or zstd -d reads; with --variants "
      "compares "
      "these, and keeps no output",
      "compress");
  options.option("--codec", c.codec, "bzip2 or zstd");
  options.option("--level", c.level, "Level of the codec; 0 = its own (bzip2 9, zstd 3)");
  options.option("--out", c.folder, "Folder for the output; empty = that of each file");
  options.flag("--force", c.force, "Replace files that are there");
  plait::measure::add_program_options(options, c.common, all.names(), "");
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
  if (env.rank() == 0 && c.common.variants.empty())
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

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "compress", [&] {
    plait::runtime_options how;
    const compress::variant_list all{{"base", [&] { return compress::make_base(env); }},
                                     {"olap", [&] { return compress::make_olap(env); }},
                                     {"plait", [&] { return compress::make_plait(env, how); }},
                                     {"ideal", compress::make_ideal}};
    command given;
    if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
    if (given.files.empty()) throw plait::usage_error("name a file to compress");
    plait::measure::check_range("--level", given.level, -7, 19);
    const plait::measure::session_options& session = given.common.session;
    plait::measure::check(session);
    plait::measure::check_outputs(env, session);
    how = given.common.tasks();
    const std::unique_ptr<compress::codec> codec = make_codec(given);
    check_outputs(env, given, codec->suffix());
    if (!given.common.variants.empty()) {
      const std::vector<std::string> variants = given.common.chosen(all.names());
      const std::string& file = given.files.front();
      if (given.files.size() > 1)
        throw plait::usage_error("--variants compares with one file; name one");
      compress::archive one(env, file, output_of(given, file, codec->suffix()), *codec);
      return compress::measure(env, one, all, variants, how, session);
    }
    plait::measure::outcome every;
    for (const std::string& file : given.files) {
      compress::archive one(env, file, output_of(given, file, codec->suffix()), *codec);
      const plait::measure::outcome done =
          compress::compress_file(env, one, how, given.force, session.progress);
      every.verified = every.verified && done.verified;
      every.result = compress::joined(std::move(every.result), done.result);
    }
    return plait::measure::conclude(env, session, every, compress::print_table);
  });
}
