#pragma once
#include <stdint.h>

// The program's allocations and copies since the last `memory_count_reset`, on all threads. Copies below 256 bytes are not audio
// and do not count.
struct memory_count {
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t copied_bytes;
};

void memory_count_reset(void);
struct memory_count memory_count_read(void);
