#pragma once
#include <stdint.h>

// The program's allocations and copies since the last `memory_count_reset`, on all threads. Copies of less than 256 bytes do not
// count, because they are not audio.
struct memory_count {
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t copied_bytes;
};

void memory_count_reset(void);
struct memory_count memory_count_read(void);
