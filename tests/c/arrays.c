/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts and redistributions of random arrays: 1 to 4 axes, blocks of any size on any rank, memory
   in any order of axes with gaps and strides of either sign.  Each byte is compared with what a
   loop over all cells says, those that no move may touch included. */
#include "support.h"

enum { most_blocks = 16, programs = 30, iterations = 3, untouched = 0xEE, most_element = 12 };

/* Numbers that all ranks draw alike, and numbers of a rank's own. */
static unsigned long common_state, own_state;
static int drawn(unsigned long* state, int limit) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((*state >> 33) % (unsigned long)limit);
}
static int below(int limit) {
  return drawn(&common_state, limit);
}

struct box {
  int64_t first[PLAIT_AXES], cells[PLAIT_AXES];
  int rank;
};

/* A whole array, of which each rank knows everything but the others' memory. */
struct whole {
  plait_array array; /* without blocks */
  plait_ghost_options options;
  struct box boxes[most_blocks];
  int box_count;
  unsigned char value[most_element]; /* at the boundary */
};

/* A block of this rank's with its memory. */
struct block {
  const struct whole* of;
  plait_array_block in;
  unsigned char* memory;
  size_t bytes;
  int version; /* how often its cells were changed */
  int moved;   /* not 0: ghosts are what the move makes of them */
};

static int64_t width(const struct block* b, int k) {
  return b->in.cells[k] + 2 * b->of->array.ghosts[k];
}

static void cut_into_boxes(struct whole* w, int ranks) {
  const int wanted = 1 + below(most_blocks);
  w->box_count = 1;
  memset(w->boxes, 0, sizeof w->boxes);
  memcpy(w->boxes[0].cells, w->array.cells, sizeof w->array.cells);
  for (int tries = 0; tries < 4 * wanted && w->box_count < wanted; ++tries) {
    struct box* const one = &w->boxes[below(w->box_count)];
    const int k = below(w->array.axes);
    if (one->cells[k] < 2) continue;
    struct box* const other = &w->boxes[w->box_count++];
    *other = *one;
    one->cells[k] = 1 + below((int)one->cells[k] - 1);
    other->first[k] += one->cells[k];
    other->cells[k] -= one->cells[k];
  }
  for (int i = 0; i < w->box_count; ++i) w->boxes[i].rank = below(ranks);
}

static struct whole draw_whole(int ranks) {
  static const size_t sizes[] = {8, 1, 4, 12};
  struct whole w = {PLAIT_ARRAY_INIT, PLAIT_GHOST_OPTIONS_INIT, {{{0}, {0}, 0}}, 0, {0}};
  w.array.axes = 1 + below(PLAIT_AXES);
  w.array.element_bytes = sizes[below(4)];
  for (int k = 0; k < w.array.axes; ++k) {
    w.array.cells[k] = 1 + below(w.array.axes == 4 ? 5 : 9);
    w.array.ghosts[k] = below(3);
    w.array.periodic[k] = below(2);
  }
  w.options.name = below(2) ? "halo" : NULL;
  w.options.corners = below(2);
  w.options.boundary = below(3);
  w.options.message_a_box = below(2);
  for (int i = 0; i < most_element; ++i) w.value[i] = (unsigned char)below(200);
  cut_into_boxes(&w, ranks);
  return w;
}

/* Finds memory for a block: axes in any order, with gaps, strides of either sign. */
static struct block make_block(const struct whole* of, const struct box* box) {
  struct block b = {of, {{0}, {0}, {0}, NULL}, NULL, 0, 0, 0};
  const int axes = of->array.axes;
  const int plain = drawn(&own_state, 3) == 0;
  int order[PLAIT_AXES];
  memcpy(b.in.first, box->first, sizeof b.in.first);
  memcpy(b.in.cells, box->cells, sizeof b.in.cells);
  for (int k = 0; k < axes; ++k) order[k] = axes - 1 - k; /* the last axis is the fastest */
  for (int k = axes - 1; k > 0 && !plain; --k) {
    /* with four axes the fastest one is the same on all ranks, and dense */
    if (axes == PLAIT_AXES && k == 1) break;
    const int low = axes == PLAIT_AXES ? 1 : 0, j = low + drawn(&own_state, k + 1 - low);
    const int swapped = order[j];
    order[j] = order[k];
    order[k] = swapped;
  }
  int64_t step = (int64_t)of->array.element_bytes, offset = 0;
  if (!plain && axes < PLAIT_AXES) step *= 1 + drawn(&own_state, 2);
  for (int i = 0; i < axes; ++i) {
    const int k = order[i];
    const int turned = !plain && drawn(&own_state, 4) == 0 && (i > 0 || axes < PLAIT_AXES);
    b.in.stride[k] = turned ? -step : step;
    offset += step * (turned ? width(&b, k) - 1 - of->array.ghosts[k] : of->array.ghosts[k]);
    step *= width(&b, k) + (plain ? 0 : drawn(&own_state, 2));
  }
  b.bytes = (size_t)step;
  b.memory = malloc(b.bytes);
  memset(b.memory, untouched, b.bytes);
  b.in.begin = b.memory + offset;
  if (plain) {
    const plait_array_block same =
        plait_array_block_in(&of->array, b.memory, box->first, box->cells);
    EQUAL(0, memcmp(&same, &b.in, sizeof same));
  }
  return b;
}

static int make_blocks(const struct world* w, const struct whole* of, struct block* made,
                       plait_array_block* listed) {
  int count = 0;
  for (int i = 0; i < of->box_count; ++i) {
    if (of->boxes[i].rank != w->rank) continue;
    made[count] = make_block(of, &of->boxes[i]);
    listed[count] = made[count].in;
    ++count;
  }
  return count;
}

static void free_blocks(struct block* blocks, int count) {
  for (int i = 0; i < count; ++i) free(blocks[i].memory);
}

/* Writes the bytes of a cell of the array. */
static void write_cell(const struct whole* of, const int64_t* cell, int version,
                       unsigned char* at) {
  int64_t number = 0;
  for (int k = 0; k < of->array.axes; ++k) number = number * of->array.cells[k] + cell[k];
  for (size_t i = 0; i < of->array.element_bytes; ++i)
    at[i] = (unsigned char)((uint64_t)(number * 37 + version * 11 + (int)i * 5) % 223);
}

/* Writes what a cell in or around a block becomes; a cell that nobody may touch stays. */
static void write_expected(const struct block* b, const int64_t* cell, unsigned char* at) {
  const plait_array* const a = &b->of->array;
  const int boundary = b->of->options.boundary;
  int64_t from[PLAIT_AXES] = {0};
  int outside = 0, behind = 0;
  for (int k = 0; k < a->axes; ++k) {
    from[k] = cell[k];
    if (cell[k] < b->in.first[k] || cell[k] >= b->in.first[k] + b->in.cells[k]) ++outside;
    if (a->periodic[k]) {
      from[k] = ((cell[k] % a->cells[k]) + a->cells[k]) % a->cells[k];
    } else if (cell[k] < 0 || cell[k] >= a->cells[k]) {
      behind = 1;
      from[k] = cell[k] < 0 ? 0 : a->cells[k] - 1;
    }
  }
  if (outside > 0 && !b->moved) return;
  if (outside > 1 && !b->of->options.corners) return;
  if (behind && boundary == PLAIT_BOUNDARY_KEPT) return;
  if (behind && boundary == PLAIT_BOUNDARY_VALUE)
    memcpy(at, b->of->value, a->element_bytes);
  else
    write_cell(b->of, from, b->version, at);
}

/* Calls `write` for each cell of a block and `layers` times the ghosts around it; `memory` is the
   block's or a copy. */
static void for_each_cell(const struct block* b, int layers, unsigned char* memory,
                          void (*write)(const struct block*, const int64_t*, unsigned char*)) {
  const plait_array* const a = &b->of->array;
  int64_t low[PLAIT_AXES] = {0}, high[PLAIT_AXES] = {1, 1, 1, 1}, c[PLAIT_AXES];
  for (int k = 0; k < a->axes; ++k) {
    low[k] = b->in.first[k] - layers * a->ghosts[k];
    high[k] = b->in.first[k] + b->in.cells[k] + layers * a->ghosts[k];
  }
  unsigned char* const begin = memory + ((unsigned char*)b->in.begin - b->memory);
  for (c[0] = low[0]; c[0] < high[0]; ++c[0])
    for (c[1] = low[1]; c[1] < high[1]; ++c[1])
      for (c[2] = low[2]; c[2] < high[2]; ++c[2])
        for (c[3] = low[3]; c[3] < high[3]; ++c[3]) {
          int64_t offset = 0;
          for (int k = 0; k < a->axes; ++k) offset += (c[k] - b->in.first[k]) * b->in.stride[k];
          write(b, c, begin + offset);
        }
}

static void write_own(const struct block* b, const int64_t* cell, unsigned char* at) {
  write_cell(b->of, cell, b->version, at);
}

/* Returns the number of bytes that are not as they should be. */
static int count_wrong(const struct block* b) {
  unsigned char* const right = malloc(b->bytes);
  int wrong = 0;
  memset(right, untouched, b->bytes);
  for_each_cell(b, 1, right, write_expected);
  for (size_t i = 0; i < b->bytes; ++i) wrong += right[i] != b->memory[i];
  free(right);
  return wrong;
}

static plait_memory cells_of(const struct block* b, int layers) {
  plait_memory m = plait_bytes(b->in.begin, b->of->array.element_bytes);
  char* begin = m.begin;
  for (int k = 0; k < b->of->array.axes; ++k) {
    const int64_t ghosts = layers * b->of->array.ghosts[k];
    m.axes[k].rows = b->in.cells[k] + 2 * ghosts;
    m.axes[k].stride = b->in.stride[k];
    begin -= ghosts * b->in.stride[k];
  }
  m.begin = begin;
  return m;
}

static int change(void* argument) {
  struct block* const b = *(struct block**)argument;
  ++b->version;
  for_each_cell(b, 0, b->memory, write_own);
  return 0;
}
static int check(void* argument) {
  return count_wrong(*(struct block**)argument);
}

static void submit_step(const struct world* w, struct block* blocks, int count,
                        plait_mover* mover) {
  for (int i = 0; i < count; ++i) {
    struct block* const b = &blocks[i];
    DO(plait_task(w->rt, "change", change, b, plait_inout(cells_of(b, 0)),
                  plait_inout(&b->version, sizeof b->version)));
  }
  DO(plait_move(w->rt, mover));
  for (int i = 0; i < count; ++i) {
    struct block* const b = &blocks[i];
    DO(plait_task(w->rt, "check", check, b, plait_in(cells_of(b, 1)),
                  plait_in(&b->version, sizeof b->version)));
  }
}

static void test_ghosts(const struct world* w) {
  struct block blocks[most_blocks];
  plait_array_block listed[most_blocks];
  plait_mover* mover = NULL;
  struct whole of = draw_whole(w->size);
  of.options.value = of.value;
  const int count = make_blocks(w, &of, blocks, listed);
  plait_array array = of.array;
  array.blocks = listed;
  array.block_count = count;
  DO(plait_ghosts(w->rt, &array, &of.options, &mover));
  memset(listed, 0, sizeof listed); /* all has been read */
  for (int i = 0; i < count; ++i) {
    for_each_cell(&blocks[i], 0, blocks[i].memory, write_own);
    EQUAL(0, count_wrong(&blocks[i]));
    blocks[i].moved = 1;
  }
  submit_step(w, blocks, count, mover);
  submit_step(w, blocks, count, mover);
  DO(plait_wait(w->rt));

  plait_graph* graph = NULL;
  DO(plait_record_begin(w->rt));
  submit_step(w, blocks, count, mover);
  DO(plait_record_end(w->rt, &graph));
  DO(plait_mover_free(&mover)); /* the recording goes on */
  EQUAL(1, mover == NULL);
  DO(plait_replay(w->rt, graph, iterations));
  DO(plait_wait(w->rt));
  for (int i = 0; i < count; ++i) {
    EQUAL(2 + iterations, blocks[i].version);
    EQUAL(0, count_wrong(&blocks[i]));
  }
  DO(plait_graph_free(&graph));
  free_blocks(blocks, count);
}

/* To another division, and to one block on the last rank. */
static void test_redistribution(const struct world* w) {
  struct block from[most_blocks], to[most_blocks];
  plait_array_block listed_from[most_blocks], listed_to[most_blocks];
  plait_mover* mover = NULL;
  const struct whole source = draw_whole(w->size);
  struct whole target = source;
  if (below(3) == 0) {
    target.box_count = 1;
    memset(&target.boxes[0], 0, sizeof target.boxes[0]);
    memcpy(target.boxes[0].cells, target.array.cells, sizeof target.array.cells);
    target.boxes[0].rank = w->size - 1;
  } else {
    cut_into_boxes(&target, w->size);
  }
  for (int k = 0; k < target.array.axes; ++k) target.array.ghosts[k] = below(2);
  plait_array a = source.array, b = target.array;
  a.block_count = make_blocks(w, &source, from, listed_from);
  b.block_count = make_blocks(w, &target, to, listed_to);
  a.blocks = listed_from;
  b.blocks = listed_to;
  DO(plait_redistribution(w->rt, &a, &b, below(2) ? "divide anew" : NULL, &mover));
  for (int version = 1; version <= 2; ++version) {
    for (int i = 0; i < a.block_count; ++i) {
      struct block* const one = &from[i];
      DO(plait_task(w->rt, "change", change, one, plait_inout(cells_of(one, 0)),
                    plait_inout(&one->version, sizeof one->version)));
    }
    DO(plait_move(w->rt, mover));
  }
  DO(plait_mover_free(&mover)); /* moves in flight go on */
  DO(plait_wait(w->rt));
  for (int i = 0; i < b.block_count; ++i) {
    to[i].version = 2;
    EQUAL(0, count_wrong(&to[i]));
  }
  free_blocks(from, a.block_count);
  free_blocks(to, b.block_count);
}

void test_arrays(const struct world* w) {
  common_state = 4321;
  own_state = 99 + (unsigned long)w->rank;
  for (int i = 0; i < programs; ++i) {
    test_ghosts(w);
    test_redistribution(w);
  }
}
