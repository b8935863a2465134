# SPDX-License-Identifier: BSD-3-Clause
"""Says which hook of src/attach/calls/hooks*.hpp stands at which MPI function, and what it sees."""

import re
from dataclasses import dataclass, field, replace

# Left alone: functions that neither communicate nor wait. Some are frequent; others are in new
# libraries alone, and programs (mpi4py) that look whether they are there can do without them.
UNWRAPPED = re.compile(
    r"MPI_(T_|.*_c2f|.*_f2c|.*f08|Wtime$|Wtick$|Aint_|Pcontrol$|Initialized$|Finalized$"
    r"|Is_thread_main$|.*_fromint$|.*_toint$|Get_version|Get_library_version"
    r"|Abi_|Status_[gs]et_(source|tag|error)$|Info_get_string$|Info_create_env$|Remove_error_"
    r"|Type_get_value_index$|Get_hw_resource_info$"
    r"|.*_(DUP|NULL_COPY|NULL_DELETE)_FN$|(DUP|NULL_COPY|NULL_DELETE)_FN$|CONVERSION_FN_NULL)"
)


@dataclass
class Hook:
    """One hook: its class, the places of the arguments it sees, and those it puts its own in.

    `constants` come before the arguments. `part` makes one of those; of a collective that is
    started, the request follows them.
    """

    name: str = ""
    arguments: tuple = ()
    replaced: dict = field(default_factory=dict)
    instead: str = ""
    constants: str = ""
    part: str = ""

    def seen(self, names: list[str]) -> str:
        """Returns what the hook sees of a call with parameters of these names, after commas."""
        seen = ", ".join(names[i] for i in self.arguments)
        if self.part:
            seen = f"hooks::{self.part}({seen})"
        if self.name == "started_collective":
            seen += f", {names[self.arguments[-1] + 1]}"
        return "".join(f", {one}" for one in (self.constants, seen) if one)


def hooks_for(names: str, hook: Hook) -> dict[str, Hook]:
    """Returns the same hook for several functions."""
    return {f"MPI_{name}": hook for name in names.split()}


# What a hook of a message is told of its kind: whether it sends, and has its buffer copied.
SEND, BUFFERED, RECEIVE = (
    f"record_kind::{kind}" for kind in ("send, false", "send, true", "receive, false")
)


def posted(names: str, kind: str) -> dict[str, Hook]:
    """Returns the hooks of requests: of what kind, whether they start at once, and buffered."""
    return hooks_for(names, Hook("posted_end", tuple(range(7)), constants=f"record_kind::{kind}"))


# Collectives: what each contributes, the communicator; with a root, the root.
COLLECTIVES = {
    **hooks_for("Barrier", Hook("collective", (0,), part="unsized")),
    **hooks_for(
        "Allreduce Scan Exscan Reduce_scatter_block",
        Hook("collective", (2, 3, 4, 5), part="reduced"),
    ),
    **hooks_for("Reduce_scatter", Hook("collective", (4, 5), part="reduced_unsized")),
    **hooks_for(
        "Allgather Neighbor_allgather Alltoall Neighbor_alltoall",
        Hook("collective", (3, 4, 5, 6), part="all_to_all"),
    ),
    **hooks_for(
        "Allgatherv Neighbor_allgatherv", Hook("collective", (0, 1, 2, 7), part="all_to_all")
    ),
    **hooks_for(
        "Alltoallw Neighbor_alltoallv Neighbor_alltoallw", Hook("collective", (8,), part="unsized")
    ),
    **hooks_for("Alltoallv", Hook("collective", (0, 1, 3, 5, 7, 8), part="all_to_all_v")),
    **hooks_for("Bcast", Hook("collective", (0, 1, 2, 3, 4), part="from_root")),
    **hooks_for("Scatter", Hook("collective", (3, 4, 5, 6, 7), part="from_root")),
    **hooks_for("Scatterv", Hook("collective", (4, 5, 6, 7, 8), part="from_root")),
    **hooks_for("Gather", Hook("collective", (0, 1, 2, 6, 7), part="to_root")),
    **hooks_for("Gatherv", Hook("collective", (0, 1, 2, 7, 8), part="to_root")),
    **hooks_for("Reduce", Hook("collective", (2, 3, 4, 5, 6), part="reduced_to_root")),
}

HOOKS = {
    **hooks_for("Init", Hook(instead="init")),
    **hooks_for("Init_thread", Hook(instead="init_thread")),
    **hooks_for("Query_thread", Hook(instead="query_thread")),
    **hooks_for("Finalize", Hook(instead="finalize")),
    **hooks_for("Abort", Hook(instead="abort_job")),
    # Messages: buffer, count, type, peer, tag, communicator.
    **hooks_for("Send Ssend Rsend", Hook("blocking_end", (1, 2, 3, 4, 5), constants=SEND)),
    **hooks_for("Bsend", Hook("blocking_end", (1, 2, 3, 4, 5), constants=BUFFERED)),
    **hooks_for(
        "Recv", Hook("blocking_end", (1, 2, 3, 4, 5, 6), {6: "status()"}, constants=RECEIVE)
    ),
    **hooks_for(
        "Sendrecv", Hook("send_and_receive", (1, 2, 3, 4, 6, 7, 8, 9, 10, 11), {11: "status()"})
    ),
    **hooks_for(
        "Sendrecv_replace",
        Hook("send_and_receive", (1, 2, 3, 4, 1, 2, 5, 6, 7, 8), {8: "status()"}),
    ),
    **posted("Isend Issend Irsend", "send, true, false"),
    **posted("Ibsend", "send, true, true"),
    **posted("Irecv", "receive, true, false"),
    **posted("Send_init Ssend_init Rsend_init", "send, false, false"),
    **posted("Bsend_init", "send, false, true"),
    **posted("Recv_init", "receive, false, false"),
    **hooks_for("Start", Hook("start", (0,))),
    **hooks_for("Startall", Hook("start_all", (0, 1))),
    **hooks_for("Mprobe", Hook("matched_probe", (0, 2, 3, 4), {4: "status()"})),
    **hooks_for("Improbe", Hook("matched_probe", (0, 2, 4, 5, 3), {5: "status()"})),
    **hooks_for("Mrecv", Hook("matched_receive", (3, 4), {4: "status()"})),
    **hooks_for("Imrecv", Hook("started_matched_receive", (3, 4))),
    **hooks_for("Probe", Hook("waiting")),
    # Completion; of tests, the flag or the number of those that are complete comes last.
    **hooks_for("Wait", Hook("one_request", (0, 1), {1: "status()"})),
    **hooks_for("Test", Hook("one_request", (0, 2, 1), {2: "status()"})),
    **hooks_for("Waitall", Hook("all_requests", (0, 1, 2), {2: "statuses()"})),
    **hooks_for("Testall", Hook("all_requests", (0, 1, 3, 2), {3: "statuses()"})),
    **hooks_for("Waitany", Hook("any_request", (0, 1, 2, 3), {3: "status()"})),
    **hooks_for("Testany", Hook("any_request", (0, 1, 2, 4, 3), {4: "status()"})),
    **hooks_for("Waitsome", Hook("some_requests", (0, 1, 2, 3, 4), {4: "statuses()"})),
    **hooks_for("Testsome", Hook("some_requests", (0, 1, 2, 3, 4, 2), {4: "statuses()"})),
    **hooks_for("Request_free", Hook("free_request", (0,))),
    **hooks_for("Request_get_status", Hook("ask_request", (0, 1))),
    **hooks_for("Cancel", Hook("cancel", (0,))),
    **COLLECTIVES,
    **{
        f"MPI_I{name.removeprefix('MPI_').lower()}": replace(hook, name="started_collective")
        for name, hook in COLLECTIVES.items()
    },
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
