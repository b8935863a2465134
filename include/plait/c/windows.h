/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that other ranks read and write, of plait's C interface; plait/plait.h includes this. */
#ifndef PLAIT_C_WINDOWS_H
#define PLAIT_C_WINDOWS_H

#include <plait/plait.h>

#ifdef __cplusplus
extern "C" {
#endif

enum plait_carrier { PLAIT_ON_MESSAGES = 0, PLAIT_ON_RMA = 1, PLAIT_ON_CHOSEN = 2 };

typedef struct plait_window_options {
  size_t struct_size;
  int flags;   /* that each rank has for each other one's signals; 0: 16 */
  int carrier; /* enum plait_carrier; equal on all ranks */
} plait_window_options;
#define PLAIT_WINDOW_OPTIONS_INIT \
  { sizeof(plait_window_options), 0, 0 }

/* Opens memory of this rank, or memory that plait finds (all bytes 0), to all ranks of the runtime.
   Sizes may differ.  Collective; `options` may be null. */
int plait_window_create(plait_runtime* rt, void* begin, size_t bytes,
                        const plait_window_options* options, plait_window** made);
int plait_window_allocate(plait_runtime* rt, size_t bytes, const plait_window_options* options,
                          void** begin, plait_window** made);
/* Waits as `plait_wait`, and for the other ranks; sets the pointer to null.  Collective. */
int plait_window_free(plait_window** one);
/* Writes the size of a rank's part. */
int plait_window_bytes(plait_window* one, int rank, size_t* bytes);

/* What is copied is a range; `offset` is in bytes, in the target's part. */
int plait_get(plait_runtime* rt, const char* name, plait_window* from, int target, size_t offset,
              plait_memory to);
#define PLAIT_SOURCE_IS_FREE_EARLY 1u /* flag: tasks may write `from` when it has left */
int plait_put(plait_runtime* rt, const char* name, plait_memory from, plait_window* to, int target,
              size_t offset, unsigned flags);
/* Raises the target's flag when the data is there. */
int plait_put_signal(plait_runtime* rt, const char* name, plait_memory from, plait_window* to,
                     int target, size_t offset, int flag, unsigned options);
/* Raises the flag when this rank's earlier tasks that conflict with the accesses have finished. */
int plait_signal(plait_runtime* rt, const char* name, plait_window* at, int target, int flag,
                 const plait_access* accesses, size_t access_count);
/* Finishes when the signal has come; later tasks that touch `covers` wait for it. */
int plait_await_signal(plait_runtime* rt, const char* name, plait_window* at, int source, int flag,
                       const plait_memory* covers, size_t cover_count);

#ifdef __cplusplus
}
#endif

#endif
