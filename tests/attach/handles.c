// SPDX-License-Identifier: BSD-3-Clause
// Correct programs whose requests are easily taken for one another: handles CASE.  No buffer is
// changed before the program has learned that its send is complete.  Each case prints what it
// received.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 200, threads = 4 };

static int me, ranks, left, right;
static long sum;

static void add(long value) {
  sum = sum * 31 + value;
}

static void receive_two(int* x, int* y, MPI_Request* requests) {
  MPI_Irecv(x, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(y, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
}

/// Two short sends, waited for in either order.
static void two_sends(void) {
  for (int i = 0; i < rounds; ++i) {
    int out[2] = {i, -i}, in[2];
    MPI_Request got[2], sent[2];
    receive_two(&in[0], &in[1], got);
    for (int k = 0; k < 2; ++k)
      MPI_Isend(&out[k], 1, MPI_INT, right, k + 1, MPI_COMM_WORLD, &sent[k]);
    for (int k = 0; k < 2; ++k) {
      const int which = (i + k) % 2;
      MPI_Wait(&sent[which], MPI_STATUS_IGNORE);
      out[which] = 77;
    }
    MPI_Waitall(2, got, MPI_STATUSES_IGNORE);
    add(in[0]), add(in[1]);
  }
}

/// Sends that are tested, asked about, cancelled in vain and given up.
static void asked(void) {
  for (int i = 0; i < rounds; ++i) {
    int out[4], in[4], done = 0, place, several[4];
    MPI_Request got[4], sent[4], persistent;
    MPI_Status status;
    for (int k = 0; k < 4; ++k) {
      out[k] = 10 * i + k;
      MPI_Irecv(&in[k], 1, MPI_INT, left, k, MPI_COMM_WORLD, &got[k]);
    }
    for (int k = 0; k < 4; ++k) MPI_Isend(&out[k], 1, MPI_INT, right, k, MPI_COMM_WORLD, &sent[k]);
    while (!done) MPI_Request_get_status(sent[2], &done, MPI_STATUS_IGNORE);
    out[2] = -1;
    for (done = 0; !done;) MPI_Testany(2, sent + 2, &place, &done, &status);
    out[2 + place] = -2;
    for (done = 0; done < 1;) MPI_Testsome(2, sent, &done, several, MPI_STATUSES_IGNORE);
    for (int k = 0; k < done; ++k) out[several[k]] = -3;
    MPI_Waitall(4, sent, MPI_STATUSES_IGNORE);
    memset(out, 7, sizeof out);
    MPI_Waitall(4, got, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 4; ++k) add(in[k]);
    MPI_Send_init(&out[0], 1, MPI_INT, right, 9, MPI_COMM_WORLD, &persistent);
    out[0] = i;
    MPI_Request_get_status(persistent, &done, MPI_STATUS_IGNORE);
    MPI_Start(&persistent);
    MPI_Recv(&in[0], 1, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    out[0] = -5;
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
    add(in[0]);
    MPI_Isend(&out[1], 1, MPI_INT, right, 10, MPI_COMM_WORLD, &sent[0]);
    MPI_Isend(&out[1], 1, MPI_INT, MPI_PROC_NULL, 10, MPI_COMM_WORLD, &sent[1]);
    MPI_Request_free(&sent[0]);
    MPI_Cancel(&sent[1]);
    MPI_Wait(&sent[1], &status);
    MPI_Recv(&in[0], 1, MPI_INT, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add(in[0]);
    MPI_Barrier(MPI_COMM_WORLD);  // the send that was given up is received, too
  }
}

/// Datatypes and communicators that are freed while messages with them are under way, and a
/// datatype with gaps that the program may write.
static void freed(void) {
  for (int i = 0; i < rounds; ++i) {
    int out[4] = {i, i + 1, i + 2, i + 3}, in[4] = {0, 0, 0, 0};
    const int lengths[3] = {1, 1, 1}, places[3] = {0, 0, 2};
    MPI_Datatype gaps, pair;
    MPI_Comm comm;
    MPI_Request requests[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_indexed(3, lengths, places, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(in, 3, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[0]);
    MPI_Issend(out, 1, gaps, right, 1, comm, &requests[1]);
    MPI_Isend(out + 2, 1, pair, right, 2, comm, &requests[2]);
    MPI_Type_free(&gaps);
    MPI_Type_free(&pair);
    out[1] = 99;
    MPI_Recv(in + 3, 1, MPI_INT, MPI_PROC_NULL, 2, comm, MPI_STATUS_IGNORE);
    int two[2];
    MPI_Recv(two, 2, MPI_INT, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    add(in[0]), add(in[1]), add(in[2]), add(two[0]), add(two[1]);
  }
}

/// Every thread has buffers of its own, on its stack.
static void* exchange(void* number) {
  const int tag = 100 + (int)(long)number;
  for (int i = 0; i < rounds / 2; ++i) {
    int out = 8 * i + tag, more = -out, in[2] = {-1, -1}, done = 0, place;
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&more, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[3]);
    if (i % 2) MPI_Testany(4, requests, &place, &done, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (in[0] != 8 * i + tag || in[1] != -in[0]) printf("wrong\n");
    out = more = 0;
  }
  return NULL;
}
static void with_threads(void) {
  pthread_t other[threads];
  for (long t = 0; t < threads; ++t) pthread_create(&other[t], NULL, exchange, (void*)t);
  for (int t = 0; t < threads; ++t) pthread_join(other[t], NULL);
}

/// A wait that fails: one receive of four is too short.
static void failing(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < rounds; ++i) {
    int out[3] = {i, i + 1, i + 2}, in[3];
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, 2, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, statuses);
    for (int k = 0; k < 3; ++k)
      if (requests[k] != MPI_REQUEST_NULL) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    out[0] = out[1] = 0;
    add(in[1]);
  }
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const int multiple = strcmp(name, "with_threads") == 0;
  int level;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
  if (strcmp(name, "two_sends") == 0) two_sends();
  if (strcmp(name, "asked") == 0) asked();
  if (strcmp(name, "freed") == 0) freed();
  if (strcmp(name, "failing") == 0) failing();
  if (multiple) with_threads();
  printf("%s of rank %d: %ld\n", name, me, sum);
  MPI_Finalize();
  return 0;
}
