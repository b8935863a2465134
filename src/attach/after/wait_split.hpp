// SPDX-License-Identifier: BSD-3-Clause
/// Parts of the time in calls that wait.
#pragma once

#include <utility>

namespace plait::attach {

/// Seconds in calls that wait, and what they waited for.  All but `waiting_s` add up to it.
struct wait_split {
  double waiting_s = 0;
  double late_sender_s = 0;
  double late_receiver_s = 0;
  double transfer_s = 0;
  double collective_wait_s = 0;
  double other_wait_s = 0;  ///< of calls that are not taken apart (probes, windows, files)
  // At most, of it; never to be added up.
  double by_progress_s = 0;
  double by_moving_s = 0;

  void add(const wait_split& other) noexcept;
  void scale(double by) noexcept;
};
/// All of them, by their names in a result.
inline constexpr std::pair<const char*, double wait_split::*> parts_of_waits[] = {
    {"waiting_s", &wait_split::waiting_s},
    {"late_sender_s", &wait_split::late_sender_s},
    {"late_receiver_s", &wait_split::late_receiver_s},
    {"transfer_s", &wait_split::transfer_s},
    {"collective_wait_s", &wait_split::collective_wait_s},
    {"other_wait_s", &wait_split::other_wait_s},
    {"could_hide_by_progress_s", &wait_split::by_progress_s},
    {"could_hide_by_moving_s", &wait_split::by_moving_s}};

}  // namespace plait::attach
