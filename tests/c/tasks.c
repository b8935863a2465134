/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: their arguments, ends, priorities, resources and children. */
#include "support.h"

struct adding {
  double* to;
  double what;
};
static int add(void* argument) {
  const struct adding* a = argument;
  *a->to += a->what;
  return 0;
}

struct padded {
  double* to;
  double values[40]; /* more than lies in a task */
};
static int add_last(void* argument) {
  const struct padded* a = argument;
  *a->to += a->values[39];
  return 0;
}

static int add_one(void* argument) {
  *(double*)argument += 1;
  return 0;
}

static int released;
static void release_one(void* argument) {
  __atomic_fetch_add(&released, (int)((struct adding*)argument)->what, __ATOMIC_SEQ_CST);
}

struct parenthood {
  plait_runtime* rt;
  double* of;
};
static int submits_two(void* argument) {
  const struct parenthood* p = argument;
  for (int i = 0; i < 2; ++i) {
    struct adding one = {&p->of[i], i + 1};
    if (plait_task(p->rt, "child", add, one, plait_inout(&p->of[i], sizeof(double)))) return 1;
  }
  /* what a task cannot do */
  if (plait_wait(p->rt) != PLAIT_ERR_STATE) return 2;
  if (plait_record_begin(p->rt) != PLAIT_ERR_STATE) return 3;
  return 0;
}

static void test_arguments(const struct world* w) {
  double x = 0;
  struct adding two = {&x, 2};
  DO(plait_task(w->rt, "add", add, two, plait_inout(&x, sizeof x)));
  two.what = 1e9; /* the task has its copy */
  struct padded many = {&x, {0}};
  many.values[39] = 3;
  DO(plait_task(w->rt, "add last", add_last, many, plait_inout(&x, sizeof x)));
  many.values[39] = 1e9;
  plait_access access = plait_inout(&x, sizeof x);
  plait_call by_pointer = PLAIT_CALL_INIT;
  by_pointer.name = plait_intern("by pointer");
  by_pointer.run = add_one;
  by_pointer.argument = &x;
  by_pointer.accesses = &access;
  by_pointer.access_count = 1;
  DO(plait_submit(w->rt, &by_pointer));
  DO(plait_wait_on(w->rt, plait_bytes(&x, sizeof x)));
  EQUAL(6, x);
  EQUAL(1, by_pointer.name == plait_intern("by pointer"));

  struct adding five = {&x, 5};
  plait_call released_call = PLAIT_CALL_INIT;
  released_call.name = "released";
  released_call.run = add;
  released_call.argument = &five;
  released_call.argument_bytes = sizeof five;
  released_call.release = release_one;
  released_call.accesses = &access;
  released_call.access_count = 1;
  DO(plait_submit(w->rt, &released_call));
  DO(plait_wait(w->rt));
  EQUAL(11, x);
  EQUAL(5, released);
  released_call.run = NULL; /* refused, and released */
  REFUSED(PLAIT_ERR_USAGE, "released", plait_submit(w->rt, &released_call));
  EQUAL(10, released);
}

static void test_events(const struct world* w) {
  double x = 0;
  plait_access access = plait_inout(&x, sizeof x);
  struct adding one = {&x, 1};
  plait_event* last = NULL;
  plait_call call = PLAIT_CALL_INIT;
  call.name = "counted";
  call.run = add;
  call.argument = &one;
  call.argument_bytes = sizeof one;
  call.accesses = &access;
  call.access_count = 1;
  for (int i = 0; i < 100; ++i) {
    call.event = i == 99 ? &last : NULL;
    call.priority = PLAIT_PRIORITY_CHOSEN + i % 4;
    call.flags = i % 2 ? PLAIT_FOR_ANYONE : 0;
    DO(plait_submit(w->rt, &call));
  }
  DO(plait_event_wait(last));
  EQUAL(100, x);
  int done = 0;
  DO(plait_event_test(last, &done));
  EQUAL(1, done);
  DO(plait_event_free(&last));
  EQUAL(1, last == NULL);
}

static void test_resources_and_children(const struct world* w) {
  plait_resource* io = NULL;
  DO(plait_make_resource(w->rt, "io", 1, &io));
  double x = 0;
  struct adding seven = {&x, 7};
  plait_access access = plait_inout(&x, sizeof x);
  plait_call call = PLAIT_CALL_INIT;
  call.name = "write";
  call.run = add;
  call.argument = &seven;
  call.argument_bytes = sizeof seven;
  call.accesses = &access;
  call.access_count = 1;
  call.resource = io;
  DO(plait_submit(w->rt, &call));
  DO(plait_wait(w->rt));
  EQUAL(7, x);

  double of[2] = {0, 0};
  struct parenthood parent = {w->rt, of};
  DO(plait_task(w->rt, "parent", submits_two, parent, plait_inout(of, sizeof of)));
  DO(plait_wait(w->rt));
  EQUAL(1, of[0]);
  EQUAL(2, of[1]);
}

/* Additions in any order, of many tasks at once. */
static void test_commutative(const struct world* w) {
  double x = 0;
  for (int i = 1; i <= 200; ++i) {
    struct adding one = {&x, i};
    DO(plait_task(w->rt, "any order", add, one, plait_commutative(&x, sizeof x)));
  }
  DO(plait_wait(w->rt));
  EQUAL(20100, x);
}

static void test_figures(const struct world* w) {
  plait_ledger mean = PLAIT_LEDGER_INIT, own = PLAIT_LEDGER_INIT;
  DO(plait_get_ledger(w->rt, PLAIT_MEAN, &mean));
  DO(plait_get_ledger(w->rt, 1, &own));
  EQUAL(1, mean.wall_s > 0 && own.wall_s > 0);
  DO(plait_reset_ledger(w->rt));
  const char *policy = NULL, *reason = NULL;
  DO(plait_get_policy(w->rt, &policy, &reason));
  EQUAL(1, strlen(policy) > 0 && strlen(reason) > 0);
  int major = -1, minor = -1, patch = -1;
  DO(plait_version(&major, &minor, &patch));
  EQUAL(PLAIT_VERSION_MAJOR * 10000 + PLAIT_VERSION_MINOR * 100 + PLAIT_VERSION_PATCH,
        major * 10000 + minor * 100 + patch);
}

void test_tasks(const struct world* w) {
  test_arguments(w);
  test_events(w);
  test_resources_and_children(w);
  test_commutative(w);
  test_figures(w);
}
