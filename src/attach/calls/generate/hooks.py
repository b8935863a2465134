# SPDX-License-Identifier: BSD-3-Clause
"""Says which hook of src/attach/hooks_*.hpp stands at which MPI function, and what it sees."""

import re
from dataclasses import dataclass, field

# Left alone: functions that neither communicate nor wait, and some of them are frequent.
UNWRAPPED = re.compile(
    r"MPI_(T_|.*_c2f|.*_f2c|.*f08|Wtime$|Wtick$|Aint_|Pcontrol$|Initialized$|Finalized$"
    r"|Is_thread_main$|.*_fromint$|.*_toint$|Get_version|Get_library_version"
    r"|.*_(DUP|NULL_COPY|NULL_DELETE)_FN$|(DUP|NULL_COPY|NULL_DELETE)_FN$|CONVERSION_FN_NULL)"
)


@dataclass
class Hook:
    """One hook: its class, the places of the arguments it sees, and those it puts its own in."""

    name: str = ""
    arguments: tuple = ()
    replaced: dict = field(default_factory=dict)
    instead: str = ""


def hooks_for(names: str, hook: Hook) -> dict[str, Hook]:
    """Returns the same hook for several functions."""
    return {f"MPI_{name}": hook for name in names.split()}


HOOKS = {
    **hooks_for("Init", Hook(instead="init")),
    **hooks_for("Init_thread", Hook(instead="init_thread")),
    **hooks_for("Query_thread", Hook(instead="query_thread")),
    **hooks_for("Finalize", Hook(instead="finalize")),
    **hooks_for("Abort", Hook(instead="abort_job")),
    # Messages: buffer, count, type, peer, tag, communicator.
    **hooks_for("Send Ssend Rsend", Hook("blocking_send", (1, 2, 3, 4, 5))),
    **hooks_for("Bsend", Hook("buffered_send", (1, 2, 3, 4, 5))),
    **hooks_for("Recv", Hook("blocking_receive", (1, 2, 3, 4, 5, 6), {6: "status()"})),
    **hooks_for(
        "Sendrecv", Hook("send_and_receive", (1, 2, 3, 4, 6, 7, 8, 9, 10, 11), {11: "status()"})
    ),
    **hooks_for(
        "Sendrecv_replace",
        Hook("send_and_receive", (1, 2, 3, 4, 1, 2, 5, 6, 7, 8), {8: "status()"}),
    ),
    **hooks_for("Isend Issend Irsend", Hook("started_send", (0, 1, 2, 3, 4, 5, 6))),
    **hooks_for("Ibsend", Hook("started_buffered_send", (0, 1, 2, 3, 4, 5, 6))),
    **hooks_for("Irecv", Hook("started_receive", (1, 2, 3, 4, 5, 6))),
    **hooks_for("Send_init Ssend_init Rsend_init", Hook("prepared_send", (0, 1, 2, 3, 4, 5, 6))),
    **hooks_for("Bsend_init", Hook("prepared_buffered_send", (0, 1, 2, 3, 4, 5, 6))),
    **hooks_for("Recv_init", Hook("prepared_receive", (1, 2, 3, 4, 5, 6))),
    **hooks_for("Start", Hook("start", (0,))),
    **hooks_for("Startall", Hook("start_all", (0, 1))),
    **hooks_for("Mprobe", Hook("matched_probe", (0, 1, 2, 3, 4), {4: "status()"})),
    **hooks_for("Improbe", Hook("matched_probe_now", (0, 1, 2, 3, 4, 5), {5: "status()"})),
    **hooks_for("Mrecv", Hook("matched_receive", (1, 2, 3, 4), {4: "status()"})),
    **hooks_for("Imrecv", Hook("started_matched_receive", (1, 2, 3, 4))),
    **hooks_for("Probe", Hook("waiting")),
    # Completion.
    **hooks_for("Wait", Hook("wait_one", (0, 1), {1: "status()"})),
    **hooks_for("Test", Hook("test_one", (0, 1, 2), {2: "status()"})),
    **hooks_for("Waitall", Hook("wait_all", (0, 1, 2), {2: "statuses()"})),
    **hooks_for("Testall", Hook("test_all", (0, 1, 2, 3), {3: "statuses()"})),
    **hooks_for("Waitany", Hook("wait_any", (0, 1, 2, 3), {3: "status()"})),
    **hooks_for("Testany", Hook("test_any", (0, 1, 2, 3, 4), {4: "status()"})),
    **hooks_for("Waitsome", Hook("wait_some", (0, 1, 2, 3, 4), {4: "statuses()"})),
    **hooks_for("Testsome", Hook("test_some", (0, 1, 2, 3, 4), {4: "statuses()"})),
    **hooks_for("Request_free", Hook("free_request", (0,))),
    **hooks_for("Request_get_status", Hook("ask_request", (0, 1))),
    **hooks_for("Cancel", Hook("cancel", (0,))),
    # Collectives: what each contributes, the communicator; with a root, the root.
    **hooks_for("Barrier", Hook("barrier", (0,))),
    **hooks_for("Allreduce Scan Exscan", Hook("all_to_all_op", (2, 3, 4, 5))),
    **hooks_for("Reduce_scatter_block", Hook("all_to_all_op", (2, 3, 4, 5))),
    **hooks_for("Reduce_scatter", Hook("all_to_all_unsized_op", (3, 4, 5))),
    **hooks_for(
        "Allgather Neighbor_allgather Alltoall Neighbor_alltoall", Hook("all_to_all", (3, 4, 5, 6))
    ),
    **hooks_for("Allgatherv Neighbor_allgatherv", Hook("all_to_all", (0, 1, 2, 7))),
    **hooks_for(
        "Alltoallv Alltoallw Neighbor_alltoallv Neighbor_alltoallw",
        Hook("all_to_all_unsized", (8,)),
    ),
    **hooks_for("Bcast", Hook("from_root", (0, 1, 2, 3, 4))),
    **hooks_for("Scatter", Hook("from_root", (3, 4, 5, 6, 7))),
    **hooks_for("Scatterv", Hook("from_root", (4, 5, 6, 7, 8))),
    **hooks_for("Gather", Hook("to_root", (0, 1, 2, 6, 7))),
    **hooks_for("Gatherv", Hook("to_root", (0, 1, 2, 7, 8))),
    **hooks_for("Reduce", Hook("to_root_op", (2, 3, 4, 5, 6))),
    # The same, started: the request after them.
    **hooks_for("Ibarrier", Hook("started_barrier", (0, 1))),
    **hooks_for(
        "Iallreduce Iscan Iexscan Ireduce_scatter_block",
        Hook("started_all_to_all_op", (2, 3, 4, 5, 6)),
    ),
    **hooks_for("Ireduce_scatter", Hook("started_all_to_all_unsized_op", (3, 4, 5, 6))),
    **hooks_for(
        "Iallgather Ineighbor_allgather Ialltoall Ineighbor_alltoall",
        Hook("started_all_to_all", (3, 4, 5, 6, 7)),
    ),
    **hooks_for("Iallgatherv Ineighbor_allgatherv", Hook("started_all_to_all", (0, 1, 2, 7, 8))),
    **hooks_for(
        "Ialltoallv Ialltoallw Ineighbor_alltoallv Ineighbor_alltoallw",
        Hook("started_all_to_all_unsized", (8, 9)),
    ),
    **hooks_for("Ibcast", Hook("started_from_root", (0, 1, 2, 3, 4, 5))),
    **hooks_for("Iscatter", Hook("started_from_root", (3, 4, 5, 6, 7, 8))),
    **hooks_for("Iscatterv", Hook("started_from_root", (4, 5, 6, 7, 8, 9))),
    **hooks_for("Igather", Hook("started_to_root", (0, 1, 2, 6, 7, 8))),
    **hooks_for("Igatherv", Hook("started_to_root", (0, 1, 2, 7, 8, 9))),
    **hooks_for("Ireduce", Hook("started_to_root_op", (2, 3, 4, 5, 6, 7))),
    # Communicators: the new one.
    **hooks_for("Comm_dup", Hook("made_communicator", (1,))),
    **hooks_for("Comm_dup_with_info Comm_create Cart_sub", Hook("made_communicator", (2,))),
    **hooks_for("Comm_split Comm_create_group", Hook("made_communicator", (3,))),
    **hooks_for("Comm_split_type", Hook("made_communicator", (4,))),
    **hooks_for("Cart_create Graph_create Intercomm_create", Hook("made_communicator", (5,))),
    **hooks_for("Dist_graph_create", Hook("made_communicator", (8,))),
    **hooks_for("Dist_graph_create_adjacent", Hook("made_communicator", (9,))),
    **hooks_for("Intercomm_merge", Hook("made_communicator", (2,))),
    **hooks_for("Comm_free Comm_disconnect", Hook("freed_communicator", (0,))),
    # Operations of the program's own, and windows: what decides whether and when to look.
    **hooks_for("Op_create", Hook("made_operation", (2,))),
    **hooks_for("Op_free", Hook("freed_operation", (0,))),
    **hooks_for("Win_create Win_allocate", Hook("made_window", (5,))),
    **hooks_for("Win_create_dynamic", Hook("made_window", (2,))),
    **hooks_for("Win_free", Hook("freed_window", (0,))),
    **hooks_for("Put Get Accumulate", Hook("window_access", (1, 2))),
    **hooks_for("Get_accumulate", Hook("window_access", (4, 5))),
    **hooks_for("Fetch_and_op", Hook("element_access", (2,))),
    **hooks_for("Compare_and_swap", Hook("element_access", (3,))),
    **hooks_for("Rput Rget", Hook("started_access", (1, 2, 8))),
    **hooks_for("Raccumulate", Hook("started_access", (1, 2, 9))),
    **hooks_for("Rget_accumulate", Hook("started_access", (4, 5, 12))),
    # Calls that may wait for other ranks, in ways that are not told apart.
    **hooks_for(
        "Win_allocate_shared Win_fence Win_lock Win_lock_all Win_unlock Win_unlock_all "
        "Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_start Win_complete "
        "Win_post Win_wait Comm_spawn Comm_spawn_multiple "
        "Comm_accept Comm_connect Comm_join File_open File_close File_read_all File_write_all "
        "File_read_at_all File_write_at_all File_read_ordered File_write_ordered File_set_view "
        "File_set_size File_preallocate File_sync",
        Hook("waiting"),
    ),
}
