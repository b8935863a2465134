// SPDX-License-Identifier: BSD-3-Clause
/// A program's result file, as docs/use/results.md has it.
#pragma once

#include <string>

#include "runtime/written/program_record.hpp"

namespace plait {

/// The text of the file: schema plait-result/1, kind "program".
[[nodiscard]] std::string program_result(const program_record& record);

}  // namespace plait
