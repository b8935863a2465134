// SPDX-License-Identifier: BSD-3-Clause
// Ways to end, and what else a program does with processes and signals: ends HOW.
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t alarms;

/// Prints a line in one write, which no other rank's comes into; puts takes two.
static void say(const char* line) { fputs(line, stdout); }

static void on_signal(int number) { alarms += number == SIGUSR1; }

static void exchange(int me, int times) {
  char out = 1, in;
  for (int i = 0; i < times; ++i)
    MPI_Sendrecv(&out, 1, MPI_CHAR, 1 - me, 1, &in, 1, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static jmp_buf before_error;

static void on_error(MPI_Comm* where, int* code, ...) { longjmp(before_error, 1); }

/// Leaves a call of MPI from the program's own error handler.
static void jump_out_of_an_error(void) {
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(on_error, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  if (setjmp(before_error) == 0) MPI_Send(&own, 1, MPI_CHAR, 12345, 1, MPI_COMM_WORLD);
  MPI_Errhandler_free(&own);
}

/// A child that lives on in the program, one that becomes another program, and what they say.
static void have_children(int me) {
  fflush(stdout);
  for (int kind = 0; kind < 2; ++kind) {
    const pid_t child = fork();
    if (child == 0 && kind == 0) {
      printf("rank %d: child\n", me);
      exit(3);
    }
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "echo preloaded: \"$LD_PRELOAD\"; exit 4", (char*)NULL);
      _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3 + kind)
      printf("rank %d: child %d ended with %d\n", me, kind, status);
  }
}

int main(int argc, char** argv) {
  int me;
  const char* how = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IOLBF, 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  exchange(me, 1000);
  if (me == 0) say("half way\n");
  if (strcmp(how, "fork") == 0) have_children(me);
  if (strcmp(how, "jump") == 0) jump_out_of_an_error();
  if (strcmp(how, "signal") == 0) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 100; ++i) {
      raise(SIGUSR1);
      exchange(me, 1);
    }
    if (alarms != 100) printf("rank %d: %d signals\n", me, (int)alarms);
  }
  if (strcmp(how, "abort") == 0 && me == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(how, "kill") == 0 && me == 1) kill(getpid(), SIGKILL);
  if (strcmp(how, "crash") == 0 && me == 1) *(volatile int*)16 = 1;
  if (strcmp(how, "exit") == 0 && me == 1) exit(7);
  exchange(me, 500);
  MPI_Finalize();
  if (me == 0) say("finalized\n");
  return strcmp(how, "code") == 0 ? 5 : 0;
}
