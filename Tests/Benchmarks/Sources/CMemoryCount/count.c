// Replaces functions of the C library in this program: each counts, and calls the library's function by its internal name.
#include "CMemoryCount.h"

#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__memmove_chk(void *, const void *, size_t, size_t);

// Volatile, because the compiler would replace a direct call without a limit with a call of memmove.
static void *(*volatile library_move)(void *, const void *, size_t, size_t) = __memmove_chk;

static const size_t least_copy = 256;
static atomic_uint_fast64_t allocations, allocated, copied;

static void note_allocation(size_t size) {
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&allocated, size, memory_order_relaxed);
}

static void note_copy(size_t size) {
  if (size >= least_copy) atomic_fetch_add_explicit(&copied, size, memory_order_relaxed);
}

void *malloc(size_t size) {
  note_allocation(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note_allocation(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  note_allocation(size);
  return __libc_realloc(old, size);
}

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
  note_copy(size);
  return library_move(target, source, size, (size_t)-1);
}

void *memmove(void *target, const void *source, size_t size) {
  note_copy(size);
  return library_move(target, source, size, (size_t)-1);
}

void memory_count_reset(void) {
  allocations = 0;
  allocated = 0;
  copied = 0;
}

struct memory_count memory_count_read(void) {
  return (struct memory_count){allocations, allocated, copied};
}
