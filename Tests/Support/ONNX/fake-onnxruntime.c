// A fake library with ONNX Runtime's only exported function. -DVERSION='"1.15.1"' sets the version that it reports, and -DFOREIGN
// omits the function. With -DGATE, loading a model lasts until a byte is written to the pipe SYRINX_TEST_GATE, and the process ends
// with status 99 if the library's destructors run.
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const void *(*interface)(uint32_t version);
  const char *(*version)(void);
} Base;

#ifdef FOREIGN
int something_else;
#else
#ifdef GATE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int thing;
static void *nothing(void) { return NULL; }
static void *environment(void *log, void *parameter, int level, const char *name, void **made) {
  *made = &thing;
  return NULL;
}
static void *options(void **made) {
  *made = &thing;
  return NULL;
}
static void *memory(int kind, int type, void **made) {
  *made = &thing;
  return NULL;
}
static void *session(void *environment, const char *path, void *options, void **made) {
  char byte;
  int gate = open(getenv("SYRINX_TEST_GATE"), O_RDONLY);
  (void)!read(gate, &byte, 1);
  _exit(98);
}
__attribute__((destructor)) static void gone(void) { _exit(99); }

static const void *interface(uint32_t version) {
  static void *table[400];
  for (int index = 0; index < 400; index++) table[index] = nothing;
  table[4] = environment;
  table[7] = session;
  table[10] = options;
  table[69] = memory;
  return table;
}
#else
static const void *interface(uint32_t version) { return NULL; }
#endif
static const char *version(void) { return VERSION; }
const Base *OrtGetApiBase(void) {
  static const Base base = {interface, version};
  return &base;
}
#endif
