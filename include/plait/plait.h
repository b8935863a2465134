/* SPDX-License-Identifier: BSD-3-Clause */
/* plait for C11, and for languages that call C.  Link libplait.so (`plait::c` of
   find_package(plait), or `pkg-config plait-c`).  A process has one plait: C, Fortran and Python
   share this library.

   Every call returns a code.  No exception leaves a call, and no call ends the program because of
   what its caller did wrong: it refuses, and `plait_error_text` says why.  Only `plait_abort` ends
   the job. The thread that called `plait_init` submits and waits; tasks may submit tasks.  A call
   from elsewhere is PLAIT_ERR_STATE.  After PLAIT_ERR_TASK and PLAIT_ERR_MPI other ranks may wait
   for messages that will not come: call `plait_abort`, or leave by `plait_finalize` on every rank.

   Names of tasks and messages are literals, or texts of `plait_intern`: they live as long as the
   program. Data lives until what touches it has finished.  Structs begin with `struct_size`, which
   PLAIT_..._INIT sets: programs compiled with an older header run with a newer library, and new
   members are 0 for them.

   With PLAIT_WITHOUT_MPI_H defined the header needs no mpi.h, and has the calls that end in _f
   only. */
#ifndef PLAIT_PLAIT_H
#define PLAIT_PLAIT_H

#include <stddef.h>
#include <stdint.h>
#ifndef PLAIT_WITHOUT_MPI_H
#include <mpi.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* As python/plait/version.py; a test compares them. */
#define PLAIT_VERSION_MAJOR 0
#define PLAIT_VERSION_MINOR 2
#define PLAIT_VERSION_PATCH 0

enum plait_code {
  PLAIT_SUCCESS = 0,
  PLAIT_ERR_USAGE = 1,  /* an argument is wrong: nothing has happened */
  PLAIT_ERR_MPI = 2,    /* MPI failed, or a message had another size */
  PLAIT_ERR_TASK = 3,   /* a task returned another value than 0 */
  PLAIT_ERR_MEMORY = 4, /* there is not enough memory */
  PLAIT_ERR_STATE = 5, /* the wrong thread, the wrong moment, or no runtime: nothing has happened */
  PLAIT_ERR_VERSION = 6, /* a struct of another version, whose meaning this library does not know */
  PLAIT_ERR_INTERNAL = 7 /* any other failure */
};

typedef struct plait_runtime plait_runtime;
typedef struct plait_comm plait_comm;
typedef struct plait_graph plait_graph;
typedef struct plait_window plait_window;
typedef struct plait_resource plait_resource;
typedef struct plait_event plait_event;
typedef struct plait_hold plait_hold; /* see plait/c/holds.h */

/* Returns the sentence of this thread's last failure, with the task's name and iteration; "" if
   there was none. Lives until this thread's next failure. */
const char* plait_error_text(void);
/* Writes the version of the library that runs.  A pointer may be null. */
int plait_version(int* major, int* minor, int* patch);
/* Returns a copy of a name, which lives as long as the program; equal texts share one.  Any thread.
   Null where there is no memory. */
const char* plait_intern(const char* text);

/* --- start and end
 * -------------------------------------------------------------------------------- */

enum plait_policy {
  PLAIT_POLICY_AUTOMATIC = 0,
  PLAIT_POLICY_DEDICATED = 1, /* a thread polls all the time */
  PLAIT_POLICY_SLEEPING = 2,  /* a thread sleeps between polls */
  PLAIT_POLICY_WORKERS = 3,   /* idle workers poll */
  PLAIT_POLICY_NONE = 4       /* only inside `plait_wait` */
};

/* What is 0 is chosen by plait. */
typedef struct plait_options {
  size_t struct_size;
  int workers;           /* threads that run tasks, the calling one included */
  int policy;            /* enum plait_policy */
  size_t in_flight;      /* most tasks that are submitted and not finished */
  double worst_delay_s;  /* longest time between two polls of a sleeping thread */
  double stall_report_s; /* seconds of standstill before a report on stderr; negative: no report */
  int stall_aborts;      /* not 0: the report ends the job */
  int checked;      /* not 0: compares each task's reads and writes with its accesses.  Slow. */
  int trusts_sizes; /* not 0: ranks do not compare the sizes that they name in a collective call */
  int reserved;
} plait_options;
#define PLAIT_OPTIONS_INIT \
  { sizeof(plait_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets what MPI's transport reads from the environment when MPI starts; optional, before MPI_Init.
 */
int plait_prepare(void);
#ifndef PLAIT_WITHOUT_MPI_H
/* Starts plait on the ranks of `comm`, which all call this.  MPI was initialised by the program,
   with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, and is finalised by it.  Changes nothing that
   is the program's: its error handlers, its signals and its communicators stay as they are.
   `options` may be null. */
int plait_init(MPI_Comm comm, const plait_options* options, plait_runtime** made);
#endif
/* The same for a handle of Fortran's `use mpi`, or `comm%mpi_val` of mpi_f08. */
int plait_init_f(int comm, const plait_options* options, plait_runtime** made);
/* Waits for all tasks and ends the runtime.  All its ranks call this, before MPI_Finalize.  Ends
   the runtime where it returns PLAIT_ERR_TASK or PLAIT_ERR_MPI, too; and sets the pointer to null.
 */
int plait_finalize(plait_runtime** ending);
/* Prints the text with this rank's name and ends all ranks of MPI_COMM_WORLD.  Any thread.  Does
 * not return. */
void plait_abort(plait_runtime* rt, const char* text);

int plait_rank(plait_runtime* rt, int* rank);
int plait_size(plait_runtime* rt, int* size);
int plait_workers(plait_runtime* rt, int* workers);
/* Writes the policy that polls and the reason, as texts that live as long as the runtime; either
 * may be null. */
int plait_get_policy(plait_runtime* rt, const char** policy, const char** reason);

/* --- communicators: a null `plait_comm` is all ranks of the runtime
 * ---------------------------------- */

#define PLAIT_NOBODY (-2147483647 - 1) /* a missing neighbour; MPI_PROC_NULL means the same */
#define PLAIT_NO_COLOUR (-1)

#ifndef PLAIT_WITHOUT_MPI_H
/* Makes the ranks of `comm` known under `name`, for reports; all of them are ranks of the runtime,
   and call this. `comm` stays the program's.  What is made lives until `plait_finalize`. */
int plait_adopt(plait_runtime* rt, MPI_Comm comm, const char* name, plait_comm** made);
#endif
int plait_adopt_f(plait_runtime* rt, int comm, const char* name, plait_comm** made);
/* Makes a communicator of the ranks of `whole` that give the same colour, as MPI_Comm_split does.
   A rank that gives PLAIT_NO_COLOUR gets null. */
int plait_split(plait_runtime* rt, plait_comm* whole, const char* name, int colour, int key,
                plait_comm** made);
int plait_comm_rank(plait_runtime* rt, plait_comm* comm, int* rank);
int plait_comm_size(plait_runtime* rt, plait_comm* comm, int* size);

/* --- memory and accesses
 * -------------------------------------------------------------------------- */

#define PLAIT_AXES 4
typedef struct plait_axis {
  int64_t rows;   /* 1 where the axis is not used */
  int64_t stride; /* bytes from one row to the next; of any sign */
} plait_axis;

/* Rows of `row_bytes` bytes, the first at `begin`, the others at regular distances along up to four
 * axes. */
typedef struct plait_memory {
  void* begin;
  size_t row_bytes;
  plait_axis axes[PLAIT_AXES];
} plait_memory;

#define PLAIT_ONE_ROW_        \
  {                           \
    {1, 0}, {1, 0}, {1, 0}, { \
      1, 0                    \
    }                         \
  }
static inline plait_memory plait_bytes(const void* begin, size_t bytes) {
  plait_memory m = {(void*)(uintptr_t)begin, bytes, PLAIT_ONE_ROW_};
  return m;
}
/* `rows` rows, `stride` bytes from the beginning of one to that of the next. */
static inline plait_memory plait_rows(const void* begin, size_t row_bytes, int64_t rows,
                                      int64_t stride) {
  plait_memory m = plait_bytes(begin, row_bytes);
  m.axes[0].rows = rows;
  m.axes[0].stride = stride;
  return m;
}
#ifndef PLAIT_WITHOUT_MPI_H
/* Writes the memory of `count` elements of a type of MPI's that is a box: contiguous, vector,
   hvector, subarray, and any of these of any.  PLAIT_ERR_USAGE for others, by their names.  Takes
   the right to call MPI meanwhile, if there is a runtime: below MPI_THREAD_MULTIPLE another thread
   than that of the program or a task is refused then. */
int plait_memory_of(const void* buffer, int count, MPI_Datatype type, plait_memory* made);
#endif

enum plait_mode { PLAIT_IN = 1, PLAIT_OUT = 2, PLAIT_INOUT = 3, PLAIT_COMMUTATIVE = 4 };
typedef struct plait_access {
  plait_memory memory;
  uint8_t mode; /* enum plait_mode */
  uint8_t reserved[7];
} plait_access;

static inline plait_access plait_access_of(plait_memory memory, int mode) {
  plait_access a = {memory, (uint8_t)mode, {0, 0, 0, 0, 0, 0, 0}};
  return a;
}
/* plait_in(memory) or plait_in(pointer, bytes): what a task reads; out: writes; inout: both;
   commutative: both, in any order with other tasks that say so, one at a time. */
#define plait_in(...) \
  PLAIT_ACCESS_(PLAIT_IN, __VA_ARGS__, PLAIT_OF_TWO_, PLAIT_OF_ONE_, )(PLAIT_IN, __VA_ARGS__)
#define plait_out(...) \
  PLAIT_ACCESS_(PLAIT_OUT, __VA_ARGS__, PLAIT_OF_TWO_, PLAIT_OF_ONE_, )(PLAIT_OUT, __VA_ARGS__)
#define plait_inout(...) \
  PLAIT_ACCESS_(PLAIT_INOUT, __VA_ARGS__, PLAIT_OF_TWO_, PLAIT_OF_ONE_, )(PLAIT_INOUT, __VA_ARGS__)
#define plait_commutative(...)                                                  \
  PLAIT_ACCESS_(PLAIT_COMMUTATIVE, __VA_ARGS__, PLAIT_OF_TWO_, PLAIT_OF_ONE_, ) \
  (PLAIT_COMMUTATIVE, __VA_ARGS__)
#define PLAIT_ACCESS_(mode, one, two, chosen, ...) chosen
#define PLAIT_OF_ONE_(mode, memory) plait_access_of((memory), (mode))
#ifdef __cplusplus
#define PLAIT_OF_TWO_(mode, begin, bytes) plait_access_of(plait_bytes((begin), (bytes)), (mode))
#else /* in one piece: a struct that is copied into another costs as much as all else of a call */
#define PLAIT_OF_TWO_(mode, begin, bytes) \
  ((plait_access){{(void*)(uintptr_t)(const void*){begin}, (bytes), PLAIT_ONE_ROW_}, (mode), {0}})
#endif

/* --- tasks --------------------------------------------------------------------------------------
 */

enum plait_priority {
  PLAIT_PRIORITY_CHOSEN = 0, /* normal, or in a recording as measured */
  PLAIT_PRIORITY_HIGH = 1,
  PLAIT_PRIORITY_NORMAL = 2,
  PLAIT_PRIORITY_LOW = 3
};
#define PLAIT_FOR_ANYONE 1u /* flag: the thread that polls may run the task, too */

/* One task.  `argument_bytes` bytes at `argument` are copied: up to 96 lie in the task itself, and
   more take a block of memory.  In a recording `run` gets the same copy in every iteration.  With 0
   bytes `run` gets the pointer itself.  `release`, if there is one, is called once with what `run`
   gets, after the last run; where the task is dropped or the call refused, too, but not with
   PLAIT_ERR_VERSION, where nothing of the struct is believed. */
typedef struct plait_call {
  size_t struct_size;
  const char* name;
  int (*run)(void* argument); /* not 0: the task has failed; null if there is `run_held` */
  const void* argument;
  size_t argument_bytes;
  void (*release)(void* argument);
  const plait_access* accesses;
  size_t access_count;
  int priority; /* enum plait_priority */
  unsigned flags;
  plait_resource* resource; /* whose threads run the task; null: workers */
  plait_event** event; /* where to put the task's end, which may be waited for; null: nowhere */
  int (*run_held)(void* argument, plait_hold* until); /* in place of `run`; see plait/c/holds.h */
} plait_call;
#define PLAIT_CALL_INIT \
  { sizeof(plait_call), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Submits a task: it runs when all earlier ones that touch its bytes, one of them writing, have
   finished.  Waits, running tasks, while too many are in flight. */
int plait_submit(plait_runtime* rt, const plait_call* call);

/* plait_task(rt, "name", function, argument, accesses...): `argument` is a variable, which is
 * copied. */
#define plait_task(rt, name, function, argument, ...)                            \
  plait_submit_copy((rt), "" name, (function), 0, &(argument), sizeof(argument), \
                    (const plait_access[]){__VA_ARGS__},                         \
                    sizeof((const plait_access[]){__VA_ARGS__}) / sizeof(plait_access))
static inline int plait_submit_copy(plait_runtime* rt, const char* name, int (*run)(void*),
                                    int (*run_held)(void*, plait_hold*), const void* argument,
                                    size_t argument_bytes, const plait_access* accesses,
                                    size_t access_count) {
  const plait_call call = {sizeof call, name,     run,          argument, argument_bytes,
                           0,           accesses, access_count, 0,        0,
                           0,           0,        run_held};
  return plait_submit(rt, &call);
}

/* Makes threads that run the tasks which name them, and no others.  They live until
 * `plait_finalize`. */
int plait_make_resource(plait_runtime* rt, const char* name, int threads, plait_resource** made);

/* --- messages: between plait's ranks only
 * ------------------------------------------------------------ */

/* Sends, or receives, as soon as earlier tasks let the memory be read, or written. */
int plait_send(plait_runtime* rt, const char* name, plait_memory from, int peer, int tag,
               plait_comm* among);
int plait_recv(plait_runtime* rt, const char* name, plait_memory to, int peer, int tag,
               plait_comm* among);
/* Messages whose length is known when they start: `count` is a variable that earlier tasks may
   write, and a receive writes, and counts elements. */
int plait_send_counted(plait_runtime* rt, const char* name, plait_memory from, const size_t* count,
                       size_t element_bytes, int peer, int tag, plait_comm* among);
int plait_recv_counted(plait_runtime* rt, const char* name, plait_memory to, size_t* count,
                       size_t element_bytes, int peer, int tag, plait_comm* among);

/* --- waiting -------------------------------------------------------------------------------------
 */

/* Returns when every task and message has finished; runs tasks meanwhile.  The first failure:
   PLAIT_ERR_TASK or PLAIT_ERR_MPI. */
int plait_wait(plait_runtime* rt);
/* As `plait_wait`, and asks `go_on(argument)` some twenty times a second, between tasks.  Once that
   has returned 0 the call returns with tasks in flight, and `over`, which may be null, is 0. */
int plait_wait_while(plait_runtime* rt, int (*go_on)(void* argument), void* argument, int* over);
/* Writes 1 if the next submission does not wait for room, so that its caller may keep a lock that
   tasks take.  In a task: 0. */
int plait_has_room(plait_runtime* rt, int* has);
/* Returns when the earlier tasks that write this memory have finished. */
int plait_wait_on(plait_runtime* rt, plait_memory memory);
int plait_event_wait(plait_event* one);
/* Writes whether the task has finished, or was dropped.  Any thread. */
int plait_event_test(plait_event* one, int* done);
/* Gives the handle back and sets the pointer to null; the task goes on.  Before `plait_finalize`,
 * or after. */
int plait_event_free(plait_event** one);

/* --- graphs --------------------------------------------------------------------------------------
 */

/* What is submitted in between is kept, not run.  A null `made`: it is dropped. */
int plait_record_begin(plait_runtime* rt);
int plait_record_end(plait_runtime* rt, plait_graph** made);
/* Runs what was recorded so many times; returns when the replay has begun. */
int plait_replay(plait_runtime* rt, plait_graph* graph, uint64_t iterations);
/* Waits for a replay of it, if there is one. */
int plait_graph_free(plait_graph** graph);

/* --- MPI of the program's own
 * ------------------------------------------------------------------------ */

/* Between these two the calling thread, and no thread of plait's, calls MPI: at
   MPI_THREAD_SERIALIZED while tasks are in flight or a window is open.  No call of plait's in
   between. */
int plait_mpi_begin(plait_runtime* rt);
int plait_mpi_end(plait_runtime* rt);

typedef struct plait_progress_options {
  size_t struct_size;
  double interval_s; /* between two looks; 0: plait chooses */
} plait_progress_options;
#define PLAIT_PROGRESS_OPTIONS_INIT \
  { sizeof(plait_progress_options), 0 }
/* Lets a thread look after messages of the program's own, between MPI_Isend and MPI_Wait.  Needs
   MPI_THREAD_MULTIPLE and no runtime.  `options` may be null.  Pairs may be nested. */
int plait_progress_start(const plait_progress_options* options);
int plait_progress_stop(void);

/* --- figures -------------------------------------------------------------------------------------
 */

#define PLAIT_MEAN (-1)
typedef struct plait_ledger {
  size_t struct_size;
  double compute_s;  /* in tasks; of worker 0 also in the program */
  double posting_s;  /* in MPI while there was other work */
  double exposed_s;  /* nothing to run while a message was in flight */
  double overhead_s; /* in plait */
  double idle_s;     /* nothing to run, and nothing in flight */
  double wall_s;
} plait_ledger;
#define PLAIT_LEDGER_INIT \
  { sizeof(plait_ledger), 0, 0, 0, 0, 0, 0 }
/* Writes where a worker's time went since the last reset; PLAIT_MEAN: of all, on average.  No task
 * is in flight. */
int plait_get_ledger(plait_runtime* rt, int worker, plait_ledger* found);
int plait_reset_ledger(plait_runtime* rt);
/* Traces from now on; the end, on all ranks, has rank 0 write a file that Perfetto opens.  No task
 * is in flight. */
int plait_trace_start(plait_runtime* rt);
int plait_trace_stop(plait_runtime* rt, const char* file);

#ifdef __cplusplus
}
#endif

#include <plait/c/arrays.h>
#include <plait/c/collectives.h>
#include <plait/c/holds.h>
#include <plait/c/windows.h>

#endif
