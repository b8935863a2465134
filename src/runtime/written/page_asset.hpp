// SPDX-License-Identifier: BSD-3-Clause
/// The page that shows results: see cmake/PlaitPage.cmake.
#pragma once

namespace plait::detail {

/// The page with its style and its scripts.  <!--title--> and <!--results--> are to be filled.
extern const char* const page_asset;

}  // namespace plait::detail
