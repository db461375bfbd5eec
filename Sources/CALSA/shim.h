#pragma once
#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>

// What Swift can be called by: without variable arguments.
typedef void (*syrinx_alsa_sink_t)(const char *function, int code, const char *message);

// Where messages go: in a function, because a header that several files read defines no variable.
static inline syrinx_alsa_sink_t *syrinx_alsa_sink(void) {
  static syrinx_alsa_sink_t sink;
  return &sink;
}

// Swift can neither write nor import a function with variable arguments, which ALSA's error handler
// is: this one formats the message and hands it to the sink that Swift has set.
static inline void syrinx_alsa_error(const char *file, int line, const char *function, int code,
                                     const char *format, ...) {
  (void)file;
  (void)line;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (*syrinx_alsa_sink()) (*syrinx_alsa_sink())(function, code, message);
}

// Swift cannot hand ALSA a function that it cannot import.
static inline int syrinx_alsa_send_errors_to(syrinx_alsa_sink_t sink) {
  *syrinx_alsa_sink() = sink;
  return snd_lib_error_set_handler(syrinx_alsa_error);
}
