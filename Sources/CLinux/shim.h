#pragma once
// Swift's Glibc module leaves eventfd's header out.
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Swift cannot call prctl: it takes variable arguments.
static inline int syrinx_set_thread_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Swift's Glibc module shows no ppoll, which is a GNU extension.
static inline int syrinx_poll_one(struct pollfd *descriptor, long long nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return (int)syscall(SYS_ppoll, descriptor, 1, &time, (void *)0, 8);
}

#include <stdio.h>

// Swift cannot assign C's stdout, a variable that threads share.
static inline void syrinx_discard_stdout(void) {
  FILE *nowhere = fopen("/dev/null", "we");
  if (nowhere) stdout = nowhere;
}
