// SPDX-License-Identifier: BSD-3-Clause
/// Numbers of bytes as MPI calls take them: a count and a type.
#pragma once

#include <climits>
#include <cstddef>

#include <mpi.h>

#include "comm/mpi_call.hpp"

namespace plait {

/// A datatype of `size_bytes` bytes for messages larger than an int counts: blocks of 1 MiB and a
/// rest.
class large_type {
 public:
  explicit large_type(std::size_t size_bytes) {
    constexpr std::size_t block = std::size_t{1} << 20;
    const int blocks = static_cast<int>(size_bytes / block);
    const int rest = static_cast<int>(size_bytes % block);
    MPI_Datatype one = MPI_DATATYPE_NULL;
    MPI_Datatype many = MPI_DATATYPE_NULL;
    mpi_call(MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &one), "MPI_Type_contiguous");
    mpi_call(MPI_Type_contiguous(blocks, one, &many), "MPI_Type_contiguous");
    const int lengths[2] = {1, rest};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(block) * blocks};
    const MPI_Datatype types[2] = {many, MPI_BYTE};
    mpi_call(MPI_Type_create_struct(2, lengths, places, types, &type_), "MPI_Type_create_struct");
    mpi_call(MPI_Type_commit(&type_), "MPI_Type_commit");
    MPI_Type_free(&many);
    MPI_Type_free(&one);
  }
  ~large_type() { MPI_Type_free(&type_); }  // MPI keeps it until the request is complete or freed
  large_type(const large_type&) = delete;
  large_type& operator=(const large_type&) = delete;
  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Calls `use(count, type)` with what stands for `size_bytes` bytes in an MPI call.
void with_count(std::size_t size_bytes, const auto& use) {
  if (size_bytes <= INT_MAX) {
    use(static_cast<int>(size_bytes), MPI_BYTE);
  } else {
    use(1, large_type(size_bytes).get());
  }
}

/// MPI_Isend, MPI_Irecv, MPI_Send_init or MPI_Recv_init (`call`, of this name) of so many bytes.
/// Errors: `error` with what MPI says; then there is no request.
[[nodiscard, gnu::noinline]] inline MPI_Request make_large_request(auto call, const char* name,
                                                                   auto buffer,
                                                                   std::size_t size_bytes, int peer,
                                                                   int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const large_type type(size_bytes);
  mpi_call(call(buffer, 1, type.get(), peer, tag, comm, &request), name);
  return request;
}
[[nodiscard, gnu::always_inline]] inline MPI_Request make_request(auto call, const char* name,
                                                                  auto buffer,
                                                                  std::size_t size_bytes, int peer,
                                                                  int tag, MPI_Comm comm) {
  if (size_bytes > INT_MAX) [[unlikely]]
    return make_large_request(call, name, buffer, size_bytes, peer, tag, comm);
  MPI_Request request;
  mpi_call(call(buffer, static_cast<int>(size_bytes), MPI_BYTE, peer, tag, comm, &request), name);
  return request;
}

}  // namespace plait
