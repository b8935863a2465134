// SPDX-License-Identifier: BSD-3-Clause
#include <plait/comm/collective/usual_pieces.hpp>

namespace plait::collective {

pieces usual_pieces(const communicator& among) {
  pieces chosen;
  if (among.uses_tcp()) chosen.most = 128;
  return chosen;
}

}  // namespace plait::collective
