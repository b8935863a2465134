// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/report_page.hpp"

#include <set>

#include <fmt/format.h>

#include "runtime/written/page_asset.hpp"
#include "runtime/written/program_result.hpp"

namespace plait {
namespace {

/// Upper limit of the events of a page: so many a browser draws without a pause.
constexpr std::size_t most_events = 100'000;

[[nodiscard]] std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"') {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Says in a phrase what was run, and where.
[[nodiscard]] std::string heading(const program_record& record) {
  const std::set<std::string> hosts(record.hosts.begin(), record.hosts.end());
  return fmt::format("{}, {} rank{}, {}", record.program, record.ranks(),
                     record.ranks() == 1 ? "" : "s",
                     hosts.size() > 1 ? fmt::format("{} hosts", hosts.size()) : "shared memory");
}

}  // namespace

std::string report_page(const program_record& record) {
  const std::string head = html_text(heading(record));
  std::string page = detail::page_asset;
  const auto fill = [&](std::string_view place, const std::string& text) {
    page.replace(page.find(place), place.size(), text);
  };
  fill("<!--title-->", "plait: " + head);
  fill("<!--results-->", fmt::format("<article id=\"r0\" data-heading=\"{}\"><script "
                                     "type=\"application/json\">{}</script></article>",
                                     head, program_result(record, most_events)));
  return page;
}

}  // namespace plait
