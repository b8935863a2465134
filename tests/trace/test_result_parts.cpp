// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>
#include <plait/trace/result_parts.hpp>

namespace {

TEST(result_parts, an_environment_says_what_is_known_and_nothing_else) {
  const std::string bare = plait::environment_json({.started_at = "2026-01-01T00:00:00Z"});
  EXPECT_NE(bare.find("\"compiler\": \""), std::string::npos);
  EXPECT_NE(bare.find("\"started_at\": \"2026-01-01T00:00:00Z\""), std::string::npos);
  for (const char* unknown : {"mpi_version", "transport_settings", "ranks", "hosts", "library_"})
    EXPECT_EQ(bare.find(unknown), std::string::npos) << unknown;
  const std::string whole = plait::environment_json({.is_library_only = true,
                                                     .mpi_version = "an MPI",
                                                     .transport_settings = "",
                                                     .ranks = 2,
                                                     .hosts = {"n0", "n1"}});
  for (const char* known :
       {"\"library_compiler\"", "\"library_flags\"", "\"mpi_version\": \"an MPI\"",
        "\"transport_settings\": \"\"", "\"ranks\": 2", "\"n1\"", "\"started_at\""})
    EXPECT_NE(whole.find(known), std::string::npos) << known;
  EXPECT_EQ(whole.find("\"compiler\""), std::string::npos);
}

TEST(result_parts, a_figure_that_is_no_number_is_null) {
  plait::trace_summary summary;
  summary.span_s = 1.0 / 0.0;
  summary.busy_s = 0.125;
  const std::string text = plait::trace_summary_json(summary);
  EXPECT_NE(text.find("\"span_s\": null"), std::string::npos);
  EXPECT_NE(text.find("\"busy_s\": 0.125"), std::string::npos);
  EXPECT_NE(text.find("\"wire_s\": null"), std::string::npos);
}

}  // namespace
