// SPDX-License-Identifier: BSD-3-Clause
/// Text in JSON.
#pragma once

#include <string>
#include <string_view>

namespace plait {

/// `text` in quotes, as JSON wants it, and so that it may stand in a page of HTML.  What is not
/// UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace plait
