// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <plait/model/parameters_file.hpp>
#include <unistd.h>

#include "support/refusal.hpp"

namespace plait::test {
namespace {

class parameters_file : public ::testing::Test {
 protected:
  const std::string path_ = ::testing::TempDir() + "network_" + std::to_string(getpid()) + ".json";

  model::parameters read(const std::string& text) {
    std::ofstream(path_) << text;
    return model::read_parameters(path_);
  }
  /// Without the name of the file.
  std::string refusal_of(const std::string& text) {
    const std::string whole = refusal([&] { (void)read(text); });
    EXPECT_EQ(whole.find('\n'), std::string::npos) << whole;
    return whole.starts_with(path_ + ": ") ? whole.substr(path_.size() + 2) : whole;
  }
  void TearDown() override { std::remove(path_.c_str()); }
};

const std::string required =
    R"("latency_s": 2e-5, "send_overhead_s": 1e-6, "receive_overhead_s": 1.5e-6, "gap_s": 3e-6,
       "gap_per_byte_s": 8e-9)";

TEST_F(parameters_file, a_network_is_the_file_or_a_member_of_it) {
  for (const std::string& text :
       {"{" + required + "}", R"({"schema": "x", "network": {)" + required + "}}"}) {
    const model::parameters network = read(text);
    EXPECT_EQ(network.latency_s, 2e-5);
    EXPECT_EQ(network.send_overhead_s, 1e-6);
    EXPECT_EQ(network.receive_overhead_s, 1.5e-6);
    EXPECT_EQ(network.gap_s, 3e-6);
    EXPECT_EQ(network.gap_per_byte_s, 8e-9);
    EXPECT_EQ(network.overhead_per_byte_s, 0);
    EXPECT_EQ(network.reduction_per_byte_s, 0);
    EXPECT_TRUE(std::isinf(network.eager_limit_bytes));
  }
}

TEST_F(parameters_file, what_need_not_be_there_is_read_where_it_is) {
  const model::parameters network =
      read("{" + required +
           R"(, "overhead_per_byte_s": 1e-10, "eager_limit_bytes": 65536, "other": [1],
              "reduction_per_byte_s": 2e-10, "both_ways_per_byte_s": 1.5e-8,
              "copy_per_byte_s": 3e-10})");
  EXPECT_EQ(network.overhead_per_byte_s, 1e-10);
  EXPECT_EQ(network.eager_limit_bytes, 65536);
  EXPECT_EQ(network.reduction_per_byte_s, 2e-10);
  EXPECT_EQ(network.both_ways_per_byte_s, 1.5e-8);
  EXPECT_EQ(network.copy_per_byte_s, 3e-10);
  EXPECT_TRUE(
      std::isinf(read("{" + required + R"(, "eager_limit_bytes": null})").eager_limit_bytes));
}

TEST_F(parameters_file, a_measurement_gives_the_gap_of_small_and_the_bandwidth_of_large_messages) {
  const model::parameters network = read(R"({"probe": "loggp", "fit": {"latency_s": 2e-5,
      "send_overhead_s": 1e-6, "receive_overhead_s": 1.5e-6, "segments": [
        {"first_bytes": 1, "gap_s": 3e-6, "gap_per_byte_s": 1e-9, "overhead_per_byte_s": 1e-10},
        {"first_bytes": 65536, "gap_s": 9e-6, "gap_per_byte_s": 8e-9,
         "overhead_per_byte_s": 2e-10}]}})");
  EXPECT_EQ(network.latency_s, 2e-5);
  EXPECT_EQ(network.gap_s, 3e-6);
  EXPECT_EQ(network.gap_per_byte_s, 8e-9);
  EXPECT_EQ(network.overhead_per_byte_s, 1e-10);
}

TEST_F(parameters_file, what_is_no_network_is_refused_in_one_line) {
  EXPECT_EQ(refusal_of("{"), "is not JSON");
  EXPECT_EQ(refusal_of("[1]"), "is no JSON object");
  EXPECT_EQ(refusal_of(R"({"network": 3})"), "network is no object");
  EXPECT_EQ(refusal_of(R"({"fit": []})"), "fit is no object");
  EXPECT_NE(refusal_of(R"({"fit": {"latency_s": 1, "send_overhead_s": 1, "receive_overhead_s": 1,
                                   "segments": []}})")
                .find("gap_s is missing"),
            std::string::npos);
  EXPECT_EQ(refusal_of(R"({"latency_s": 1e-6})"),
            "send_overhead_s is missing; a network has latency_s, send_overhead_s, "
            "receive_overhead_s, gap_s and gap_per_byte_s");
  EXPECT_EQ(refusal_of(R"({"latency_s": "fast"})"), "latency_s is no number");
  EXPECT_EQ(refusal_of("{" + required + R"(, "overhead_per_byte_s": -1})"),
            "O (overhead_per_byte_s) is -1 s; it must be finite and at least 0");
  EXPECT_EQ(refusal([] { (void)model::read_parameters("/nowhere/network.json"); }),
            "/nowhere/network.json: cannot be read");
  EXPECT_EQ(refusal([] { (void)model::read_parameters("/"); }), "/: is no regular file");
  EXPECT_EQ(refusal([] { (void)model::read_parameters("/dev/zero"); }),
            "/dev/zero: is no regular file");
}

}  // namespace
}  // namespace plait::test
