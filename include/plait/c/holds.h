/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that something else finishes, of plait's C interface; plait/plait.h includes this.

   The function of such a task begins what ends by itself later, and returns at once.  It gets a
   hold, and keeps it or hands it on.  The task is finished when its function has returned, the
   tasks that it has submitted are finished, and all its holds are released or failed, each once.
   That is due where the function returns another value than 0, too.  No hold is dropped: a task
   whose hold is forgotten is held for ever, and the report of a standstill names it.

   Any thread calls these functions, one at a time for a hold.  They set the pointer to null. */
#ifndef PLAIT_C_HOLDS_H
#define PLAIT_C_HOLDS_H

#include <plait/plait.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lets the task go.  Never waits, so that a callback of any library may call it. */
int plait_hold_release(plait_hold** one);
/* Lets the task go as one that has failed: `plait_wait` returns PLAIT_ERR_TASK with this text. */
int plait_hold_fail(plait_hold** one, const char* why);
/* Makes one more hold of the task. */
int plait_hold_another(const plait_hold* one, plait_hold** made);
#ifndef PLAIT_WITHOUT_MPI_H
/* Releases the hold when the request has completed, and fails it where MPI reports an error.
   Returns at once.  The request, of a message, a collective or a file, is plait's from now on.  Not
   between plait_mpi_begin and plait_mpi_end. */
int plait_finish_with(plait_hold** until, MPI_Request request);
#endif
/* The same for a handle of Fortran's `use mpi`, or `request%mpi_val` of mpi_f08. */
int plait_finish_with_f(plait_hold** until, int request);

/* plait_task_held(rt, "name", function, argument, accesses...): as `plait_task`, of a function
   int f(void* argument, plait_hold* until). */
#define plait_task_held(rt, name, function, argument, ...)                       \
  plait_submit_copy((rt), "" name, 0, (function), &(argument), sizeof(argument), \
                    (const plait_access[]){__VA_ARGS__},                         \
                    sizeof((const plait_access[]){__VA_ARGS__}) / sizeof(plait_access))

#ifdef __cplusplus
}
#endif

#endif
