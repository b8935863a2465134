// SPDX-License-Identifier: BSD-3-Clause
#include "comm/library_collectives.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>

#include "comm/mpi_call.hpp"

namespace plait::collective {

/// A list of blocks as MPI takes it.
struct block_list {
  std::vector<int> counts;
  std::vector<int> places;

  explicit block_list(const std::vector<block>& blocks) {
    counts.reserve(blocks.size() + 1);  // some libraries refuse a null pointer for no blocks
    places.reserve(blocks.size() + 1);
    for (const block& b : blocks) {
      counts.push_back(static_cast<int>(b.count));
      places.push_back(static_cast<int>(b.displacement));
    }
  }
};

/// Arguments that MPI uses until the call is complete, besides the buffers.
struct library_call::prepared {
  const std::byte* send;
  std::byte* receive;
  std::size_t element_bytes;
  std::shared_ptr<const combine_bytes> combine;
  block_list sent;
  block_list received;
  /// Memory beside the buffers.  `reduce_scatter` puts the blocks into it one behind the other, as
  /// MPI wants them; `alltoallv` in place keeps its outgoing data in it; `exscan` may write rank
  /// 0's result, which is undefined, to it.
  std::vector<std::byte> scratch = {};
  std::vector<block> gathered = {};          ///< blocks of `send`, put into `scratch` at each start
  MPI_Datatype reduced = MPI_DATATYPE_NULL;  ///< while it is in flight
  std::exception_ptr failure = nullptr;      ///< of `combine`

  void gather_elsewhere(const shape& call);
};

namespace {

/// For empty buffers.  MPI wants two addresses, and not the same ones: Open MPI takes a call whose
/// two are equal for one in place, sends what it should receive, which is nothing where that is
/// empty, and then takes no tag either, so that nothing on the communicator meets any more.
constexpr std::byte no_bytes_to_send[1]{};
std::byte no_bytes_to_receive[1];

[[nodiscard]] std::size_t elements_of(const std::vector<block>& blocks) {
  std::size_t sum = 0;
  for (const block& b : blocks) sum += b.count;
  return sum;
}

[[nodiscard]] std::vector<std::size_t> counts_of(const std::vector<block>& blocks) {
  std::vector<std::size_t> counts;
  for (const block& b : blocks) counts.push_back(b.count);
  return counts;
}

[[nodiscard]] bool combines(operation what) {
  using enum operation;
  return what == reduce || what == allreduce || what == scan || what == exscan ||
         what == reduce_scatter || what == reduce_scatter_block;
}

/// Key of the attribute by which a datatype leads to the arguments of its reduction.  Made once,
/// and kept until MPI ends.
int call_of_type = MPI_KEYVAL_INVALID;

/// Returns the arguments of calls that nobody will see complete, which MPI goes on using.  Never
/// freed.
std::vector<std::shared_ptr<void>>& abandoned_calls() {
  static auto* const all = new std::vector<std::shared_ptr<void>>;
  return *all;
}

/// Returns true if the rank of `call` gives one buffer only.
[[nodiscard]] bool is_in_place(const shape& call) {
  return call.in_place && (!only_root_is_in_place(call.what) || call.rank == call.root);
}

}  // namespace

std::optional<std::string> obstacle_to_library(const shape& call) {
  if (is_neighbourly(call.what)) {
    return "the MPI library has neighbourhoods only in communicators that all ranks make together, "
           "which would block; leave back_end at collective::back_end::schedules";
  }
  const footprint bytes = footprint_of(call);
  // The root's blocks count on every rank, so that all refuse alike.
  const bool has_blocks = call.what == operation::gather || call.what == operation::scatter;
  const std::size_t all_blocks =
      has_blocks ? call.count * static_cast<std::size_t>(call.ranks) * call.element_bytes : 0;
  const std::size_t most =
      std::max({bytes.send_bytes, bytes.receive_bytes, all_blocks, call.element_bytes});
  if (most <= INT_MAX) return std::nullopt;
  return "a buffer of " + std::to_string(most) + " bytes is more than the MPI library counts (" +
         std::to_string(INT_MAX) + "); leave back_end at collective::back_end::schedules";
}

bool ranks_see_different_sizes(operation what) noexcept {
  using enum operation;  // each rank lays out blocks of its own
  return what == gatherv || what == scatterv || what == allgatherv || what == alltoallv ||
         what == reduce_scatter;
}

// --- a call -------------------------------------------------------------------------------------

/// Has the sent blocks copied elsewhere at each start.  For a send buffer that begins where the
/// receive buffer does, in a gap between its blocks: the library would take the call for one in
/// place.
void library_call::prepared::gather_elsewhere(const shape& call) {
  if (call.what == operation::alltoallv || call.what == operation::scatterv) {
    gathered = call.send_blocks;
    sent = block_list(packed(counts_of(call.send_blocks)));
  } else if (call.what == operation::gatherv || call.what == operation::allgatherv) {
    gathered = {call.receive_blocks[static_cast<std::size_t>(call.rank)]};
    gathered.front().displacement = 0;
  }
}

library_call::library_call(const shape& call, const void* send, void* receive,
                           std::shared_ptr<const combine_bytes> combine, bool commutative)
    : shape_(call),
      commutative_(commutative),
      prepared_(std::make_shared<prepared>(prepared{.send = static_cast<const std::byte*>(send),
                                                    .receive = static_cast<std::byte*>(receive),
                                                    .element_bytes = call.element_bytes,
                                                    .combine = std::move(combine),
                                                    .sent = block_list(call.send_blocks),
                                                    .received = block_list(call.receive_blocks)})) {
  PLAIT_EXPECTS(!combines(call.what) || prepared_->combine != nullptr, "nothing to combine with");
  prepared& own = *prepared_;
  const footprint touched = footprint_of(call);
  if (touched.send_bytes == 0) own.send = no_bytes_to_send;
  if (touched.receive_bytes == 0) own.receive = no_bytes_to_receive;
  if (call.what == operation::reduce_scatter) {
    if (call.in_place || packed(counts_of(call.send_blocks)) != call.send_blocks)
      own.gathered = call.send_blocks;
  } else if (call.what == operation::reduce_scatter_block && call.in_place) {
    // Not MPI's own: MPICH combines large ones in the blocks that are not this rank's, which the
    // call only reads; tasks may read them meanwhile.  So for reduce_scatter.
    own.gathered =
        packed(std::vector<std::size_t>(static_cast<std::size_t>(call.ranks), call.count));
  } else if (call.what == operation::alltoallv && call.in_place) {
    // Not MPI's own: in Open MPI 4.1 a rank without data returns from it before the tag of the call
    // is taken, and what follows on the communicator does not meet.
    own.gathered = call.receive_blocks;
    own.sent = block_list(packed(counts_of(call.receive_blocks)));
  } else if (call.what == operation::exscan && call.rank == 0 && !call.in_place) {
    own.scratch.resize(call.count * call.element_bytes + 1);
  } else if (!is_in_place(call) && own.send == own.receive) {
    own.gather_elsewhere(call);
  }
  if (own.gathered.empty()) return;
  own.scratch.resize(elements_of(own.gathered) * call.element_bytes + 1);
  if (call.in_place) own.send = own.receive;
}

library_call::~library_call() = default;

}  // namespace plait::collective

extern "C" {

/// Combines elements as an operation of MPI's: to = from op to.
static void plait_combine_elements(void* from, void* to, int* count, MPI_Datatype* type) {
  using namespace plait;
  void* prepared = nullptr;
  int found = 0;
  MPI_Type_get_attr(*type, collective::call_of_type, &prepared, &found);
  PLAIT_EXPECTS(found != 0, "the MPI library combines elements of a type it was not given");
  collective::library_collectives::combine(prepared, static_cast<const std::byte*>(from),
                                           static_cast<std::byte*>(to),
                                           static_cast<std::size_t>(*count));
}

}  // extern "C"

namespace plait::collective {

// --- an engine's calls --------------------------------------------------------------------------

void library_collectives::close() noexcept {
  for (auto& [size, type] : types_) MPI_Type_free(&type);
  types_.clear();
  for (MPI_Op& op : operations_) {
    if (op != MPI_OP_NULL) MPI_Op_free(&op);
  }
}

MPI_Datatype library_collectives::element_type(library_call& call) {
  const std::size_t size = call.shape_.element_bytes;
  const auto make_type = [size](MPI_Datatype& type) {
    mpi_call(MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type), "MPI_Type_contiguous");
    mpi_call(MPI_Type_commit(&type), "MPI_Type_commit");
  };
  if (!combines(call.what())) {
    const auto [at, is_new] = types_.try_emplace(size, MPI_DATATYPE_NULL);
    if (is_new) make_type(at->second);
    return at->second;
  }
  if (call_of_type == MPI_KEYVAL_INVALID) {
    mpi_call(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &call_of_type,
                                    nullptr),
             "MPI_Type_create_keyval");
  }
  MPI_Op& op = operations_[call.commutative_ ? 1 : 0];
  if (op == MPI_OP_NULL) {
    mpi_call(MPI_Op_create(&plait_combine_elements, call.commutative_ ? 1 : 0, &op),
             "MPI_Op_create");
  }
  make_type(call.prepared_->reduced);
  mpi_call(MPI_Type_set_attr(call.prepared_->reduced, call_of_type, call.prepared_.get()),
           "MPI_Type_set_attr");
  return call.prepared_->reduced;
}

MPI_Request library_collectives::start(library_call& call, MPI_Comm comm) {
  library_call::prepared& own = *call.prepared_;
  std::byte* to = own.scratch.data();
  for (const block& b : own.gathered) {
    const std::size_t bytes = b.count * own.element_bytes;
    std::memcpy(to, own.send + b.displacement * own.element_bytes, bytes);
    to += bytes;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = make(call, element_type(call), comm, &request);
  if (code != MPI_SUCCESS) {
    (void)finish(call);
    mpi_call(code, ("MPI's non-blocking " + std::string(to_string(call.what()))).c_str());
  }
  return request;
}

std::exception_ptr library_collectives::finish(library_call& call) noexcept {
  library_call::prepared& own = *call.prepared_;
  if (own.reduced != MPI_DATATYPE_NULL) MPI_Type_free(&own.reduced);
  return std::exchange(own.failure, nullptr);
}

void library_collectives::abandon(library_call& call) {
  abandoned_calls().push_back(call.prepared_);
}

void library_collectives::combine(void* prepared, const std::byte* from, std::byte* to,
                                  std::size_t elements) noexcept {
  library_call::prepared& own = *static_cast<library_call::prepared*>(prepared);
  if (own.failure != nullptr) return;
  const std::size_t bytes = elements * own.element_bytes;
  try {
    (*own.combine)({from, bytes}, {to, bytes}, false);
  } catch (...) {  // not through the MPI library
    own.failure = std::current_exception();
  }
}

int library_collectives::make(library_call& call, MPI_Datatype type, MPI_Comm comm,
                              MPI_Request* request) const {
  library_call::prepared& own = *call.prepared_;
  const shape& s = call.shape_;
  const auto rank = static_cast<std::size_t>(s.rank);
  const int count = static_cast<int>(s.count);
  const MPI_Op op = operations_[call.commutative_ ? 1 : 0];
  const bool in_place = is_in_place(s);
  const bool scatters = s.what == operation::scatter || s.what == operation::scatterv;
  const void* const send = !own.gathered.empty()   ? own.scratch.data()
                           : in_place && !scatters ? MPI_IN_PLACE
                                                   : own.send;
  void* const receive = in_place && scatters ? MPI_IN_PLACE : own.receive;
  switch (s.what) {
    case operation::barrier:
      return MPI_Ibarrier(comm, request);
    case operation::bcast:
      return MPI_Ibcast(receive, count, type, s.root, comm, request);
    case operation::reduce:
      return MPI_Ireduce(send, receive, count, type, op, s.root, comm, request);
    case operation::allreduce:
      return MPI_Iallreduce(send, receive, count, type, op, comm, request);
    case operation::scan:
      return MPI_Iscan(send, receive, count, type, op, comm, request);
    case operation::exscan:
      return MPI_Iexscan(send, s.rank == 0 && !in_place ? own.scratch.data() : receive, count, type,
                         op, comm, request);
    case operation::gather:
      return MPI_Igather(send, count, type, receive, count, type, s.root, comm, request);
    case operation::gatherv:
      return MPI_Igatherv(send, s.rank == s.root ? own.received.counts[rank] : count, type, receive,
                          own.received.counts.data(), own.received.places.data(), type, s.root,
                          comm, request);
    case operation::scatter:
      return MPI_Iscatter(send, count, type, receive, count, type, s.root, comm, request);
    case operation::scatterv:
      return MPI_Iscatterv(send, own.sent.counts.data(), own.sent.places.data(), type, receive,
                           s.rank == s.root ? own.sent.counts[rank] : count, type, s.root, comm,
                           request);
    case operation::allgather:
      return MPI_Iallgather(send, count, type, receive, count, type, comm, request);
    case operation::allgatherv:
      return MPI_Iallgatherv(send, own.received.counts[rank], type, receive,
                             own.received.counts.data(), own.received.places.data(), type, comm,
                             request);
    case operation::alltoall:
      return MPI_Ialltoall(send, count, type, receive, count, type, comm, request);
    case operation::alltoallv:
      return MPI_Ialltoallv(send, own.sent.counts.data(), own.sent.places.data(), type, receive,
                            own.received.counts.data(), own.received.places.data(), type, comm,
                            request);
    case operation::reduce_scatter_block:
      return MPI_Ireduce_scatter_block(send, receive, count, type, op, comm, request);
    case operation::reduce_scatter:
      return MPI_Ireduce_scatter(send, receive, own.sent.counts.data(), type, op, comm, request);
    case operation::neighbour_allgather:
    case operation::neighbour_allgatherv:
    case operation::neighbour_alltoall:
    case operation::neighbour_alltoallv:
      break;
  }
  PLAIT_EXPECTS(false, std::string(to_string(s.what)) + " is not the library's");
  return MPI_ERR_OTHER;
}

}  // namespace plait::collective
