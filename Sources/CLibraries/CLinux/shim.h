#pragma once
// Swift's Glibc module omits eventfd's header.
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Swift cannot call the variadic prctl.
static inline int syrinx_set_thread_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Swift's Glibc module omits this GNU extension.
int pipe2(int ends[2], int flags);

// Swift's Glibc module omits this GNU extension of glibc 2.34.
#include <spawn.h>
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Swift's Glibc module omits ppoll, a GNU extension. The descriptor is a pollfd, whose type must stay
// that of Glibc for the importers of AudioThreads.
static inline int syrinx_poll_one(void *descriptor, long long nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return (int)syscall(SYS_ppoll, descriptor, 1, &time, (void *)0, 8);
}

// Swift cannot assign C's stdout, a shared mutable global.
static inline void syrinx_discard_stdout(void) {
  FILE *nowhere = fopen("/dev/null", "we");
  if (nowhere) stdout = nowhere;
}

// Swift's Glibc module omits gettid, a GNU extension.
static inline int syrinx_thread_id(void) { return (int)syscall(SYS_gettid); }

// Swift's Glibc module omits this flag: children and threads of a real-time thread are normal.
enum { SYRINX_SCHED_RESET_ON_FORK = 0x40000000 };

// Swift cannot call sd_bus_call_method: it is variadic and loaded at run time.
static inline int syrinx_rtkit_call(void *function, void *bus, const char *service, const char *path,
                                    const char *member, uint64_t thread, uint32_t priority) {
  int (*call)(void *, const char *, const char *, const char *, const char *, void *, void *,
              const char *, ...) = function;
  return call(bus, service, path, service, member, NULL, NULL, "tu", thread, priority);
}

// Swift's Glibc module omits this GNU extension.
#include <malloc.h>
