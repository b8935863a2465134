// SPDX-License-Identifier: BSD-3-Clause
// Regions in all ways, right and wrong: marked CASE.  Two ranks.
#include <mpi.h>
#include <plait/region.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

/// The texts of names have other addresses each time, and those of two names the same.
static void names(void) {
  static char text[128];
  for (int i = 0; i < 100; ++i) {
    strcpy(text, "first");
    plait_region_begin(text);
    meet();
    strcpy(text, "second");
    plait_region_begin(text);
    plait_region_end(text);
    char* copy = strdup("first");
    plait_region_end(copy);
    free(copy);
  }
  memset(text, 'n', 100);
  plait_region_begin(text);
  plait_region_end(text);
}

static void inside_itself(int depth) {
  plait_region_begin("again");
  meet();
  if (depth > 1) inside_itself(depth - 1);
  plait_region_end("again");
}

static void recursion(void) { inside_itself(3); }

static void wrong(void) {
  for (int i = 0; i < 3; ++i) {
    plait_region_begin("outer");
    plait_region_begin("inner");
    meet();
    plait_region_end("outer");
  }
  plait_region_end("never begun");
  plait_region_begin("left open");
  meet();
}

static void many(void) {
  char name[16];
  for (int i = 0; i < 600; ++i) {
    sprintf(name, "r%d", i);
    plait_region_begin(name);
    plait_region_end(name);
  }
  for (int i = 0; i < 80; ++i) plait_region_begin("r0");
  meet();
  for (int i = 0; i < 80; ++i) plait_region_end("r0");
  plait_region_begin("r1");
  plait_region_end("r1");
}

static void control(void) {
  MPI_Pcontrol(0);
  meet();
  MPI_Pcontrol(1);
  plait_region_begin("inside");
  meet();
  meet();
  plait_region_end("inside");
  MPI_Pcontrol(0);
}

/// A failing test of a request is one event of a trace; a region parts two of them.
static void tests(void) {
  MPI_Request request;
  int is_done = 0, in = 0, out = 1;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  for (int i = 0; i < 10; ++i) {
    plait_region_begin(i < 5 ? "before" : "after");
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    plait_region_end(i < 5 ? "before" : "after");
  }
  MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void aborted(void) {
  plait_region_begin("aborted");
  meet();
  plait_region_begin("within");
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  meet();
}

static void* without_mpi(void* of) {
  for (int i = 0; i < 1000; ++i) {
    plait_region_begin("without");
    plait_region_end("without");
  }
  return of;
}

static MPI_Comm own;

static void* with_mpi(void* of) {
  plait_region_begin("around");
  MPI_Barrier(own);
  for (int i = 0; i < 1000; ++i) {
    plait_region_begin("shared");
    if (i % 100 == 0) MPI_Barrier(own);
    plait_region_end("shared");
  }
  plait_region_end("around");
  return of;
}

static void threads(void) {
  pthread_t with, without;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  pthread_create(&with, NULL, with_mpi, NULL);
  pthread_create(&without, NULL, without_mpi, NULL);
  for (int i = 0; i < 1000; ++i) {
    plait_region_begin("shared");
    if (i % 100 == 0) meet();
    plait_region_end("shared");
  }
  pthread_join(with, NULL);
  pthread_join(without, NULL);
  MPI_Comm_free(&own);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"names", names},     {"recursion", recursion}, {"wrong", wrong},
             {"many", many},       {"control", control},     {"tests", tests},
             {"aborted", aborted}, {"threads", threads}};

int main(int argc, char** argv) {
  int provided;
  const int is_wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
  if (!is_wrong) plait_region_begin("whole");
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; ++i)
    if (strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  if (!is_wrong) plait_region_end("whole");
  MPI_Finalize();
  plait_region_begin("behind");
  plait_region_end("behind");
  puts("done");
  return 0;
}
