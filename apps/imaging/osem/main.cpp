// SPDX-License-Identifier: BSD-3-Clause
// OSEM: tomographic images by ordered subsets, the sum of the image over ranks in front of, or
// under, the projections.  [Hoefler and Lumsdaine, slide 31]  One MPI job runs all variants in
// turns and writes one result.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/number_file.hpp"
#include "measure/base/gather.hpp"
#include "measure/compare/program.hpp"
#include "measurement.hpp"

namespace {

using plait::measure::json;

struct command {
  std::string phantom;
  std::string matrix_file, sinogram_file, background_file, image, image_file;
  std::int64_t angles = 0, tilts = 0, bins = 0;
  std::int64_t subsets = 16, iterations = 4, slabs = 0, seed = 1;
  double counts = 0, background = 0;
  bool is_list = false;
  plait::measure::program_options common =
      plait::measure::usual_options("base,iallreduce,olap,plait,ideal", 1);  // iterations x subsets
};

bool parse(command& c, const osem::variant_list& all, int argc, char** argv,
           const plait::environment& env) {
  plait::measure::command_line options("Tomographic images by ordered subsets (OSEM)", "osem");
  options.option("--phantom", c.phantom,
                 "Scan a Shepp-Logan phantom of N, NXxNY or NXxNYxNZ voxels; 128 if no --matrix");
  options.option("--angles", c.angles, "Angles of the scan; 0 = choose");
  options.option("--tilts", c.tilts, "Tilts at each angle, from -30 to 30 degrees; 0 = choose");
  options.option("--counts", c.counts, "Counts expected in all, with Poisson noise; 0 = no noise");
  options.option("--background", c.background, "Counts expected on each ray besides");
  options.option("--seed", c.seed, "Decides the noise, and the order of a list");
  options.option("--matrix", c.matrix_file, "System matrix, a row a ray: .mtx, .npy or text");
  options.option("--sinogram", c.sinogram_file, "Counts by ray: .mtx, .npy or text");
  options.option("--background-file", c.background_file, "Counts expected besides, by ray");
  options.option("--image", c.image, "Shape of the matrix's image, as NXxNY or NXxNYxNZ");
  options.option("--bins", c.bins, "Rows of the matrix that are a view; 0 = a row of the sinogram");
  options.flag("--list", c.is_list, "Take each count as an event of a list, with paths on the fly");
  options.option("--subsets", c.subsets, "Ordered subsets");
  options.option("--iterations", c.iterations, "Iterations, each an update with every subset");
  options.option("--slabs", c.slabs, "Slabs of the image; 0 = choose");
  options.option("--image-file", c.image_file, "File for the image, .npy");
  plait::measure::add_program_options(options, c.common, all.names(), "");
  return options.parse(argc, argv, env);
}

osem::image_grid parse_grid(const std::string& option, std::string text) {
  const auto axes = std::ranges::count(text, 'x');
  if (axes == 0 && option == "--phantom") text += "x" + text;
  if (std::ranges::count(text, 'x') == 1) text += "x1";
  const osem::image_grid grid{plait::measure::parse_extents(option, text, 1)};
  const double size = static_cast<double>(grid.cells[0]) * static_cast<double>(grid.cells[1]) *
                      static_cast<double>(grid.cells[2]);
  if (size > static_cast<double>(std::numeric_limits<std::int32_t>::max()))
    throw plait::usage_error(fmt::format("{} {} has more than 2^31 pixels", option, text));
  return grid;
}

void check(const command& c) {
  plait::measure::check(c.common.session);
  plait::measure::check_range("--subsets", c.subsets, 1, 1'000'000);
  plait::measure::check_range("--iterations", c.iterations, 1, 1'000'000);
  plait::measure::check_range("--slabs", c.slabs, 0, 1 << 20);
  plait::measure::check_range("--angles", c.angles, 0, 1'000'000);
  plait::measure::check_range("--tilts", c.tilts, 0, 1000);
  plait::measure::check_range("--bins", c.bins, 0, std::numeric_limits<std::int32_t>::max());
  for (const auto& [option, value] :
       {std::pair{"--counts", c.counts}, std::pair{"--background", c.background}})
    if (!(value >= 0) || std::isinf(value))
      throw plait::usage_error(fmt::format("{} is {}; it must be 0 or more", option, value));
  if (c.matrix_file.empty() != c.sinogram_file.empty())
    throw plait::usage_error("--matrix and --sinogram belong together; give both or neither");
  if (!c.matrix_file.empty() && !c.phantom.empty())
    throw plait::usage_error("--phantom is scanned by our own projector; leave out --matrix");
}

osem::scan scan_phantom(plait::environment& env, const command& c) {
  const osem::image_grid grid = parse_grid("--phantom", c.phantom.empty() ? "128" : c.phantom);
  const std::int64_t widest = std::max(grid.cells[0], grid.cells[1]);
  const osem::beam views{c.angles != 0 ? c.angles : widest,
                         c.tilts != 0 ? c.tilts : (grid.cells[2] > 1 ? 3 : 1)};
  const std::shared_ptr<osem::ray_source> rays = osem::make_parallel_beam(grid, views);
  if (rays->rays() > std::numeric_limits<std::int32_t>::max())
    throw plait::usage_error("--angles has more than 2^31 rays");
  return osem::scan_phantom(env, rays, {c.counts, c.background, c.seed});
}

/// Square where nothing is said and that is possible, else a row.
osem::image_grid grid_of(const command& c, std::int64_t pixels) {
  if (!c.image.empty()) return parse_grid("--image", c.image);
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(pixels))));
  if (side * side == pixels) return {{side, side, 1}};
  return {{pixels, 1, 1}};
}

osem::scan read_scan(const command& c) {
  plait::imaging::sparse_matrix matrix = plait::imaging::read_matrix(c.matrix_file);
  plait::imaging::number_array sinogram = plait::imaging::read_array(c.sinogram_file);
  std::int64_t bins = c.bins;
  if (bins == 0) {  // a column is a list of rays
    const bool is_flat = sinogram.shape.size() == 2 && sinogram.shape[1] > 1;
    bins = is_flat ? sinogram.shape[1] : 1;
  }
  osem::scan result;
  const osem::image_grid grid = grid_of(c, matrix.columns);
  result.rays = osem::make_matrix(grid, bins, std::move(matrix));
  osem::check_numbers("--sinogram", sinogram.values, result.rays->rays());
  result.counts = std::move(sinogram.values);
  result.background.assign(result.counts.size(), c.background);
  if (!c.background_file.empty()) {
    result.background = plait::imaging::read_array(c.background_file).values;
    osem::check_numbers("--background-file", result.background, result.rays->rays());
  }
  return result;
}

/// Every rank reads; what one cannot read, none can use.  Collective.
osem::scan read_on_all(plait::environment& env, const command& c) {
  osem::scan result;
  std::string complaint;
  try {
    result = read_scan(c);
  } catch (const plait::usage_error& e) {
    complaint = e.what();
  }
  for (const json& one : json::parse(
           plait::measure::broadcast(env, json(plait::measure::gather(env, complaint)).dump())))
    if (!one.get<std::string>().empty()) throw plait::usage_error(one.get<std::string>());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  plait::environment env{argc, argv};
  return plait::measure::run_program(env, "osem", [&] {
    plait::runtime_options how;
    const osem::variant_list all{{"base", [&] { return osem::make_base(env); }},
                                 {"iallreduce", [&] { return osem::make_iallreduce(env); }},
                                 {"olap", [&] { return osem::make_olap(env); }},
                                 {"plait", [&] { return osem::make_plait(env, how); }},
                                 {"ideal", [&] { return osem::make_ideal(env); }}};
    command given;
    if (!parse(given, all, argc, argv, env)) return plait::measure::exit_verified;
    check(given);
    how = given.common.tasks();
    const osem::session_choice chosen{.variants = given.common.chosen(all.names()),
                                      .iterations = static_cast<int>(given.iterations),
                                      .slabs = static_cast<int>(given.slabs),
                                      .runtime = how,
                                      .image_file = given.image_file};
    plait::measure::check_outputs(env, given.common.session);
    plait::measure::check_writable(env, "--image-file", given.image_file);
    osem::scan what =
        given.matrix_file.empty() ? scan_phantom(env, given) : read_on_all(env, given);
    what.subsets = static_cast<int>(given.subsets);
    if (given.is_list) osem::make_list(what, given.seed);
    plait::measure::check_memory(env, "--angles", osem::memory_bytes(what, env.size()));
    return osem::measure(env, what, all, chosen, given.common.session);
  });
}
