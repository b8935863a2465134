// SPDX-License-Identifier: BSD-3-Clause
// Waits whose causes are known: truth CASE.  Every rank notes on the machine's one clock when it
// enters and leaves the calls that wait, and rank 0 prints the sums, in seconds:
// late_sender, late_receiver and collective from the entries of both sides, computing and calling
// from the times between; and what both sides were in regions.
#include <mpi.h>
#include <plait/region.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 12, large = 1 << 18 };

static double entered[rounds], left[rounds], posted[rounds];
static double in_step, in_computation;
static char buffer[large], other[large];
static int me;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds) {
  for (const double end = now() + seconds; now() < end;) {}
}

/// Lets the ranks begin a round together, so that a case is late by its own doing only.
static void together(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void late_sender(int round) {
  if (me == 0) {
    posted[round] = entered[round] = now();
    MPI_Recv(buffer, 64, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    left[round] = now();
  } else {
    compute(0.02);
    entered[round] = posted[round] = now();
    MPI_Send(buffer, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    left[round] = now();
  }
}

static void late_sender_at_a_wait(int round) {
  MPI_Request request;
  if (me == 0) {
    posted[round] = now();
    MPI_Irecv(buffer, 64, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    compute(0.005);
    entered[round] = now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    left[round] = now();
  } else {
    compute(0.02);
    entered[round] = posted[round] = now();
    MPI_Send(buffer, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    left[round] = now();
  }
}

static void late_receiver(int round) {
  if (me == 0) {
    compute(0.02);
    entered[round] = posted[round] = now();
    MPI_Recv(buffer, large, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    left[round] = now();
  } else {
    entered[round] = posted[round] = now();
    MPI_Ssend(buffer, large, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    left[round] = now();
  }
}

static void imbalance(int round) {
  int one = 1, sum;
  compute(0.01 * (1 + me));
  entered[round] = posted[round] = now();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  left[round] = now();
}

/// Nobody is late: all that the wait takes could be hidden.
static void overlappable(int round) {
  MPI_Request requests[2];
  posted[round] = now();
  MPI_Irecv(other, large, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(buffer, large, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD, &requests[1]);
  compute(0.01);
  entered[round] = now();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  left[round] = now();
}

/// A region of computation and one of communication in a third, uneven between ranks.
static void regions(int round) {
  const double begin = now();
  plait_region_begin("step");
  const double computes = now();
  plait_region_begin("computation");
  compute(0.003 * (1 + me));
  plait_region_end("computation");
  in_computation += now() - computes;
  plait_region_begin("exchange");
  entered[round] = posted[round] = now();
  MPI_Sendrecv(buffer, 4096, MPI_CHAR, 1 - me, 1, other, 4096, MPI_CHAR, 1 - me, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  left[round] = now();
  plait_region_end("exchange");
  compute(0.001);
  plait_region_end("step");
  in_step += now() - begin;
}

static const struct {
  const char* name;
  void (*run)(int);
} cases[] = {{"late_sender", late_sender},
             {"late_sender_at_a_wait", late_sender_at_a_wait},
             {"late_receiver", late_receiver},
             {"imbalance", imbalance},
             {"overlappable", overlappable},
             {"regions", regions}};

static double clamp(double value, double most) {
  return value < 0 ? 0 : value > most ? most : value;
}

/// Prints what the waits of the waiting side were for, by the times of both sides.
static void tell(const double* theirs) {
  double on_0 = 0, on_1 = 0, inside = 0;
  for (int i = 0; i < rounds; ++i) {
    const double e1 = theirs[i], l1 = theirs[rounds + i], p1 = theirs[2 * rounds + i];
    on_0 += clamp(p1 - entered[i], left[i] - entered[i]);
    on_1 += clamp(posted[i] - e1, l1 - e1);
    inside += left[i] - entered[i] + l1 - e1;
  }
  printf("truth rank_0_waits_for_post %.9f\n", on_0);
  printf("truth rank_1_waits_for_post %.9f\n", on_1);
  printf("truth inside %.9f\n", inside);
  printf("truth step %.9f\n", in_step + theirs[3 * rounds]);
  printf("truth computation %.9f\n", in_computation + theirs[3 * rounds + 1]);
}

int main(int argc, char** argv) {
  enum { figures = 3 * rounds + 2 };
  double theirs[figures] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const double begin = now();
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    if (argc != 2 || strcmp(cases[i].name, argv[1]) != 0) continue;
    for (int round = 0; round < rounds; ++round) {
      together();
      cases[i].run(round);
    }
  }
  if (me == 1) {
    memcpy(theirs, entered, sizeof entered);
    memcpy(theirs + rounds, left, sizeof left);
    memcpy(theirs + 2 * rounds, posted, sizeof posted);
    theirs[3 * rounds] = in_step;
    theirs[3 * rounds + 1] = in_computation;
    MPI_Send(theirs, figures, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv(theirs, figures, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tell(theirs);
    printf("truth run %.9f\n", now() - begin);
  }
  MPI_Finalize();
  return 0;
}
