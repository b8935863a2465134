/* SPDX-License-Identifier: BSD-3-Clause */
/* The procedures of module plait: they read the descriptors of Fortran's arguments and call
 * plait.h. */
#include "descriptors.h"

#include <dlfcn.h>

_Thread_local char plait_fortran_own_text[plait_fortran_longest_text];

_Static_assert(sizeof(plait_options) == 56, "plait.F90 says so");

/* An access that is refused keeps the reason for the call that takes it: a function of Fortran's
 * has no code. */
static plait_access access_to(const CFI_cdesc_t* x, int mode) {
  plait_memory memory;
  const char* const why = memory_of(x, &memory);
  plait_access made = plait_access_of(memory, mode);
  if (why == NULL) return made;
  made.mode = refused_access;
  made.memory.begin = (void*)(uintptr_t)why;
  return made;
}
plait_access plait_fortran_in(const CFI_cdesc_t* x) {
  return access_to(x, PLAIT_IN);
}
plait_access plait_fortran_out(const CFI_cdesc_t* x) {
  return access_to(x, PLAIT_OUT);
}
plait_access plait_fortran_inout(const CFI_cdesc_t* x) {
  return access_to(x, PLAIT_INOUT);
}
plait_access plait_fortran_commutative(const CFI_cdesc_t* x) {
  return access_to(x, PLAIT_COMMUTATIVE);
}

/* --- start and end -------------------------------------------------------------------------------
 */

void plait_fortran_prepare(int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_prepare(), NULL, ierr);
}
void plait_fortran_init(const int* comm, plait_runtime** rt, const plait_options* options,
                        int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_init_f(*comm, options, rt), NULL, ierr);
}
void plait_fortran_finalize(plait_runtime** rt, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_finalize(rt), *rt, ierr);
}
void plait_fortran_abort(plait_runtime* const* rt, const CFI_cdesc_t* text) {
  struct name words;
  plait_abort(*rt, read_name(text, &words));
}
void plait_fortran_error_text(const CFI_cdesc_t* text) {
  const char* const words = last_text();
  const size_t length = strlen(words) < text->elem_len ? strlen(words) : text->elem_len;
  memset(text->base_addr, ' ', text->elem_len);
  memcpy(text->base_addr, words, length);
}
void plait_fortran_rank(plait_runtime* const* rt, int* rank, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_rank(*rt, rank), *rt, ierr);
}
void plait_fortran_size(plait_runtime* const* rt, int* size, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_size(*rt, size), *rt, ierr);
}
void plait_fortran_adopt(plait_runtime* const* rt, const int* comm, const CFI_cdesc_t* name,
                         plait_comm** made, int* ierr) {
  finish(plait_adopt_f(*rt, *comm, name_of(name), made), *rt, ierr);
}
void plait_fortran_split(plait_runtime* const* rt, const CFI_cdesc_t* name, const int* colour,
                         const int* key, plait_comm** made, plait_comm* const* whole, int* ierr) {
  plait_comm* const of = whole != NULL ? *whole : NULL;
  finish(plait_split(*rt, of, name_of(name), *colour, *key, made), *rt, ierr);
}

/* --- tasks --------------------------------------------------------------------------------------
 */

/* An internal procedure's address is that of code on the stack, which is gone when its host
 * returns. */
static int is_internal(int (*f)(void*)) {
  static _Thread_local int (*known[8])(void*);
  static _Thread_local unsigned next;
  for (unsigned i = 0; i < 8; ++i)
    if (known[i] == f) return 0;
  Dl_info found;
  void* address;
  memcpy(&address, &f, sizeof address);
  if (dladdr(address, &found) == 0) return 1;
  known[next++ % 8] = f;
  return 0;
}

/* Bytes of an argument that lies in one piece. */
static int take_argument(const CFI_cdesc_t* x, const char* name, plait_call* call) {
  plait_memory memory;
  const int code = take(x, name, &memory);
  if (code != PLAIT_SUCCESS) return code;
  for (int k = 0; k < PLAIT_AXES; ++k)
    if (memory.axes[k].rows != 1) return refuse("its argument does not lie in one piece", name);
  call->argument = memory.begin;
  call->argument_bytes = memory.row_bytes;
  return PLAIT_SUCCESS;
}

/* Submits a task with its name and one of its functions. */
static void submit(plait_runtime* rt, plait_call call, int is_inside, const CFI_cdesc_t* argument,
                   const CFI_cdesc_t* accesses, const int* priority, plait_event** event,
                   plait_resource* const* resource, int* ierr) {
  call.priority = priority != NULL ? *priority : PLAIT_PRIORITY_CHOSEN;
  call.event = event;
  call.resource = resource != NULL ? *resource : NULL;
  int code = take_argument(argument, call.name, &call);
  if (code == PLAIT_SUCCESS)
    code = take_accesses(accesses, call.name, &call.accesses, &call.access_count);
  if (code == PLAIT_SUCCESS && is_inside)
    code = refuse("its function is an internal procedure; write it in a module", call.name);
  if (code == PLAIT_SUCCESS) code = plait_submit(rt, &call);
  finish(code, rt, ierr);
}

void plait_fortran_task(plait_runtime* const* rt, const CFI_cdesc_t* name, int (*f)(void*),
                        const CFI_cdesc_t* argument, const CFI_cdesc_t* accesses,
                        const int* priority, plait_event** event, plait_resource* const* resource,
                        int* ierr) {
  plait_call call = PLAIT_CALL_INIT;
  call.name = name_of(name);
  call.run = f;
  submit(*rt, call, is_internal(f), argument, accesses, priority, event, resource, ierr);
}

void plait_fortran_task_held(plait_runtime* const* rt, const CFI_cdesc_t* name,
                             int (*f)(void*, plait_hold*), const CFI_cdesc_t* argument,
                             const CFI_cdesc_t* accesses, const int* priority, plait_event** event,
                             plait_resource* const* resource, int* ierr) {
  plait_call call = PLAIT_CALL_INIT;
  int (*address)(void*);
  memcpy(&address, &f, sizeof address);
  call.name = name_of(name);
  call.run_held = f;
  submit(*rt, call, is_internal(address), argument, accesses, priority, event, resource, ierr);
}

void plait_fortran_hold_release(plait_hold** one, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_hold_release(one), NULL, ierr);
}
void plait_fortran_hold_fail(plait_hold** one, const CFI_cdesc_t* why, int* ierr) {
  struct name text;
  plait_fortran_own_text[0] = '\0';
  finish(plait_hold_fail(one, read_name(why, &text)), NULL, ierr);
}
void plait_fortran_hold_another(plait_hold* const* one, plait_hold** made, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_hold_another(*one, made), NULL, ierr);
}
void plait_fortran_finish_with(plait_hold** until, const int* request, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_finish_with_f(until, *request), NULL, ierr);
}

void plait_fortran_make_resource(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                 const int* threads, plait_resource** made, int* ierr) {
  finish(plait_make_resource(*rt, name_of(name), *threads, made), *rt, ierr);
}

void plait_fortran_event_test(plait_event* const* event, int* done, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_event_test(*event, done), NULL, ierr);
}
void plait_fortran_event_free(plait_event** event, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_event_free(event), NULL, ierr);
}

void plait_fortran_event_wait(plait_event** event, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  const int code = plait_event_wait(*event);
  if (code != PLAIT_ERR_STATE) plait_event_free(event);
  finish(code, NULL, ierr);
}

/* --- messages ------------------------------------------------------------------------------------
 */

void plait_fortran_send(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                        const int* peer, const int* tag, plait_comm* const* among, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS) code = plait_send(*rt, named, memory, *peer, *tag, among_of(among));
  finish(code, *rt, ierr);
}

void plait_fortran_recv(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                        const int* peer, const int* tag, plait_comm* const* among, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS) code = plait_recv(*rt, named, memory, *peer, *tag, among_of(among));
  finish(code, *rt, ierr);
}

void plait_fortran_send_counted(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                const CFI_cdesc_t* x, const size_t* count, const int* peer,
                                const int* tag, plait_comm* const* among, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS) {
    code = plait_send_counted(*rt, named, memory, count, x->elem_len, *peer, *tag, among_of(among));
  }
  finish(code, *rt, ierr);
}

void plait_fortran_recv_counted(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                const CFI_cdesc_t* x, size_t* count, const int* peer,
                                const int* tag, plait_comm* const* among, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS) {
    code = plait_recv_counted(*rt, named, memory, count, x->elem_len, *peer, *tag, among_of(among));
  }
  finish(code, *rt, ierr);
}

/* --- collective operations
 * ------------------------------------------------------------------------- */

void plait_fortran_barrier(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                           plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, NULL, x, among);
  if (c.code == PLAIT_SUCCESS) c.code = plait_barrier(*rt, c.name, c.y, &c.how);
  finish(c.code, *rt, ierr);
}
void plait_fortran_bcast(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                         const int* root, plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, NULL, x, among);
  if (c.code == PLAIT_SUCCESS) c.code = plait_bcast(*rt, c.name, c.y, *root, &c.how);
  finish(c.code, *rt, ierr);
}
#define COMBINES(word)                                                                        \
  void plait_fortran_##word(plait_runtime* const* rt, const CFI_cdesc_t* name,                \
                            const CFI_cdesc_t* x, const CFI_cdesc_t* y, const int* operation, \
                            plait_comm* const* among, int* ierr) {                            \
    struct collective c = begin(name, x, y, among);                                           \
    const plait_operation op = combine(x, y, operation, &c);                                  \
    if (c.code == PLAIT_SUCCESS) c.code = plait_##word(*rt, c.name, c.x, c.y, op, &c.how);    \
    finish(c.code, *rt, ierr);                                                                \
  }
COMBINES(allreduce)
COMBINES(scan)
COMBINES(exscan)
COMBINES(reduce_scatter_block)
#define HAS_ROOT(word)                                                                        \
  void plait_fortran_##word(plait_runtime* const* rt, const CFI_cdesc_t* name,                \
                            const CFI_cdesc_t* x, const CFI_cdesc_t* y, const int* root,      \
                            plait_comm* const* among, int* ierr) {                            \
    struct collective c = begin(name, x, y, among);                                           \
    if (y == NULL) c.y = PLAIT_IN_PLACE;                                                      \
    if (c.code == PLAIT_SUCCESS) c.code = plait_##word(*rt, c.name, c.x, c.y, *root, &c.how); \
    finish(c.code, *rt, ierr);                                                                \
  }
HAS_ROOT(gather)
HAS_ROOT(scatter)
#define OF_ALL(word)                                                                              \
  void plait_fortran_##word(plait_runtime* const* rt, const CFI_cdesc_t* name,                    \
                            const CFI_cdesc_t* x, const CFI_cdesc_t* y, plait_comm* const* among, \
                            int* ierr) {                                                          \
    struct collective c = begin(name, x, y, among);                                               \
    if (c.code == PLAIT_SUCCESS) c.code = plait_##word(*rt, c.name, c.x, c.y, &c.how);            \
    finish(c.code, *rt, ierr);                                                                    \
  }
OF_ALL(allgather)
OF_ALL(alltoall)
void plait_fortran_allreduce_in_place(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                      const CFI_cdesc_t* x, const int* operation,
                                      plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, NULL, x, among);
  const plait_operation op = combine(x, NULL, operation, &c);
  if (c.code == PLAIT_SUCCESS) c.code = plait_allreduce(*rt, c.name, c.x, c.y, op, &c.how);
  finish(c.code, *rt, ierr);
}
void plait_fortran_reduce(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                          const CFI_cdesc_t* y, const int* operation, const int* root,
                          plait_comm* const* among, int* ierr) {
  struct collective c = begin(name, x, y, among);
  const plait_operation op = combine(x, y, operation, &c);
  if (c.code == PLAIT_SUCCESS) c.code = plait_reduce(*rt, c.name, c.x, c.y, op, *root, &c.how);
  finish(c.code, *rt, ierr);
}

/* --- windows -------------------------------------------------------------------------------------
 */

void plait_fortran_window_create(plait_runtime* const* rt, const CFI_cdesc_t* x,
                                 plait_window** made, int* ierr) {
  plait_call bytes = PLAIT_CALL_INIT;
  plait_fortran_own_text[0] = '\0';
  int code = take_argument(x, "a window", &bytes);
  if (code == PLAIT_SUCCESS)
    code = plait_window_create(*rt, x->base_addr, bytes.argument_bytes, NULL, made);
  finish(code, *rt, ierr);
}
void plait_fortran_window_allocate(plait_runtime* const* rt, const size_t* bytes, void** begin,
                                   plait_window** made, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_window_allocate(*rt, *bytes, NULL, begin, made), *rt, ierr);
}
void plait_fortran_window_bytes(plait_window* const* window, const int* rank, size_t* bytes,
                                int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_window_bytes(*window, *rank, bytes), NULL, ierr);
}
void plait_fortran_window_free(plait_window** window, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_window_free(window), NULL, ierr);
}
void plait_fortran_get(plait_runtime* const* rt, const CFI_cdesc_t* name,
                       plait_window* const* window, const int* target, const size_t* offset,
                       const CFI_cdesc_t* x, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS) code = plait_get(*rt, named, *window, *target, *offset, memory);
  finish(code, *rt, ierr);
}
void plait_fortran_put(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                       plait_window* const* window, const int* target, const size_t* offset,
                       const int* flag, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS) {
    code = flag == NULL ? plait_put(*rt, named, memory, *window, *target, *offset, 0)
                        : plait_put_signal(*rt, named, memory, *window, *target, *offset, *flag, 0);
  }
  finish(code, *rt, ierr);
}
void plait_fortran_await_signal(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                plait_window* const* window, const int* source, const int* flag,
                                const CFI_cdesc_t* x, int* ierr) {
  plait_memory memory;
  const char* const named = name_of(name);
  int code = take(x, named, &memory);
  if (code == PLAIT_SUCCESS)
    code = plait_await_signal(*rt, named, *window, *source, *flag, &memory, 1);
  finish(code, *rt, ierr);
}
void plait_fortran_signal(plait_runtime* const* rt, const CFI_cdesc_t* name,
                          plait_window* const* window, const int* target, const int* flag,
                          const CFI_cdesc_t* accesses, int* ierr) {
  const plait_access* all = NULL;
  size_t count = 0;
  const char* const named = name_of(name);
  int code = take_accesses(accesses, named, &all, &count);
  if (code == PLAIT_SUCCESS) code = plait_signal(*rt, named, *window, *target, *flag, all, count);
  finish(code, *rt, ierr);
}

/* --- arrays with ghosts
 * ---------------------------------------------------------------------------- */

/* Reads a number for each dimension of an array.  Says what is wrong; null if nothing. */
static const char* numbers_of(const CFI_cdesc_t* given, int count, int64_t* into, int from) {
  if (given->dim[0].extent != count)
    return "it needs a number for each dimension in first, cells, ghosts and periodic";
  for (int k = 0; k < count; ++k)
    into[k] = *(const int*)((const char*)given->base_addr + k * given->dim[0].sm) - from;
  return NULL;
}

/* Describes the whole array, and this rank's block of it.  Says what is wrong; null if nothing. */
static const char* describe(const CFI_cdesc_t* u, const CFI_cdesc_t* first,
                            const CFI_cdesc_t* cells, const CFI_cdesc_t* ghosts,
                            plait_array_block* block, plait_array* made) {
  plait_memory memory;
  const int axes = u->rank;
  if (axes < 1 || axes > PLAIT_AXES) return "it has another number of dimensions than 1 to 4";
  const char* why = numbers_of(cells, axes, made->cells, 0);
  if (why == NULL) why = numbers_of(ghosts, axes, made->ghosts, 0);
  if (why == NULL) why = numbers_of(first, axes, block->first, 1);
  if (why != NULL) return why;
  if (u->base_addr == NULL)
    return "it is not allocated; a rank without cells passes an array of size 0";
  int is_empty = 0;
  char* begin = u->base_addr;
  for (int k = 0; k < axes; ++k) {
    const int64_t extent = u->dim[k].extent;
    if (extent < 0) return memory_of(u, &memory);
    if (extent == 0) is_empty = 1;
    block->cells[k] = extent - 2 * made->ghosts[k];
    block->stride[k] = u->dim[k].sm;
    begin += made->ghosts[k] * u->dim[k].sm;
  }
  block->begin = begin;
  made->axes = axes;
  made->element_bytes = u->elem_len;
  made->blocks = block;
  made->block_count = is_empty ? 0 : 1;
  return NULL;
}

void plait_fortran_ghosts(plait_runtime* const* rt, const CFI_cdesc_t* name, const CFI_cdesc_t* u,
                          const CFI_cdesc_t* first, const CFI_cdesc_t* cells,
                          const CFI_cdesc_t* ghosts, plait_mover** mover,
                          const CFI_cdesc_t* periodic, const int* corners, const int* nearest,
                          const CFI_cdesc_t* value, int* ierr) {
  plait_array array = PLAIT_ARRAY_INIT;
  plait_array_block block = {{0}, {0}, {0}, NULL};
  plait_ghost_options options = PLAIT_GHOST_OPTIONS_INIT;
  int64_t turns[PLAIT_AXES] = {0};
  options.name = name_of(name);
  options.corners = corners != NULL && *corners != 0;
  if (nearest != NULL && *nearest != 0) options.boundary = PLAIT_BOUNDARY_NEAREST;
  const char* why = describe(u, first, cells, ghosts, &block, &array);
  if (why == NULL && periodic != NULL) why = numbers_of(periodic, u->rank, turns, 0);
  for (int k = 0; k < PLAIT_AXES; ++k) array.periodic[k] = turns[k] != 0;
  if (value != NULL) {
    options.boundary = PLAIT_BOUNDARY_VALUE;
    options.value = value->base_addr;
    if (why == NULL && value->elem_len != u->elem_len)
      why = "its value is of another size than its elements";
  }
  /* What is refused here is refused there too, so that no other rank waits for this one. */
  int code = plait_ghosts(*rt, why == NULL ? &array : NULL, &options, mover);
  if (why != NULL && code == PLAIT_ERR_USAGE) code = refuse(why, options.name);
  finish(code, *rt, ierr);
}

void plait_fortran_redistribution(plait_runtime* const* rt, const CFI_cdesc_t* name,
                                  const CFI_cdesc_t* cells, const CFI_cdesc_t* u,
                                  const CFI_cdesc_t* first_u, const CFI_cdesc_t* ghosts_u,
                                  const CFI_cdesc_t* v, const CFI_cdesc_t* first_v,
                                  const CFI_cdesc_t* ghosts_v, plait_mover** mover, int* ierr) {
  plait_array from = PLAIT_ARRAY_INIT, to = PLAIT_ARRAY_INIT;
  plait_array_block block_u = {{0}, {0}, {0}, NULL}, block_v = {{0}, {0}, {0}, NULL};
  const char* const named = name_of(name);
  const char* why = describe(u, first_u, cells, ghosts_u, &block_u, &from);
  if (why == NULL) why = describe(v, first_v, cells, ghosts_v, &block_v, &to);
  int code = plait_redistribution(*rt, why == NULL ? &from : NULL, &to, named, mover);
  if (why != NULL && code == PLAIT_ERR_USAGE) code = refuse(why, named);
  finish(code, *rt, ierr);
}

void plait_fortran_move(plait_runtime* const* rt, plait_mover* const* mover, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_move(*rt, *mover), *rt, ierr);
}
void plait_fortran_mover_free(plait_mover** mover, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_mover_free(mover), NULL, ierr);
}

/* --- waiting, graphs, MPI of the program's own, figures
 * ------------------------------------------------ */

#define OF_RUNTIME(word)                                           \
  void plait_fortran_##word(plait_runtime* const* rt, int* ierr) { \
    plait_fortran_own_text[0] = '\0';                              \
    finish(plait_##word(*rt), *rt, ierr);                          \
  }
OF_RUNTIME(wait)
OF_RUNTIME(record_begin)
OF_RUNTIME(mpi_begin)
OF_RUNTIME(mpi_end)
OF_RUNTIME(trace_start)
OF_RUNTIME(reset_ledger)

#define NUMBER_OF(word)                                                                     \
  void plait_fortran_##word(plait_runtime* const* rt, plait_comm* const* comm, int* number, \
                            int* ierr) {                                                    \
    plait_fortran_own_text[0] = '\0';                                                       \
    finish(plait_##word(*rt, *comm, number), *rt, ierr);                                    \
  }
NUMBER_OF(comm_rank)
NUMBER_OF(comm_size)

void plait_fortran_workers(plait_runtime* const* rt, int* workers, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_workers(*rt, workers), *rt, ierr);
}
void plait_fortran_get_policy(plait_runtime* const* rt, const CFI_cdesc_t* policy, int* ierr) {
  const char* name = "";
  plait_fortran_own_text[0] = '\0';
  const int code = plait_get_policy(*rt, &name, NULL);
  const size_t length = strlen(name) < policy->elem_len ? strlen(name) : policy->elem_len;
  memset(policy->base_addr, ' ', policy->elem_len);
  memcpy(policy->base_addr, name, length);
  finish(code, *rt, ierr);
}
_Static_assert(sizeof(plait_ledger) == 56, "plait.F90 says so");
void plait_fortran_get_ledger(plait_runtime* const* rt, const int* worker, plait_ledger* found,
                              int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_get_ledger(*rt, *worker, found), *rt, ierr);
}
void plait_fortran_progress_start(const double* interval_s, int* ierr) {
  plait_progress_options options = PLAIT_PROGRESS_OPTIONS_INIT;
  plait_fortran_own_text[0] = '\0';
  if (interval_s != NULL) options.interval_s = *interval_s;
  finish(plait_progress_start(&options), NULL, ierr);
}
void plait_fortran_progress_stop(int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_progress_stop(), NULL, ierr);
}

void plait_fortran_wait_on(plait_runtime* const* rt, const CFI_cdesc_t* x, int* ierr) {
  plait_memory memory;
  plait_fortran_own_text[0] = '\0';
  int code = take(x, "wait_on", &memory);
  if (code == PLAIT_SUCCESS) code = plait_wait_on(*rt, memory);
  finish(code, *rt, ierr);
}
void plait_fortran_record_end(plait_runtime* const* rt, plait_graph** graph, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_record_end(*rt, graph), *rt, ierr);
}
void plait_fortran_replay(plait_runtime* const* rt, plait_graph* const* graph,
                          const int* iterations, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  const int code = *iterations < 0 ? refuse("replay: a negative number of iterations", NULL)
                                   : plait_replay(*rt, *graph, (uint64_t)*iterations);
  finish(code, *rt, ierr);
}
void plait_fortran_graph_free(plait_graph** graph, int* ierr) {
  plait_fortran_own_text[0] = '\0';
  finish(plait_graph_free(graph), NULL, ierr);
}
void plait_fortran_trace_stop(plait_runtime* const* rt, const CFI_cdesc_t* file, int* ierr) {
  struct name text;
  plait_fortran_own_text[0] = '\0';
  finish(plait_trace_stop(*rt, read_name(file, &text)), *rt, ierr);
}
