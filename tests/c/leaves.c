/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 leaves while rank 0 waits for a message of its.

   leaves exits|aborts|exits_in_a_task */
#include "support.h"

static int leave(void* argument) {
  exit(*(int*)argument);
}

int main(int argc, char** argv) {
  struct world w = support_begin(argc, argv, MPI_THREAD_SERIALIZED, NULL);
  double x = 0;
  int code = 0;
  if (w.rank == 1) {
    if (strcmp(argv[1], "exits") == 0) exit(0);
    if (strcmp(argv[1], "aborts") == 0) plait_abort(w.rt, "nothing but trouble");
    DO(plait_task(w.rt, "leaves", leave, code, plait_inout(&x, sizeof x)));
  } else {
    DO(plait_recv(w.rt, "never sent", plait_bytes(&x, sizeof x), 1, 0, NULL));
  }
  DO(plait_wait(w.rt));
  support_end(&w);
  return 0;
}
