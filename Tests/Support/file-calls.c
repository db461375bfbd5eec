// Counts the calls with which a process syncs files to the disk, and can deny writing. It is used with LD_PRELOAD.
//
//   cc -shared -fPIC -O1 -o file-calls.so file-calls.c
//
// At the end of the process, the number of calls of fdatasync is written to the file that SYNCS names. With DENY_AT=N, a write
// that would make a file longer than N bytes fails with EACCES.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long count;

int fdatasync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  count++;
  return next(file);
}

static ssize_t put(const char *name, int file, const void *bytes, size_t size, off_t offset) {
  ssize_t (*next)(int, const void *, size_t, off_t) =
      (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, name);
  const char *most = getenv("DENY_AT");
  if (most && offset + (off_t)size > atol(most)) {
    errno = EACCES;
    return -1;
  }
  return next(file, bytes, size, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  return put("pwrite", file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset) {
  return put("pwrite64", file, bytes, size, offset);
}

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("SYNCS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld", count);
  fclose(file);
}

// The command ends with quick_exit, which runs no destructors.
__attribute__((constructor)) static void begin(void) { at_quick_exit(tell); }
