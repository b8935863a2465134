/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: tasks on random ranges and boxes of one array, messages round the ring, recorded
   or not, against the same program run serially on each rank. */
#include "support.h"

enum { cells = 48, operations = 60, programs = 12, width = 8 };

static unsigned long state;
static int below(int limit) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((state >> 33) % (unsigned long)limit);
}

struct operation {
  int is_message, is_box, begin, count, seed;
};

static int* place(int* data, const struct operation* o, int i) {
  return o->is_box ? &data[o->begin + i * width] : &data[o->begin + i];
}

static void compute(int* data, const struct operation* o) {
  unsigned mixed = (unsigned)o->seed;
  for (int i = 0; i < o->count; ++i) {
    mixed = mixed * 31 + (unsigned)*place(data, o, i);
    *place(data, o, i) = (int)(mixed % 100003);
  }
}

struct computing {
  int* data;
  struct operation what;
};
static int compute_task(void* argument) {
  const struct computing* c = argument;
  compute(c->data, &c->what);
  return 0;
}

static plait_memory memory_of(const int* data, const struct operation* o) {
  if (o->is_box)
    return plait_rows(&data[o->begin], sizeof(int), o->count, width * (int64_t)sizeof(int));
  return plait_bytes(&data[o->begin], (size_t)o->count * sizeof(int));
}

static void draw(struct operation* all) {
  for (int k = 0; k < operations; ++k) {
    struct operation* o = &all[k];
    o->is_message = below(3) == 0;
    o->is_box = below(2);
    o->count = 1 + below(o->is_box ? cells / width : cells / 2);
    o->begin = o->is_box ? below(width) + width * below(cells / width - o->count + 1)
                         : below(cells - o->count + 1);
    o->seed = below(1000);
  }
}

/* A message goes from each rank's box to the same box of the next rank. */
static void run_serially(int ranks, int* data, const struct operation* all) {
  int* before = malloc((size_t)(ranks * cells) * sizeof(int));
  for (int k = 0; k < operations; ++k) {
    memcpy(before, data, (size_t)(ranks * cells) * sizeof(int));
    for (int r = 0; r < ranks; ++r) {
      if (!all[k].is_message) {
        compute(&data[r * cells], &all[k]);
        continue;
      }
      const int left = (r + ranks - 1) % ranks;
      for (int i = 0; i < all[k].count; ++i)
        *place(&data[r * cells], &all[k], i) = *place(&before[left * cells], &all[k], i);
    }
  }
  free(before);
}

struct landing {
  int* data;
  const int* staging;
  struct operation what;
};
static int land(void* argument) {
  const struct landing* l = argument;
  for (int i = 0; i < l->what.count; ++i) *place(l->data, &l->what, i) = l->staging[i];
  return 0;
}

static void submit(const struct world* w, int* data, int (*staging)[cells],
                   const struct operation* all) {
  for (int k = 0; k < operations; ++k) {
    const plait_memory memory = memory_of(data, &all[k]);
    if (!all[k].is_message) {
      struct computing c = {data, all[k]};
      DO(plait_task(w->rt, "compute", compute_task, c, plait_inout(memory)));
      continue;
    }
    const plait_memory arrived = plait_bytes(staging[k], (size_t)all[k].count * sizeof(int));
    DO(plait_send(w->rt, "ring", memory, (w->rank + 1) % w->size, k % 3, NULL));
    DO(plait_recv(w->rt, "ring", arrived, (w->rank + w->size - 1) % w->size, k % 3, NULL));
    struct landing l = {data, staging[k], all[k]};
    DO(plait_task(w->rt, "land", land, l, plait_in(arrived), plait_out(memory)));
  }
}

void test_random(const struct world* w) {
  int* all = malloc((size_t)(w->size * cells) * sizeof(int));
  int data[cells], staging[operations][cells];
  struct operation drawn[operations];
  for (int p = 0; p < programs; ++p) {
    state = 77 + (unsigned long)p;
    draw(drawn);
    const int times = p % 3 == 0 ? 1 : p;
    for (int i = 0; i < w->size * cells; ++i) all[i] = i * i % 997;
    memcpy(data, &all[w->rank * cells], sizeof data);
    for (int t = 0; t < times; ++t) run_serially(w->size, all, drawn);
    if (times == 1) {
      submit(w, data, staging, drawn);
    } else {
      plait_graph* graph = NULL;
      DO(plait_record_begin(w->rt));
      submit(w, data, staging, drawn);
      DO(plait_record_end(w->rt, &graph));
      DO(plait_replay(w->rt, graph, (uint64_t)times));
      DO(plait_wait(w->rt));
      DO(plait_graph_free(&graph));
    }
    DO(plait_wait(w->rt));
    for (int i = 0; i < cells; ++i) EQUAL(all[w->rank * cells + i], data[i]);
  }
  free(all);
}
