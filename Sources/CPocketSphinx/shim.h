#pragma once
// Debian's <pocketsphinx/pocketsphinx.h> includes its own neighbours by bare names that no include path has,
// and its pkg-config file, which would add the path, links libsphinxad and libpulse as well.
// So this declares what is used of it; where the path is there, the compiler checks it against the real header.
#if __has_include(<pocketsphinx_export.h>)
#include <pocketsphinx/pocketsphinx.h>
#endif
#include <sphinxbase/cmd_ln.h>
#include <sphinxbase/cmn.h>
#include <sphinxbase/err.h>
#include <sphinxbase/fe.h>
#include <sphinxbase/feat.h>
#include <sphinxbase/hash_table.h>
#include <sphinxbase/jsgf.h>
#include <sphinxbase/logmath.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct ps_decoder_s ps_decoder_t;
typedef struct ps_seg_s ps_seg_t;
typedef struct ps_astar_s ps_nbest_t;

arg_t const *ps_args(void);
ps_decoder_t *ps_init(cmd_ln_t *config);
int ps_free(ps_decoder_t *decoder);
cmd_ln_t *ps_get_config(ps_decoder_t *decoder);
feat_t *ps_get_feat(ps_decoder_t *decoder);
logmath_t *ps_get_logmath(ps_decoder_t *decoder);
int ps_start_stream(ps_decoder_t *decoder);
int ps_start_utt(ps_decoder_t *decoder);
int ps_process_raw(ps_decoder_t *decoder, int16 const *samples, size_t count, int no_search,
                   int full_utterance);
int ps_end_utt(ps_decoder_t *decoder);
int ps_set_jsgf_string(ps_decoder_t *decoder, char const *name, char const *grammar);
int ps_set_kws(ps_decoder_t *decoder, char const *name, char const *file);
int ps_set_search(ps_decoder_t *decoder, char const *name);
int ps_unset_search(ps_decoder_t *decoder, char const *name);
ps_seg_t *ps_seg_iter(ps_decoder_t *decoder);
ps_seg_t *ps_seg_next(ps_seg_t *segment);
char const *ps_seg_word(ps_seg_t *segment);
void ps_seg_frames(ps_seg_t *segment, int *first, int *last);
int32 ps_seg_prob(ps_seg_t *segment, int32 *acoustic, int32 *language, int32 *back_off);
void ps_seg_free(ps_seg_t *segment);
ps_nbest_t *ps_nbest(ps_decoder_t *decoder);
ps_nbest_t *ps_nbest_next(ps_nbest_t *nbest);
char const *ps_nbest_hyp(ps_nbest_t *nbest, int32 *score);
ps_seg_t *ps_nbest_seg(ps_nbest_t *nbest);
void ps_nbest_free(ps_nbest_t *nbest);
char *ps_lookup_word(ps_decoder_t *decoder, char const *word);
int ps_add_word(ps_decoder_t *decoder, char const *word, char const *phones, int update);

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

// feat.h's macros for the type of normalization are an enumeration that differs between versions.
static inline void syrinx_use_live_mean(ps_decoder_t *decoder) {
  ps_get_feat(decoder)->cmn = CMN_LIVE;
}

// Swift's Glibc module shows no memfd_create, which is a GNU extension; 1 is MFD_CLOEXEC.
static inline int syrinx_memory_file(char const *name) {
  return (int)syscall(SYS_memfd_create, name, 1u);
}
