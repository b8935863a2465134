// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "measure/base/result.hpp"

namespace {

using plait::measure::json;

TEST(result, begins_with_its_schema_its_kind_and_what_was_measured) {
  const json made =
      plait::measure::new_result("application", "app", "wave", {{"size", 4}}, {{"commit", "abc"}});
  EXPECT_EQ(made.dump(), R"({"schema":"plait-result/1","kind":"application","app":"wave",)"
                         R"("parameters":{"size":4},"environment":{"commit":"abc"}})");
}

TEST(result, has_a_timeline_by_rank_and_start) {
  const auto event = [](int rank, double begin_s) {
    return plait::trace_event{.rank = rank,
                              .lane = "worker 0",
                              .name = "a \"task\"",
                              .begin_s = begin_s,
                              .end_s = begin_s + 1e-6};
  };
  plait::trace_event message = event(0, 3e-6);
  message.kind = plait::event_kind::message;
  message.message = plait::message_side{.sent = true};
  message.critical = true;
  const json made = plait::measure::timeline_of({event(1, 2e-6), message, event(0, 1e-6)}, 1e-6);
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[0].dump(), R"({"rank":0,"lane":"worker 0","name":"a \"task\"","kind":"compute",)"
                            R"("start_us":0.0,"end_us":1.0})");
  EXPECT_EQ(made[1]["start_us"], 2.0);
  EXPECT_EQ(made[1]["sent"], true);
  EXPECT_EQ(made[1]["critical"], true);
  EXPECT_EQ(made[2]["rank"], 1);
}

}  // namespace
