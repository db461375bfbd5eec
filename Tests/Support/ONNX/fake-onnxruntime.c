// A library that has ONNX Runtime's one exported function and nothing behind it: -DVERSION='"1.15.1"' is what it calls itself,
// -DFOREIGN leaves the function out.
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const void *(*interface)(uint32_t version);
  const char *(*version)(void);
} Base;

#ifdef FOREIGN
int something_else;
#else
static const void *interface(uint32_t version) { return NULL; }
static const char *version(void) { return VERSION; }
const Base *OrtGetApiBase(void) {
  static const Base base = {interface, version};
  return &base;
}
#endif
