// SPDX-License-Identifier: BSD-3-Clause
#include "carrier.hpp"

namespace ft_probe {

std::unique_ptr<carrier> make_carrier(const std::string& way, const journey& on) {
  if (way == "put") return make_put(on);
  if (way == "put_signal") return make_put_signal(on);
  if (way == "message") return make_message(on);
  if (way == "isend") return make_isend(on);
  PLAIT_EXPECTS(way == "none", way);
  return make_none(on);
}

}  // namespace ft_probe
