#pragma once
// Swift's Glibc module leaves eventfd's header out.
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Swift cannot call prctl: it takes variable arguments.
static inline int syrinx_set_thread_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}
