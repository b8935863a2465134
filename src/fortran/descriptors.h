/* SPDX-License-Identifier: BSD-3-Clause */
/* How the procedures of module plait read Fortran's descriptors, say what is wrong and end. */
#ifndef PLAIT_FORTRAN_DESCRIPTORS_H
#define PLAIT_FORTRAN_DESCRIPTORS_H

#define _GNU_SOURCE /* dladdr */
#include <ISO_Fortran_binding.h>
#include <stdio.h>
#include <string.h>

#define PLAIT_WITHOUT_MPI_H
#include <plait/plait.h>

enum { longest_name = 127, refused_access = 255, plait_fortran_longest_text = 512 };

/* The sentence of a refusal of the module's own; empty where the last one was the library's. */
extern _Thread_local char plait_fortran_own_text[plait_fortran_longest_text];

static inline int refuse(const char* why, const char* of) {
  snprintf(plait_fortran_own_text, sizeof plait_fortran_own_text, "%s%s%s%s", of ? "'" : "",
           of ? of : "", of ? "': " : "", why);
  return PLAIT_ERR_USAGE;
}

static inline const char* last_text(void) {
  return plait_fortran_own_text[0] != '\0' ? plait_fortran_own_text : plait_error_text();
}

/* Hands the code over; without `ierr` an error ends the job. */
static inline void finish(int code, plait_runtime* rt, int* ierr) {
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
static inline const char* read_name(const CFI_cdesc_t* given, struct name* into) {
  size_t length = given->elem_len < longest_name ? given->elem_len : longest_name;
  memcpy(into->text, given->base_addr, length);
  while (length > 0 && into->text[length - 1] == ' ') --length;
  into->text[length] = '\0';
  return into->text;
}
/* A name that lives as long as the program. */
static inline const char* name_of(const CFI_cdesc_t* given) {
  struct name text;
  plait_fortran_own_text[0] = '\0';
  return plait_intern(read_name(given, &text));
}

/* --- memory -------------------------------------------------------------------------------------
 */

/* Says why a variable is no memory; null if it is. */
static inline const char* memory_of(const CFI_cdesc_t* x, plait_memory* made) {
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

static inline int take(const CFI_cdesc_t* x, const char* name, plait_memory* made) {
  const char* const why = memory_of(x, made);
  return why == NULL ? PLAIT_SUCCESS : refuse(why, name);
}

/* Accesses side by side in memory, as an array constructor has them. */
static inline int take_accesses(const CFI_cdesc_t* given, const char* name,
                                const plait_access** all, size_t* count) {
  *count = (size_t)(given->dim[0].extent > 0 ? given->dim[0].extent : 0);
  *all = given->base_addr;
  if (*count > 1 && given->dim[0].sm != (CFI_index_t)sizeof(plait_access))
    return refuse("its accesses do not lie side by side", name);
  for (size_t i = 0; i < *count; ++i)
    if ((*all)[i].mode == refused_access) return refuse((*all)[i].memory.begin, name);
  return PLAIT_SUCCESS;
}

static inline plait_comm* among_of(plait_comm* const* among) {
  return among != NULL ? *among : NULL;
}

static inline int is_one_of(CFI_type_t type, size_t bytes, CFI_type_t a, size_t of_a) {
  return type == a && bytes == of_a;
}

/* The type of the elements, or 0. */
static inline int type_of(const CFI_cdesc_t* x) {
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
static inline struct collective begin(const CFI_cdesc_t* name, const CFI_cdesc_t* x,
                                      const CFI_cdesc_t* y, plait_comm* const* among) {
  struct collective c = {name_of(name), PLAIT_IN_PLACE, PLAIT_NOTHING, PLAIT_COLLECTIVE_INIT,
                         PLAIT_SUCCESS};
  c.how.among = among_of(among);
  if (x != NULL) c.code = take(x, c.name, &c.x);
  if (c.code == PLAIT_SUCCESS && y != NULL) c.code = take(y, c.name, &c.y);
  return c;
}
static inline plait_operation combine(const CFI_cdesc_t* x, const CFI_cdesc_t* y,
                                      const int* operation, struct collective* c) {
  const int type = type_of(x != NULL ? x : y);
  if (type == 0) c->code = refuse("its elements are of no type that is added or compared", c->name);
  if (y != NULL && type_of(y) != type) c->code = refuse("its variables are of two types", c->name);
  return plait_combined(*operation, type);
}

#endif
