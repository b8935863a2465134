// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the library of an accelerator: it says of one page that a device has it, and of all
// other memory that it does not know it.
#include <stdint.h>
#include <sys/mman.h>

enum { page = 4096 };

char* stand_in_memory(void) {
  static char* memory;
  if (memory == 0) memory = mmap(0, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory;
}

static int is_own(uintptr_t at) { return at - (uintptr_t)stand_in_memory() < page; }

#if defined(STANDS_FOR_CUDA)
int cuPointerGetAttribute(void* value, int attribute, uintptr_t at) {
  if (attribute != 2 || !is_own(at)) return 1;
  *(unsigned*)value = 2;
  return 0;
}
#else
struct attributes {
  int kind, device;
  void *on_device, *on_host;
  int is_managed;
  unsigned flags;
};

int hipPointerGetAttributes(struct attributes* of, const void* at) {
  if (!is_own((uintptr_t)at)) return 1;
  *of = (struct attributes){2, 0, (void*)at, 0, 0, 0};
  return 0;
}
#endif
