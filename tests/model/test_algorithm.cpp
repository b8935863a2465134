// SPDX-License-Identifier: BSD-3-Clause
// Names of operations and algorithms, and the choice of LibNBC.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <plait/model/collective.hpp>

#include "algorithm_pairs.hpp"

namespace plait::test {
namespace {

using model::algorithm;
using model::operation;

TEST(algorithm, names_lead_back_to_what_they_name) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(operation::neighbour_exchange); ++i) {
    const auto what = static_cast<operation>(i);
    EXPECT_EQ(model::operation_from(to_string(what)), what);
    names.insert(to_string(what));
  }
  EXPECT_EQ(names.size(), 12U);
  names.clear();
  for (int i = 0; i <= static_cast<int>(algorithm::bruck); ++i) {
    const auto how = static_cast<algorithm>(i);
    EXPECT_EQ(model::algorithm_from(to_string(how)), how);
    names.insert(to_string(how));
  }
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(to_string(operation::reduce_scatter), "reduce_scatter");
  EXPECT_EQ(to_string(algorithm::recursive_doubling), "recursive_doubling");
  EXPECT_FALSE(model::operation_from("Bcast"));
  EXPECT_FALSE(model::operation_from(""));
  EXPECT_FALSE(model::algorithm_from("bcast"));
  EXPECT_EQ(model::operation_names(),
            "barrier, bcast, reduce, allreduce, allgather, alltoall, gather, scatter, "
            "reduce_scatter, scan, exscan or neighbour_exchange");
}

TEST(algorithm, libnbc_takes_what_its_code_takes) {
  const auto name = [](operation what, int ranks, double size_bytes) {
    const auto taken = model::libnbc_choice(what, ranks, size_bytes);
    if (!taken) return std::string("none");
    return std::string(to_string(taken->how)) +
           (taken->fragment_bytes > 0 ? std::to_string(static_cast<int>(taken->fragment_bytes))
                                      : "");
  };
  EXPECT_EQ(name(operation::bcast, 4, 1e6), "linear");
  EXPECT_EQ(name(operation::bcast, 5, 65535), "binomial");
  EXPECT_EQ(name(operation::bcast, 5, 65536), "chain8192");
  EXPECT_EQ(name(operation::bcast, 5, 524287), "chain8192");
  EXPECT_EQ(name(operation::bcast, 5, 524288), "chain32768");
  EXPECT_EQ(name(operation::allreduce, 3, 1e6), "binomial");
  EXPECT_EQ(name(operation::allreduce, 4, 65535), "binomial");
  EXPECT_EQ(name(operation::allreduce, 4, 65536), "ring");
  EXPECT_EQ(name(operation::reduce, 5, 1e6), "binomial");
  EXPECT_EQ(name(operation::reduce, 4, 65535), "binomial");
  EXPECT_EQ(name(operation::reduce, 4, 65536), "chain8192");
  EXPECT_EQ(name(operation::alltoall, 1000, 1e6), "linear");
  EXPECT_EQ(name(operation::barrier, 2, 0), "dissemination");
  EXPECT_EQ(name(operation::reduce_scatter, 2, 8), "none");
  for (int i = 0; i <= static_cast<int>(operation::neighbour_exchange); ++i) {
    const auto what = static_cast<operation>(i);
    for (const double size : {0.0, 1e5, 1e6})
      for (const int ranks : {1, 4, 100}) {
        const auto taken = model::libnbc_choice(what, ranks, size);
        if (!taken) continue;
        const auto known = model::algorithms_of(what);
        EXPECT_EQ(std::ranges::count(known, taken->how), 1) << name_of(what, taken->how);
      }
  }
}

}  // namespace
}  // namespace plait::test
