// SPDX-License-Identifier: BSD-3-Clause
#include "python/collectives.hpp"

#include <map>
#include <utility>

namespace plait_python {
namespace {

plait_collective how_of(const words_of_call& words) {
  plait_collective how = PLAIT_COLLECTIVE_INIT;
  how.among = words.among;
  return how;
}

plait_operation operation_of(nb::handle on, const std::string& combination) {
  static const std::map<std::string, int> types = {
      {"i1", PLAIT_INT8},   {"u1", PLAIT_UINT8},         {"i2", PLAIT_INT16},
      {"u2", PLAIT_UINT16}, {"i4", PLAIT_INT32},         {"u4", PLAIT_UINT32},
      {"i8", PLAIT_INT64},  {"u8", PLAIT_UINT64},        {"f4", PLAIT_FLOAT},
      {"f8", PLAIT_DOUBLE}, {"c8", PLAIT_FLOAT_COMPLEX}, {"c16", PLAIT_DOUBLE_COMPLEX}};
  static const std::map<std::string, int> combinations = {
      {"sum", PLAIT_SUM}, {"product", PLAIT_PRODUCT}, {"min", PLAIT_MIN}, {"max", PLAIT_MAX}};
  const array_view view(on, false);
  const auto type = types.find(view.type());
  if (type == types.end())
    throw nb::value_error(("elements of type '" + view.type() + "' cannot be combined").c_str());
  const auto how = combinations.find(combination);
  if (how == combinations.end()) {
    throw nb::value_error(("'" + combination + "' is none of sum, product, min and max").c_str());
  }
  return plait_combined(how->second, type->second);
}

/// Memory of an array that may be left out.
plait_memory memory_or(runtime& rt, nb::handle array, bool writes, plait_memory otherwise) {
  return array.is_none() ? otherwise : rt.memory_of(array, writes);
}

[[noreturn]] void refuse(const std::string& what) {
  throw nb::value_error(("there is no collective '" + what + "'").c_str());
}

std::size_t item_bytes_of(nb::handle from, nb::handle to) {
  return array_view(from.is_none() ? to : from, false).item_bytes();
}

std::vector<plait_block> blocks_of(const std::vector<std::size_t>& counts) {
  std::vector<plait_block> blocks;
  std::size_t at = 0;
  for (const std::size_t count : counts) {
    blocks.push_back({count, at});
    at += count;
  }
  return blocks;
}

}  // namespace

void submit_collective(runtime& rt, words_of_call words, const std::string& what, nb::handle from,
                       nb::handle to, const std::string& combination, int root) {
  const plait_collective how = how_of(words);
  const char* const name = words.name;
  if (what == "barrier") {
    const plait_memory orders = memory_or(rt, to, true, PLAIT_NOTHING);
    return rt.submit([&](plait_runtime* of) { return plait_barrier(of, name, orders, &how); });
  }
  if (what == "bcast") {
    const plait_memory data = rt.memory_of(to, true);
    return rt.submit([&](plait_runtime* of) { return plait_bcast(of, name, data, root, &how); });
  }
  const bool is_root_alone = what == "reduce" || what == "gather";
  const bool root_stays = what == "scatter";
  const plait_memory source =
      memory_or(rt, from, false, root_stays ? PLAIT_NOTHING : PLAIT_IN_PLACE);
  const plait_memory target = memory_or(rt, to, true, root_stays ? PLAIT_IN_PLACE : PLAIT_NOTHING);
  if (!combination.empty()) {
    const plait_operation op = operation_of(from.is_none() ? to : from, combination);
    using combine = int (*)(plait_runtime*, const char*, plait_memory, plait_memory,
                            plait_operation, const plait_collective*);
    static const std::map<std::string, combine> calls = {
        {"allreduce", &plait_allreduce},
        {"scan", &plait_scan},
        {"exscan", &plait_exscan},
        {"reduce_scatter_block", &plait_reduce_scatter_block}};
    if (is_root_alone) {
      return rt.submit([&](plait_runtime* of) {
        return plait_reduce(of, name, source, target, op, root, &how);
      });
    }
    const auto call = calls.find(what);
    if (call == calls.end()) refuse(what);
    return rt.submit(
        [&](plait_runtime* of) { return call->second(of, name, source, target, op, &how); });
  }
  rt.submit([&](plait_runtime* of) {
    if (what == "gather") return plait_gather(of, name, source, target, root, &how);
    if (what == "scatter") return plait_scatter(of, name, source, target, root, &how);
    if (what == "allgather") return plait_allgather(of, name, source, target, &how);
    if (what == "alltoall") return plait_alltoall(of, name, source, target, &how);
    return int{PLAIT_ERR_USAGE};
  });
}

void submit_blocks(runtime& rt, words_of_call words, const std::string& what, nb::handle from,
                   nb::handle to, const std::vector<std::size_t>& sent,
                   const std::vector<std::size_t>& received, int root) {
  int ranks = 0;
  check(plait_comm_size(rt.get(), words.among, &ranks));
  for (const std::vector<std::size_t>* counts : {&sent, &received}) {
    if (!counts->empty() && counts->size() != static_cast<std::size_t>(ranks))
      throw nb::value_error("one number of elements for each rank is needed");
  }
  const plait_collective how = how_of(words);
  const char* const name = words.name;
  const std::size_t bytes = item_bytes_of(from, to);
  const std::vector<plait_block> out = blocks_of(sent);
  const std::vector<plait_block> in = blocks_of(received);
  const auto known = [](const std::vector<plait_block>& blocks) {
    return blocks.empty() ? nullptr : blocks.data();
  };
  const plait_memory source =
      memory_or(rt, from, false, what == "scatterv" ? PLAIT_NOTHING : PLAIT_IN_PLACE);
  const plait_memory target =
      memory_or(rt, to, true, what == "scatterv" ? PLAIT_IN_PLACE : PLAIT_NOTHING);
  if (what != "gatherv" && what != "scatterv" && what != "allgatherv" && what != "alltoallv")
    refuse(what);
  rt.submit([&](plait_runtime* of) {
    if (what == "gatherv")
      return plait_gatherv(of, name, source, target, known(in), bytes, root, &how);
    if (what == "scatterv")
      return plait_scatterv(of, name, source, known(out), target, bytes, root, &how);
    if (what == "allgatherv")
      return plait_allgatherv(of, name, source, target, known(in), bytes, &how);
    return plait_alltoallv(of, name, source, known(out), target, known(in), bytes, &how);
  });
}

void submit_neighbours(runtime& rt, words_of_call words, const std::string& what, nb::handle from,
                       nb::handle to, const std::vector<std::size_t>& sent,
                       const std::vector<std::size_t>& received, const std::vector<int>& sources,
                       const std::vector<int>& destinations) {
  if ((what == "alltoallv" && sent.size() != destinations.size()) ||
      (what.back() == 'v' && received.size() != sources.size()))
    throw nb::value_error("one number of elements for each neighbour is needed");
  const plait_collective how = how_of(words);
  const plait_neighbours around = {sources.data(), destinations.data(),
                                   static_cast<int>(sources.size()),
                                   static_cast<int>(destinations.size())};
  const plait_memory source = rt.memory_of(from, false);
  const plait_memory target = rt.memory_of(to, true);
  const std::size_t bytes = array_view(from, false).item_bytes();
  const std::vector<plait_block> out = blocks_of(sent);
  const std::vector<plait_block> in = blocks_of(received);
  const char* const name = words.name;
  rt.submit([&](plait_runtime* of) {
    if (what == "alltoall")
      return plait_neighbour_alltoall(of, name, source, target, &around, &how);
    if (what == "allgather")
      return plait_neighbour_allgather(of, name, source, target, &around, &how);
    if (what == "alltoallv")
      return plait_neighbour_alltoallv(of, name, source, out.data(), target, in.data(), bytes,
                                       &around, &how);
    return plait_neighbour_allgatherv(of, name, source, target, in.data(), bytes, &around, &how);
  });
}

}  // namespace plait_python
