/* SPDX-License-Identifier: BSD-3-Clause */
/* The procedures of module plait: they read the descriptors of Fortran's arguments and call
 * plait.h. */
#define _GNU_SOURCE /* dladdr */
#include <ISO_Fortran_binding.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define PLAIT_WITHOUT_MPI_H
#include <plait/plait.h>

enum { longest_name = 127, refused_access = 255 };

_Static_assert(sizeof(plait_options) == 56, "plait.F90 says so");

/* The sentence of a refusal of this file's own; empty where the last one was the library's. */
static _Thread_local char own_text[512];

static int refuse(const char* why, const char* of) {
  snprintf(own_text, sizeof own_text, "%s%s%s%s", of ? "'" : "", of ? of : "", of ? "': " : "",
           why);
  return PLAIT_ERR_USAGE;
}

static const char* last_text(void) {
  return own_text[0] != '\0' ? own_text : plait_error_text();
}

/* Hands the code over; without `ierr` an error ends the job. */
static void finish(int code, plait_runtime* rt, int* ierr) {
  if (ierr != NULL) {
    *ierr = code;
  } else if (code != PLAIT_SUCCESS) {
    plait_abort(rt, last_text());
  }
}

/* A name as C has it, without the blanks at its end. */
struct name {
  char text[longest_name + 1];
};
static const char* read_name(const CFI_cdesc_t* given, struct name* into) {
  size_t length = given->elem_len < longest_name ? given->elem_len : longest_name;
  memcpy(into->text, given->base_addr, length);
  while (length > 0 && into->text[length - 1] == ' ') --length;
  into->text[length] = '\0';
  return into->text;
}
/* A name that lives as long as the program. */
static const char* name_of(const CFI_cdesc_t* given) {
  struct name text;
  own_text[0] = '\0';
  return plait_intern(read_name(given, &text));
}

/* --- memory -------------------------------------------------------------------------------------
 */

/* Says why a variable is no memory; null if it is. */
static const char* memory_of(const CFI_cdesc_t* x, plait_memory* made) {
  *made = plait_bytes(x->base_addr, x->elem_len);
  int axes = 0;
  /* Its extents are whatever was there. */
  if (x->base_addr == NULL) return "it is not allocated, or a pointer that is not associated";
  for (int k = 0; k < x->rank; ++k) {
    const int64_t extent = x->dim[k].extent;
    if (extent < 0)
      return "its last extent is not known here, since it is x(*) in this procedure: pass x(1:n)";
    if (extent == 0) made->row_bytes = 0;
  }
  if (made->row_bytes == 0) return NULL;
  for (int k = 0; k < x->rank; ++k) {
    const int64_t extent = x->dim[k].extent, stride = x->dim[k].sm;
    if (extent == 1) continue;
    if (axes == 0 && stride == (int64_t)made->row_bytes) {
      made->row_bytes *= (size_t)extent;
    } else if (axes > 0 && stride == made->axes[axes - 1].rows * made->axes[axes - 1].stride) {
      made->axes[axes - 1].rows *= extent;
    } else if (axes == PLAIT_AXES) {
      return "more than four of its dimensions lie apart";
    } else {
      made->axes[axes].rows = extent;
      made->axes[axes++].stride = stride;
    }
  }
  return NULL;
}

static int take(const CFI_cdesc_t* x, const char* name, plait_memory* made) {
  const char* const why = memory_of(x, made);
  return why == NULL ? PLAIT_SUCCESS : refuse(why, name);
}

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

/* Accesses side by side in memory, as an array constructor has them. */
static int take_accesses(const CFI_cdesc_t* given, const char* name, const plait_access** all,
                         size_t* count) {
  *count = (size_t)(given->dim[0].extent > 0 ? given->dim[0].extent : 0);
  *all = given->base_addr;
  if (*count > 1 && given->dim[0].sm != (CFI_index_t)sizeof(plait_access))
    return refuse("its accesses do not lie side by side", name);
  for (size_t i = 0; i < *count; ++i)
    if ((*all)[i].mode == refused_access) return refuse((*all)[i].memory.begin, name);
  return PLAIT_SUCCESS;
}

/* --- start and end -------------------------------------------------------------------------------
 */

void plait_fortran_prepare(int* ierr) {
  own_text[0] = '\0';
  finish(plait_prepare(), NULL, ierr);
}
void plait_fortran_init(const int* comm, plait_runtime** rt, const plait_options* options,
                        int* ierr) {
  own_text[0] = '\0';
  finish(plait_init_f(*comm, options, rt), NULL, ierr);
}
void plait_fortran_finalize(plait_runtime** rt, int* ierr) {
  own_text[0] = '\0';
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
  own_text[0] = '\0';
  finish(plait_rank(*rt, rank), *rt, ierr);
}
void plait_fortran_size(plait_runtime* const* rt, int* size, int* ierr) {
  own_text[0] = '\0';
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

void plait_fortran_task(plait_runtime* const* rt, const CFI_cdesc_t* name, int (*f)(void*),
                        const CFI_cdesc_t* argument, const CFI_cdesc_t* accesses,
                        const int* priority, plait_event** event, int* ierr) {
  plait_call call = PLAIT_CALL_INIT;
  call.name = name_of(name);
  call.run = f;
  call.priority = priority != NULL ? *priority : PLAIT_PRIORITY_CHOSEN;
  call.event = event;
  int code = take_argument(argument, call.name, &call);
  if (code == PLAIT_SUCCESS)
    code = take_accesses(accesses, call.name, &call.accesses, &call.access_count);
  if (code == PLAIT_SUCCESS && is_internal(f))
    code = refuse("its function is an internal procedure; write it in a module", call.name);
  if (code == PLAIT_SUCCESS) code = plait_submit(*rt, &call);
  finish(code, *rt, ierr);
}

void plait_fortran_event_wait(plait_event** event, int* ierr) {
  own_text[0] = '\0';
  const int code = plait_event_wait(*event);
  if (code != PLAIT_ERR_STATE) plait_event_free(event);
  finish(code, NULL, ierr);
}

/* --- messages ------------------------------------------------------------------------------------
 */

static plait_comm* among_of(plait_comm* const* among) {
  return among != NULL ? *among : NULL;
}

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

/* --- collective operations
 * ------------------------------------------------------------------------- */

static int is_one_of(CFI_type_t type, size_t bytes, CFI_type_t a, size_t of_a) {
  return type == a && bytes == of_a;
}

/* The type of the elements, or 0. */
static int type_of(const CFI_cdesc_t* x) {
  const size_t bytes = x->elem_len;
  const CFI_type_t type = x->type;
  if (is_one_of(type, bytes, CFI_type_double, 8)) return PLAIT_DOUBLE;
  if (is_one_of(type, bytes, CFI_type_float, 4)) return PLAIT_FLOAT;
  if (is_one_of(type, bytes, CFI_type_int32_t, 4)) return PLAIT_INT32;
  if (is_one_of(type, bytes, CFI_type_int64_t, 8)) return PLAIT_INT64;
  if (is_one_of(type, bytes, CFI_type_int16_t, 2)) return PLAIT_INT16;
  if (is_one_of(type, bytes, CFI_type_int8_t, 1)) return PLAIT_INT8;
  if (is_one_of(type, bytes, CFI_type_float_Complex, 8)) return PLAIT_FLOAT_COMPLEX;
  if (is_one_of(type, bytes, CFI_type_double_Complex, 16)) return PLAIT_DOUBLE_COMPLEX;
  return 0;
}

/* What all calls of this kind have read of their arguments. */
struct collective {
  const char* name;
  plait_memory x, y;
  plait_collective how;
  int code;
};
static struct collective begin(const CFI_cdesc_t* name, const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                               plait_comm* const* among) {
  struct collective c = {name_of(name), PLAIT_IN_PLACE, PLAIT_NOTHING, PLAIT_COLLECTIVE_INIT,
                         PLAIT_SUCCESS};
  c.how.among = among_of(among);
  if (x != NULL) c.code = take(x, c.name, &c.x);
  if (c.code == PLAIT_SUCCESS && y != NULL) c.code = take(y, c.name, &c.y);
  return c;
}
static plait_operation combine(const CFI_cdesc_t* x, const CFI_cdesc_t* y, const int* operation,
                               struct collective* c) {
  const int type = type_of(x);
  if (type == 0) c->code = refuse("its elements are of no type that is added or compared", c->name);
  if (y != NULL && type_of(y) != type) c->code = refuse("its variables are of two types", c->name);
  return plait_combined(*operation, type);
}

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
#define HAS_ROOT(word)                                                                        \
  void plait_fortran_##word(plait_runtime* const* rt, const CFI_cdesc_t* name,                \
                            const CFI_cdesc_t* x, const CFI_cdesc_t* y, const int* root,      \
                            plait_comm* const* among, int* ierr) {                            \
    struct collective c = begin(name, x, y, among);                                           \
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
  own_text[0] = '\0';
  int code = take_argument(x, "a window", &bytes);
  if (code == PLAIT_SUCCESS)
    code = plait_window_create(*rt, x->base_addr, bytes.argument_bytes, NULL, made);
  finish(code, *rt, ierr);
}
void plait_fortran_window_free(plait_window** window, int* ierr) {
  own_text[0] = '\0';
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
  own_text[0] = '\0';
  finish(plait_move(*rt, *mover), *rt, ierr);
}
void plait_fortran_mover_free(plait_mover** mover, int* ierr) {
  own_text[0] = '\0';
  finish(plait_mover_free(mover), NULL, ierr);
}

/* --- waiting, graphs, MPI of the program's own, figures
 * ------------------------------------------------ */

#define OF_RUNTIME(word)                                           \
  void plait_fortran_##word(plait_runtime* const* rt, int* ierr) { \
    own_text[0] = '\0';                                            \
    finish(plait_##word(*rt), *rt, ierr);                          \
  }
OF_RUNTIME(wait)
OF_RUNTIME(record_begin)
OF_RUNTIME(mpi_begin)
OF_RUNTIME(mpi_end)
OF_RUNTIME(trace_start)

void plait_fortran_wait_on(plait_runtime* const* rt, const CFI_cdesc_t* x, int* ierr) {
  plait_memory memory;
  own_text[0] = '\0';
  int code = take(x, "wait_on", &memory);
  if (code == PLAIT_SUCCESS) code = plait_wait_on(*rt, memory);
  finish(code, *rt, ierr);
}
void plait_fortran_record_end(plait_runtime* const* rt, plait_graph** graph, int* ierr) {
  own_text[0] = '\0';
  finish(plait_record_end(*rt, graph), *rt, ierr);
}
void plait_fortran_replay(plait_runtime* const* rt, plait_graph* const* graph,
                          const int* iterations, int* ierr) {
  own_text[0] = '\0';
  const int code = *iterations < 0 ? refuse("replay: a negative number of iterations", NULL)
                                   : plait_replay(*rt, *graph, (uint64_t)*iterations);
  finish(code, *rt, ierr);
}
void plait_fortran_graph_free(plait_graph** graph, int* ierr) {
  own_text[0] = '\0';
  finish(plait_graph_free(graph), NULL, ierr);
}
void plait_fortran_trace_stop(plait_runtime* const* rt, const CFI_cdesc_t* file, int* ierr) {
  struct name text;
  own_text[0] = '\0';
  finish(plait_trace_stop(*rt, read_name(file, &text)), *rt, ierr);
}
