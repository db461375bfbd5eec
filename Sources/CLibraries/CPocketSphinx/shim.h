#pragma once
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<pocketsphinx/endpointer.h>)
// Version 5. It exports its front end, but installs no header for it: these are the declarations of its fe/fe.h.
#include <pocketsphinx.h>

typedef float mfcc_t;
typedef struct fe_s fe_t;

fe_t *fe_init_auto_r(ps_config_t *config);
int fe_free(fe_t *front_end);
int fe_get_output_size(fe_t *front_end);
int fe_start_utt(fe_t *front_end);
int fe_process_frames(fe_t *front_end, int16 const **samples, size_t *count, mfcc_t **rows,
                      int32 *row_count);

// Version 5 dropped fe_start_stream and a parameter of fe_process_frames. These two functions hide the difference.
static inline int syrinx_start_frames(fe_t *front_end) {
  return fe_start_utt(front_end);
}

// The second of them.
static inline int syrinx_process_frames(fe_t *front_end, int16 const **samples, size_t *count,
                                        mfcc_t **rows, int32 *row_count) {
  return fe_process_frames(front_end, samples, count, rows, row_count);
}

// Loading a model overwrites "cmn", so this sets it again and rebuilds the feature computation.
static inline int syrinx_use_live_mean(ps_decoder_t *decoder) {
  ps_config_set_str(ps_get_config(decoder), "cmn", "live");
  return ps_reinit_feat(decoder, NULL);
}
#else
#include "prealpha.h"
#endif

// Swift defines it: what the callback below, which Swift cannot be, hands its lines to.
void syrinx_take_sphinx_log(int level, char const *line);

// Swift cannot make a callback with variable arguments; this one hands on the finished line.
static inline void syrinx_sphinx_log(void *context, err_lvl_t level, char const *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  syrinx_take_sphinx_log(level, line);
}

// Swift cannot hand PocketSphinx a function that it cannot import.
static inline void syrinx_redirect_sphinx_log(void) {
  // Some of it is printed to this file and not handed to the callback.
  err_set_logfp(NULL);
  err_set_callback(syrinx_sphinx_log, NULL);
}

// Swift's Glibc module shows no memfd_create, which is a GNU extension; 1 is MFD_CLOEXEC.
static inline int syrinx_memory_file(char const *name) {
  return (int)syscall(SYS_memfd_create, name, 1u);
}
