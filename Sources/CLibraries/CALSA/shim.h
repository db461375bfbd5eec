#pragma once
#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>

// A callback without variadic arguments, which Swift can implement.
typedef void (*syrinx_alsa_sink_t)(const char *function, int code, const char *message);

// The message sink, wrapped in a function because a shared header must not define a variable.
static inline syrinx_alsa_sink_t *syrinx_alsa_sink(void) {
  static syrinx_alsa_sink_t sink;
  return &sink;
}

// Swift can neither write nor import a variadic function such as ALSA's error handler: this one
// formats the message and passes it to the Swift callback.
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

// Swift cannot pass a variadic function to ALSA.
static inline int syrinx_alsa_send_errors_to(syrinx_alsa_sink_t sink) {
  *syrinx_alsa_sink() = sink;
  return snd_lib_error_set_handler(syrinx_alsa_error);
}
