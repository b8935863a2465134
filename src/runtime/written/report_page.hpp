// SPDX-License-Identifier: BSD-3-Clause
/// A program's ledger and timeline as one page of HTML that needs nothing else.
#pragma once

#include <string>

#include "runtime/written/program_record.hpp"

namespace plait {

[[nodiscard]] std::string report_page(const program_record& record);

}  // namespace plait
