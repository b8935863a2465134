/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a program, whose times `plait attach` gives one by one.  C11 and C++.  Nothing is
   linked: where plait is not attached, a call does nothing and takes about a nanosecond.  The
   header needs no other one of plait's and may be copied.

     plait_region_begin("solve");
     ...
     plait_region_end("solve");

   Regions may lie inside each other, and those with the same text are the same.  The text may be
   freed after the call; its first 63 bytes count. */
#ifndef PLAIT_REGION_H
#define PLAIT_REGION_H

#include <dlfcn.h>
#include <string.h>

typedef void (*plait_region_call)(const char* name);

/* Looks a function up by its name, among all that the program has loaded from its start on. */
static inline plait_region_call plait_region_look_up(const char* symbol) {
  plait_region_call call = NULL;
#if defined(__linux__)
  void* const there = dlsym(NULL, symbol); /* RTLD_DEFAULT, which strict C hides */
  if (there) memcpy(&call, &there, sizeof call);
#else
  (void)symbol;
#endif
  return call;
}

/* The first call in a file looks for plait.  Each later one is one to plait, or none at all. */
static inline void plait_region_first_begin(const char* name);
static inline void plait_region_first_end(const char* name);
static plait_region_call plait_region_begins = plait_region_first_begin;
static plait_region_call plait_region_ends = plait_region_first_end;

/* Begins a region of this thread inside the one that it is in. */
static inline void plait_region_begin(const char* name) {
  plait_region_call call = __atomic_load_n(&plait_region_begins, __ATOMIC_RELAXED);
  if (__builtin_expect(call != NULL, 0)) call(name);
}

/* Ends the region of that name, and those inside it that are still open. */
static inline void plait_region_end(const char* name) {
  plait_region_call call = __atomic_load_n(&plait_region_ends, __ATOMIC_RELAXED);
  if (__builtin_expect(call != NULL, 0)) call(name);
}

static inline void plait_region_first_begin(const char* name) {
  __atomic_store_n(&plait_region_begins, plait_region_look_up("plait_region_begin"),
                   __ATOMIC_RELAXED);
  plait_region_begin(name);
}

static inline void plait_region_first_end(const char* name) {
  __atomic_store_n(&plait_region_ends, plait_region_look_up("plait_region_end"), __ATOMIC_RELAXED);
  plait_region_end(name);
}

#if defined(__cplusplus)
/* A region that ends with the scope, by an exception too: `plait_region solve{"solve"};` */
class plait_region {
 public:
  explicit plait_region(const char* name) : name_(name) { plait_region_begin(name); }
  ~plait_region() { plait_region_end(name_); }
  plait_region(const plait_region&) = delete;
  plait_region& operator=(const plait_region&) = delete;

 private:
  const char* name_;
};
#endif

#endif
