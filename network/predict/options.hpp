// SPDX-License-Identifier: BSD-3-Clause
/// Describes what is to be predicted, from a command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <plait/model/collective.hpp>

namespace plait::network::predict {

struct request {
  model::operation what = model::operation::barrier;
  std::vector<model::algorithm> algorithms;
  std::vector<int> ranks;
  std::vector<std::size_t> sizes;  ///< bytes; see `model::call_shape::size_bytes`
  std::size_t fragment_bytes = 8192;
  int degree = 0;
  model::parameters network;
  std::string network_file;
  bool as_published =
      false;              ///< beside the algorithms: the formulas that LibNBC's authors published
  std::string json_file;  ///< empty: none; "-": standard output
};

/// Nothing when help was asked for, and printed.  Errors: usage_error.
[[nodiscard]] std::optional<request> parse(int argc, char** argv);

}  // namespace plait::network::predict
