/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 leaves while rank 0 waits for a message of its.

   leaves exits|aborts|exits_in_a_task|exits_in_a_combination|exits_while_it_waits|returns_a_code */
#include "support.h"

static int leave(void* argument) {
  exit(*(int*)argument);
}

static int fail(void* argument) {
  return *(int*)argument;
}

/* Combines on rank 1. */
static void leave_here(const void* left, const void* right, void* result, size_t count,
                       void* argument) {
  (void)left;
  (void)right;
  (void)result;
  (void)count;
  exit(*(int*)argument);
}

int main(int argc, char** argv) {
  struct world w = support_begin(argc, argv, MPI_THREAD_SERIALIZED, NULL);
  const char* const how = argv[1];
  double x = 0, sum = 0;
  int code = 0;
  const plait_memory to = plait_bytes(&x, sizeof x), total = plait_bytes(&sum, sizeof sum);
  if (strcmp(how, "exits_in_a_combination") == 0) {
    const plait_operation op = plait_combined_by(leave_here, sizeof x, &code);
    DO(plait_reduce(w.rt, "by a function", to, w.rank == 1 ? total : PLAIT_NOTHING, op, 1, NULL));
  }
  if (w.rank == 0) {
    DO(plait_recv(w.rt, "never sent", to, 1, 0, NULL));
    DO(plait_wait(w.rt));
  } else if (strcmp(how, "exits") == 0) {
    exit(0);
  } else if (strcmp(how, "aborts") == 0) {
    plait_abort(w.rt, "nothing but trouble");
  } else if (strcmp(how, "exits_in_a_task") == 0) {
    DO(plait_task(w.rt, "leaves", leave, code, plait_inout(&x, sizeof x)));
  } else if (strcmp(how, "exits_while_it_waits") == 0) {
    DO(plait_recv(w.rt, "never sent", to, 0, 0, NULL));
    DO(plait_wait_while(w.rt, leave, &code, NULL));
  } else if (strcmp(how, "returns_a_code") == 0) {
    code = 3;
    DO(plait_task(w.rt, "fails", fail, code, plait_inout(&x, sizeof x)));
    if (plait_wait(w.rt) == PLAIT_ERR_TASK) plait_abort(w.rt, plait_error_text());
  }
  DO(plait_wait(w.rt));
  support_end(&w);
  return 0;
}
