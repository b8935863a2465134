/* SPDX-License-Identifier: BSD-3-Clause */
/* Each call, wrong once: a code, a text, and the job lives. */
#include <pthread.h>

#include "support.h"

static int nothing(void* argument) {
  (void)argument;
  return 0;
}

static int fails_at_three(void* argument) {
  int* const runs = *(int**)argument;
  return ++*runs == 3 ? 42 : 0;
}
static int holds_itself(void* argument, plait_hold* until) {
  (void)argument;
  return plait_hold_release(&until);
}

static double x[4];
static plait_memory whole(void) {
  return plait_bytes(x, sizeof x);
}

/* MPI is asked about a type by who holds the right to call it: nobody takes that twice. */
static plait_runtime* asked_about;
static int times_asked, times_without_right;
int MPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                          int* combiner) {
  if (asked_about != NULL) {
    ++times_asked;
    if (plait_mpi_begin(asked_about) == PLAIT_SUCCESS) {
      ++times_without_right;
      plait_mpi_end(asked_about);
    }
  }
  return PMPI_Type_get_envelope(type, integers, addresses, types, combiner);
}

static int released;
static void release(void* argument) {
  (void)argument;
  ++released;
}

/* Without a runtime, and with one that has ended. */
static void test_no_runtime(plait_runtime* rt, const char* words) {
  plait_call call = PLAIT_CALL_INIT;
  call.name = "task";
  call.run = nothing;
  plait_ledger ledger = PLAIT_LEDGER_INIT;
  plait_graph* graph = NULL;
  plait_window* window = NULL;
  plait_comm* comm = NULL;
  plait_resource* resource = NULL;
  void* found = NULL;
  int number = 0;
  size_t count = 1;
  const plait_operation plus = plait_sum(PLAIT_DOUBLE);
  const plait_neighbours around = {NULL, NULL, 0, 0};
#define GONE(call) REFUSED(PLAIT_ERR_STATE, words, call)
  GONE(plait_rank(rt, &number));
  GONE(plait_size(rt, &number));
  GONE(plait_workers(rt, &number));
  GONE(plait_get_policy(rt, NULL, NULL));
  GONE(plait_adopt(rt, MPI_COMM_WORLD, "all", &comm));
  GONE(plait_split(rt, NULL, "all", 0, 0, &comm));
  GONE(plait_make_resource(rt, "io", 1, &resource));
  GONE(plait_submit(rt, &call));
  GONE(plait_send(rt, "m", whole(), 0, 0, NULL));
  GONE(plait_recv(rt, "m", whole(), 0, 0, NULL));
  GONE(plait_send_counted(rt, "m", whole(), &count, 8, 0, 0, NULL));
  GONE(plait_recv_counted(rt, "m", whole(), &count, 8, 0, 0, NULL));
  GONE(plait_wait(rt));
  GONE(plait_wait_on(rt, whole()));
  GONE(plait_record_begin(rt));
  GONE(plait_record_end(rt, &graph));
  GONE(plait_replay(rt, graph, 1));
  GONE(plait_mpi_begin(rt));
  GONE(plait_get_ledger(rt, 0, &ledger));
  GONE(plait_reset_ledger(rt));
  GONE(plait_trace_start(rt));
  GONE(plait_trace_stop(rt, "file"));
  GONE(plait_barrier(rt, "c", whole(), NULL));
  GONE(plait_bcast(rt, "c", whole(), 0, NULL));
  GONE(plait_allreduce(rt, "c", PLAIT_IN_PLACE, whole(), plus, NULL));
  GONE(plait_neighbour_alltoall(rt, "c", whole(), whole(), &around, NULL));
  GONE(plait_window_create(rt, x, sizeof x, NULL, &window));
  GONE(plait_window_allocate(rt, sizeof x, NULL, &found, &window));
  GONE(plait_get(rt, "g", window, 0, 0, whole()));
  GONE(plait_put(rt, "p", whole(), window, 0, 0, 0));
  GONE(plait_signal(rt, "s", window, 0, 0, NULL, 0));
  GONE(plait_await_signal(rt, "s", window, 0, 0, NULL, 0));
  GONE(plait_ghosts(rt, NULL, NULL, NULL));
  GONE(plait_redistribution(rt, NULL, NULL, NULL, NULL));
  GONE(plait_move(rt, NULL));
  plait_runtime* same = rt;
  GONE(plait_finalize(&same));
  REFUSED(PLAIT_ERR_STATE, "plait_mpi_begin", plait_mpi_end(rt));
}

static void test_arguments(const struct world* w) {
  plait_runtime* rt = w->rt;
  plait_call call = PLAIT_CALL_INIT;
  plait_access access = plait_in(x, sizeof x);
  plait_comm* comm = NULL;
  plait_resource* resource = NULL;
  plait_ledger ledger = PLAIT_LEDGER_INIT;
  plait_window* window = NULL;
  plait_graph* graph = NULL;
  plait_event* event = NULL;
  size_t count = 2;
#define WRONG(words, call) REFUSED(PLAIT_ERR_USAGE, words, call)
  WRONG("null", plait_submit(rt, NULL));
  call.run = nothing;
  WRONG("name", plait_submit(rt, &call));
  call.name = "task";
  call.argument_bytes = 8;
  WRONG("'task'", plait_submit(rt, &call));
  call.argument_bytes = 0;
  call.access_count = 1;
  WRONG("accesses", plait_submit(rt, &call));
  call.accesses = &access;
  access.mode = 5;
  WRONG("mode 5", plait_submit(rt, &call));
  access = plait_in(plait_rows(x, 8, -2, 16));
  WRONG("-2 rows", plait_submit(rt, &call));
  access = plait_in(NULL, 8);
  WRONG("null", plait_submit(rt, &call));
  access = plait_in(x, sizeof x);
  call.priority = 9;
  WRONG("priority 9", plait_submit(rt, &call));
  call.priority = 0;
  call.flags = 64;
  WRONG("flags 64", plait_submit(rt, &call));
  call.flags = 0;
  call.run_held = holds_itself;
  WRONG("two functions", plait_submit(rt, &call));
  call.run = NULL;
  call.run_held = NULL;
  WRONG("no function", plait_submit(rt, &call));

  WRONG("rank", plait_send(rt, "m", whole(), w->size, 0, NULL));
  WRONG("rank", plait_recv(rt, "m", whole(), -7, 0, NULL));
  WRONG("tag", plait_send(rt, "m", whole(), 0, -1, NULL));
  WRONG("name", plait_send(rt, NULL, whole(), 0, 0, NULL));
  WRONG("count", plait_send_counted(rt, "m", whole(), NULL, 8, 0, 0, NULL));
  WRONG("0 bytes", plait_send_counted(rt, "m", whole(), &count, 0, 0, 0, NULL));
  WRONG("contiguous", plait_send_counted(rt, "m", plait_rows(x, 8, 2, 16), &count, 8, 0, 0, NULL));

  WRONG("root", plait_bcast(rt, "c", whole(), w->size, NULL));
  WRONG("operation", plait_allreduce(rt, "c", PLAIT_IN_PLACE, whole(), plait_sum(99), NULL));
  WRONG("operation",
        plait_allreduce(rt, "c", PLAIT_IN_PLACE, whole(), plait_max(PLAIT_DOUBLE_COMPLEX), NULL));
  WRONG("PLAIT_IN_PLACE", plait_bcast(rt, "c", PLAIT_IN_PLACE, 0, NULL));
  WRONG("c", plait_allreduce(rt, "c", plait_bytes(x, 8), plait_bytes(x + 1, 24),
                             plait_sum(PLAIT_DOUBLE), NULL));
  WRONG("contiguous", plait_barrier(rt, "c", plait_rows(x, 8, 2, 16), NULL));
  WRONG("neighbours", plait_neighbour_alltoall(rt, "c", whole(), whole(), NULL, NULL));
  WRONG("blocks", plait_alltoallv(rt, "c", whole(), NULL, whole(), NULL, 8, NULL));
  plait_collective how = PLAIT_COLLECTIVE_INIT;
  how.algorithm = "guessing";
  WRONG("guessing", plait_barrier(rt, "c", whole(), &how));
  how.algorithm = NULL;
  how.back_end = 3;
  WRONG("back end 3", plait_barrier(rt, "c", whole(), &how));

  WRONG("null", plait_rank(rt, NULL));
  WRONG("null", plait_adopt(rt, MPI_COMM_WORLD, NULL, &comm));
  WRONG("MPI_COMM_NULL", plait_adopt(rt, MPI_COMM_NULL, "none", &comm));
  WRONG("threads", plait_make_resource(rt, "io", 0, &resource));
  WRONG("worker", plait_get_ledger(rt, 99, &ledger));
  WRONG("window", plait_get(rt, "g", NULL, 0, 0, whole()));
  WRONG("null", plait_window_create(rt, NULL, 8, NULL, &window));
  WRONG("graph", plait_replay(rt, graph, 1));
  WRONG("null", plait_event_wait(event));
  plait_hold* none = NULL;
  WRONG("plait_hold_release: the hold is a null pointer", plait_hold_release(&none));
  WRONG("place of the hold", plait_hold_fail(NULL, "why"));
  WRONG("the hold is a null pointer", plait_hold_another(none, &none));
  WRONG("plait_finish_with: the hold", plait_finish_with(&none, MPI_REQUEST_NULL));
  WRONG("text", plait_intern(NULL) == NULL ? PLAIT_ERR_USAGE : PLAIT_SUCCESS);
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_record_end(rt, &graph));
}

/* Structs of callers that were compiled with another header. */
static void test_versions(const struct world* w) {
  plait_call call = PLAIT_CALL_INIT;
  call.name = "task";
  call.run = nothing;
  call.struct_size = offsetof(plait_call, priority); /* older: the rest is not read */
  call.priority = 77;
  DO(plait_submit(w->rt, &call));
  struct {
    plait_call known;
    double more;
  } newer = {PLAIT_CALL_INIT, 0};
  newer.known.struct_size = sizeof newer;
  newer.known.name = "task";
  newer.known.run = nothing;
  DO(plait_submit(w->rt, &newer.known)); /* and asks for nothing new */
  newer.more = 1;
  REFUSED(PLAIT_ERR_VERSION, "newer", plait_submit(w->rt, &newer.known));
  call.struct_size = 0;
  REFUSED(PLAIT_ERR_VERSION, "struct_size", plait_submit(w->rt, &call));
  call.release = release; /* of a struct that is not believed nothing is called */
  REFUSED(PLAIT_ERR_VERSION, "struct_size", plait_submit(w->rt, &call));
  newer.known.release = release;
  REFUSED(PLAIT_ERR_VERSION, "newer", plait_submit(w->rt, &newer.known));
  EQUAL(0, released);
  call = (plait_call)PLAIT_CALL_INIT; /* of a caller that knows no held tasks */
  call.name = "task";
  call.run = nothing;
  call.struct_size = offsetof(plait_call, run_held);
  call.run_held = holds_itself;
  DO(plait_submit(w->rt, &call));
  plait_collective how = PLAIT_COLLECTIVE_INIT;
  how.struct_size = 1u << 30;
  REFUSED(PLAIT_ERR_VERSION, "plait_collective", plait_barrier(w->rt, "c", whole(), &how));
  plait_ledger ledger = PLAIT_LEDGER_INIT;
  ledger.struct_size = offsetof(plait_ledger, wall_s);
  ledger.wall_s = -5;
  DO(plait_get_ledger(w->rt, 0, &ledger));
  EQUAL(-5, ledger.wall_s);
  DO(plait_wait(w->rt));
}

static void test_options(void) {
  plait_options options = PLAIT_OPTIONS_INIT;
  plait_runtime* rt = NULL;
  options.policy = 17;
  WRONG("policy", plait_init(MPI_COMM_WORLD, &options, &rt));
  options.policy = 0;
  options.workers = -2;
  WRONG("workers", plait_init(MPI_COMM_WORLD, &options, &rt));
  options.workers = 0;
  options.struct_size = 3;
  REFUSED(PLAIT_ERR_VERSION, "plait_options", plait_init(MPI_COMM_WORLD, &options, &rt));
  WRONG("null", plait_init(MPI_COMM_WORLD, NULL, NULL));
  WRONG("null", plait_finalize(NULL));
}

/* A runtime may lie where an earlier one lay; what belonged to that one says so. */
static void test_event_of_another_runtime(plait_runtime** rt) {
  plait_call call = PLAIT_CALL_INIT;
  plait_event* event = NULL;
  int fails = 2;
  call.name = "fails";
  call.run = fails_at_three;
  int* at = &fails;
  call.argument = &at;
  call.argument_bytes = sizeof at;
  call.event = &event;
  DO(plait_submit(*rt, &call));
  REFUSED(PLAIT_ERR_TASK, "'fails'", plait_finalize(rt));
  for (int again = 0; again < 8; ++again) {
    DO(plait_init(MPI_COMM_WORLD, NULL, rt));
    REFUSED(PLAIT_ERR_TASK, "plait_event_wait: the task has failed", plait_event_wait(event));
    if (again < 7) DO(plait_finalize(rt));
  }
  DO(plait_event_free(&event));
}

/* While another thread may be in MPI, its types are asked about by who holds the right. */
static void test_types_of_mpi(plait_runtime* rt) {
  MPI_Datatype type;
  plait_memory memory;
  DO(plait_mpi_begin(rt));
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &type);
  DO(plait_mpi_end(rt));
  asked_about = rt;
  DO(plait_memory_of(x, 1, type, &memory));
  DO(plait_mpi_begin(rt)); /* the caller holds it */
  DO(plait_memory_of(x, 1, type, &memory));
  MPI_Type_free(&type);
  DO(plait_mpi_end(rt));
  asked_about = NULL;
  EQUAL(1, times_asked > 0);
  EQUAL(0, times_without_right);
}

/* Calls from a task and from another thread. */
static int calls_from_task(void* argument) {
  plait_runtime* const rt = *(plait_runtime**)argument;
  plait_graph* graph = NULL;
  plait_comm* comm = NULL;
  plait_runtime* same = rt;
  plait_ledger ledger = PLAIT_LEDGER_INIT;
#define IN_TASK(call) \
  if ((call) != PLAIT_ERR_STATE || strstr(plait_error_text(), "in a task") == NULL) return __LINE__
  IN_TASK(plait_wait(rt));
  IN_TASK(plait_wait_on(rt, whole()));
  IN_TASK(plait_send(rt, "m", whole(), 0, 0, NULL));
  IN_TASK(plait_barrier(rt, "c", whole(), NULL));
  IN_TASK(plait_record_begin(rt));
  IN_TASK(plait_record_end(rt, &graph));
  IN_TASK(plait_split(rt, NULL, "all", 0, 0, &comm));
  IN_TASK(plait_get_ledger(rt, 0, &ledger));
  IN_TASK(plait_ghosts(rt, NULL, NULL, NULL));
  IN_TASK(plait_move(rt, NULL));
  IN_TASK(plait_finalize(&same));
  return 0;
}

static void* calls_from_thread(void* argument) {
  plait_runtime* const rt = argument;
  plait_call call = PLAIT_CALL_INIT;
  call.name = "task";
  call.run = nothing;
  plait_runtime* same = rt;
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_submit(rt, &call));
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_wait(rt));
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_send(rt, "m", whole(), 0, 0, NULL));
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_mpi_begin(rt));
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_move(rt, NULL));
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_finalize(&same));
  plait_memory memory;
  REFUSED(PLAIT_ERR_STATE, "another thread", plait_memory_of(x, 2, MPI_DOUBLE, &memory));
  return NULL;
}

static void test_places(const struct world* w) {
  plait_runtime* rt = w->rt;
  DO(plait_task(rt, "calls", calls_from_task, rt, plait_inout(x, sizeof x)));
  DO(plait_wait(rt));
  pthread_t thread;
  EQUAL(0, pthread_create(&thread, NULL, calls_from_thread, rt));
  EQUAL(0, pthread_join(thread, NULL));

  plait_graph* graph = NULL;
  plait_event* event = NULL;
  plait_window* window = NULL;
  plait_call call = PLAIT_CALL_INIT;
  call.name = "recorded";
  call.run = nothing;
  call.event = &event;
  DO(plait_record_begin(rt));
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_record_begin(rt));
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_wait_on(rt, whole()));
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_replay(rt, graph, 1));
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_window_create(rt, x, 8, NULL, &window));
  REFUSED(PLAIT_ERR_STATE, "plait_record_begin", plait_ghosts(rt, NULL, NULL, NULL));
  REFUSED(PLAIT_ERR_STATE, "'recorded'", plait_submit(rt, &call));
  DO(plait_record_end(rt, &graph));
  DO(plait_graph_free(&graph));
}

/* A task that fails: the code, its name and its iteration; what was waiting is dropped, and
 * released. */
static int fails_to_hold(void* argument, plait_hold* until) {
  const int code = *(int*)argument;
  if (code == 0) return plait_hold_fail(&until, "the disk is full");
  return plait_hold_release(&until) == PLAIT_SUCCESS ? code : 1;
}

static void test_failures(struct world* w) {
  int runs = 0;
  int* at = &runs;
  plait_graph* graph = NULL;
  DO(plait_record_begin(w->rt));
  DO(plait_task(w->rt, "third time", fails_at_three, at, plait_inout(&runs, sizeof runs)));
  DO(plait_record_end(w->rt, &graph));
  DO(plait_replay(w->rt, graph, 5));
  REFUSED(PLAIT_ERR_TASK, "task 'third time', iteration 3", plait_wait(w->rt));
  EQUAL(1, strstr(plait_error_text(), "returned 42") != NULL);
  DO(plait_graph_free(&graph));

  runs = 2;
  plait_event* event = NULL;
  plait_access access = plait_inout(&runs, sizeof runs);
  plait_call dropped = PLAIT_CALL_INIT;
  dropped.name = "dropped";
  dropped.run = nothing;
  dropped.argument = &runs;
  dropped.release = release;
  dropped.accesses = &access;
  dropped.access_count = 1;
  dropped.event = &event;
  DO(plait_task(w->rt, "once", fails_at_three, at, plait_inout(&runs, sizeof runs)));
  const int code = plait_submit(w->rt, &dropped); /* the failure may be known by then */
  if (code == PLAIT_SUCCESS) {
    REFUSED(PLAIT_ERR_TASK, "task 'once'", plait_event_wait(event));
    int done = 0;
    DO(plait_event_test(event, &done));
    EQUAL(1, done);
  } else {
    EQUAL(PLAIT_ERR_TASK, code);
  }
  EQUAL(1, released);
  REFUSED(PLAIT_ERR_MPI, "given up", plait_send(w->rt, "late", whole(), 0, 0, NULL));
  if (event != NULL)
    REFUSED(PLAIT_ERR_TASK, "dropped", plait_event_wait(event) ? PLAIT_ERR_TASK : 0);

  int kept = 0;
  DO(plait_task_held(w->rt, "no disk", fails_to_hold, kept, plait_inout(&runs, sizeof runs)));
  REFUSED(PLAIT_ERR_TASK, "task 'no disk'", plait_wait(w->rt));
  EQUAL(1, strstr(plait_error_text(), "the disk is full") != NULL);
  kept = 7;
  DO(plait_task_held(w->rt, "code", fails_to_hold, kept, plait_inout(&runs, sizeof runs)));
  REFUSED(PLAIT_ERR_TASK, "returned 7", plait_wait(w->rt));

  runs = 2;
  DO(plait_task(w->rt, "last", fails_at_three, at, plait_inout(&runs, sizeof runs)));
  REFUSED(PLAIT_ERR_TASK, "task 'last'", plait_finalize(&w->rt));
  EQUAL(1, w->rt == NULL);
  DO(plait_event_free(&event));
}

int main(int argc, char** argv) {
  test_no_runtime(NULL, "there is no runtime");
  struct world w = support_begin(argc, argv, MPI_THREAD_SERIALIZED, NULL);
  test_arguments(&w);
  test_wrong_arrays(&w);
  test_versions(&w);
  test_places(&w);
  DO(plait_barrier(w.rt, "still here", whole(), NULL));
  plait_runtime* const ended = w.rt;
  plait_mover* mover = left_mover(&w);
  DO(plait_finalize(&w.rt));
  test_no_runtime(ended, "has ended");
  test_options();

  DO(plait_init(MPI_COMM_WORLD, NULL, &w.rt));
  REFUSED(PLAIT_ERR_STATE, "has ended", plait_move(w.rt, mover));
  DO(plait_mover_free(&mover));
  test_types_of_mpi(w.rt);
  test_event_of_another_runtime(&w.rt);
  test_failures(&w);
  int mine = 1, all = 0; /* the job lives */
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EQUAL(w.size, all);
  MPI_Finalize();
  return 0;
}
