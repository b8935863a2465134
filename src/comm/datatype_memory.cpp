// SPDX-License-Identifier: BSD-3-Clause
// Types of MPI's as memory: what a type that is a box covers.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <mpi.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"

namespace plait {
namespace {

/// Rows at regular distances, the fastest axis first.
struct box_of_rows {
  std::int64_t offset = 0;  ///< of the first byte, from the buffer's address
  std::int64_t row_bytes = 0;
  std::vector<strided_bytes::axis> axes = {};
  std::int64_t extent = 0;  ///< from one element to the next

  /// Repeats the rows, `stride` bytes apart; rows that continue each other become one.
  void repeat(std::int64_t count, std::int64_t stride) {
    if (count <= 0) row_bytes = 0;
    if (count <= 1 || row_bytes == 0) return;
    if (axes.empty() && stride == row_bytes) {
      row_bytes *= count;
    } else if (!axes.empty() && stride == axes.back().rows * axes.back().stride) {
      axes.back().rows *= count;
    } else {
      axes.push_back({count, stride});
    }
  }
};

/// Numbers that a type was made of, and the types; these are let go of with it.
struct contents {
  explicit contents(MPI_Datatype type) {
    int integers_made = 0;
    int addresses_made = 0;
    int types_made = 0;
    mpi_call(MPI_Type_get_envelope(type, &integers_made, &addresses_made, &types_made, &combiner),
             "MPI_Type_get_envelope");
    if (combiner == MPI_COMBINER_NAMED) return;
    integers.resize(static_cast<std::size_t>(integers_made));
    addresses.resize(static_cast<std::size_t>(addresses_made));
    types.resize(static_cast<std::size_t>(types_made));
    mpi_call(MPI_Type_get_contents(type, integers_made, addresses_made, types_made, integers.data(),
                                   addresses.data(), types.data()),
             "MPI_Type_get_contents");
  }
  ~contents() {
    for (MPI_Datatype& one : types) {
      int a = 0;
      int b = 0;
      int c = 0;
      int made_by = MPI_COMBINER_NAMED;
      MPI_Type_get_envelope(one, &a, &b, &c, &made_by);
      if (made_by != MPI_COMBINER_NAMED) MPI_Type_free(&one);
    }
  }
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;

  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

[[nodiscard]] std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Type_get_name(type, name, &length);
  return length > 0 ? "the type '" + std::string(name) + "'" : std::string("a type without a name");
}

[[noreturn]] void refuse(MPI_Datatype type, const std::string& why) {
  throw usage_error(name_of(type) + " is no box: " + why +
                    "; a box is made by MPI_Type_contiguous, _vector, _create_hvector and "
                    "_create_subarray");
}

[[nodiscard]] std::string made_by(int combiner) {
  const std::map<int, const char*> makers{{MPI_COMBINER_INDEXED, "indexed"},
                                          {MPI_COMBINER_HINDEXED, "create_hindexed"},
                                          {MPI_COMBINER_INDEXED_BLOCK, "create_indexed_block"},
                                          {MPI_COMBINER_HINDEXED_BLOCK, "create_hindexed_block"},
                                          {MPI_COMBINER_STRUCT, "create_struct"},
                                          {MPI_COMBINER_DARRAY, "create_darray"}};
  const auto known = makers.find(combiner);
  return known == makers.end() ? "it was made in another way"
                               : std::string("it was made by MPI_Type_") + known->second;
}

[[nodiscard]] box_of_rows box_of(MPI_Datatype type);

/// `ndims`, sizes, sizes of the part, its starts, and the order.
[[nodiscard]] box_of_rows subarray_of(const contents& made) {
  box_of_rows box = box_of(made.types[0]);
  const auto axes = static_cast<std::size_t>(made.integers[0]);
  const bool last_is_fastest = made.integers[1 + 3 * axes] == MPI_ORDER_C;
  std::int64_t stride = box.extent;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t axis = last_is_fastest ? axes - 1 - k : k;
    const std::int64_t size = made.integers[1 + axis];
    box.repeat(made.integers[1 + axes + axis], stride);
    box.offset += made.integers[1 + 2 * axes + axis] * stride;
    stride *= size;
  }
  box.extent = stride;
  return box;
}

[[nodiscard]] box_of_rows box_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) throw usage_error("the type is MPI_DATATYPE_NULL");
  const contents made(type);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  mpi_call(MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent");
  box_of_rows box;
  switch (made.combiner) {
    case MPI_COMBINER_NAMED: {
      int size = 0;
      mpi_call(MPI_Type_size(type, &size), "MPI_Type_size");
      if (size != extent) refuse(type, "it has holes");
      box.row_bytes = size;
      break;
    }
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      box = box_of(made.types[0]);
      break;
    case MPI_COMBINER_CONTIGUOUS:
      box = box_of(made.types[0]);
      box.repeat(made.integers[0], box.extent);
      break;
    case MPI_COMBINER_VECTOR:
      box = box_of(made.types[0]);
      box.repeat(made.integers[1], box.extent);
      box.repeat(made.integers[0], made.integers[2] * box.extent);
      break;
    case MPI_COMBINER_HVECTOR:
      box = box_of(made.types[0]);
      box.repeat(made.integers[1], box.extent);
      box.repeat(made.integers[0], made.addresses[0]);
      break;
    case MPI_COMBINER_SUBARRAY:
      box = subarray_of(made);
      break;
    default:
      refuse(type, made_by(made.combiner));
  }
  box.extent = extent;
  return box;
}

}  // namespace

MPI_Comm from_fortran(int handle) noexcept {
#if defined(MPI_ABI_VERSION)
  return MPI_Comm_fromint(handle);
#else
  return MPI_Comm_f2c(static_cast<MPI_Fint>(handle));
#endif
}

strided_bytes memory_of(const void* buffer, int count, MPI_Datatype type) {
  if (count < 0) throw usage_error("the count is " + std::to_string(count));
  box_of_rows box = box_of(type);
  box.repeat(count, box.extent);
  if (box.axes.size() > strided_bytes::most_axes) refuse(type, "it has more than four axes");
  strided_bytes memory{
      .begin = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(box.offset),
      .row_bytes = static_cast<std::size_t>(box.row_bytes)};
  if (memory.row_bytes == 0) return memory;
  for (std::size_t k = 0; k < box.axes.size(); ++k) memory.axes[k] = box.axes[k];
  return memory;
}

}  // namespace plait
