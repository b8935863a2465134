// SPDX-License-Identifier: BSD-3-Clause
/// A program's result on the page that `plait report` shows results on: one file of HTML that needs
/// nothing else.
#pragma once

#include <string>

#include "runtime/written/program_record.hpp"

namespace plait {

/// The page is python/plait/views/html/page, filled with the result.
[[nodiscard]] std::string report_page(const program_record& record);

}  // namespace plait
