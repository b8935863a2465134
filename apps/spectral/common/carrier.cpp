// SPDX-License-Identifier: BSD-3-Clause
#include "carrier.hpp"

namespace spectral {

std::unique_ptr<carrier> make_carrier(const std::string& way, const journey& on) {
  if (way == "put") return make_put(on);
  if (way == "put_signal") return make_put_signal(on);
  if (way == "message") return make_message(on);
  if (way == "isend") return make_isend(on);
  PLAIT_EXPECTS(way == "none", way);
  return make_none(on);
}

void expect_all(const row_memory& rows, index pieces, carrier& by) {
  const row_blocks& shape = rows.shape();
  for (int step = 1; step < shape.ranks(); ++step) {
    const int from = (rows.rank() + shape.ranks() - step) % shape.ranks();
    for (const range& some : cut(shape.sent(from, rows.rank()), pieces)) by.expect(from, some);
  }
}

}  // namespace spectral
