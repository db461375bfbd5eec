#pragma once
// PocketSphinx 0.8+5prealpha with SphinxBase, as Debian has them, under the names of version 5.
// Debian's <pocketsphinx/pocketsphinx.h> includes its own neighbors by bare names that no include path has,
// and its pkg-config file, which would add the path, links libsphinxad and libpulse as well. This header therefore
// declares the functions that Syrinx uses. Where the path is there, the compiler checks them against the real header.
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
#include <sphinxbase/strfuncs.h>
#include <stdio.h>
#include <string.h>

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

typedef cmd_ln_t ps_config_t;

// SphinxBase's name of a parameter, which begins with a hyphen.
struct syrinx_hyphenated {
  char text[64];
};

static inline struct syrinx_hyphenated syrinx_hyphenated(char const *name) {
  struct syrinx_hyphenated hyphenated;
  snprintf(hyphenated.text, sizeof hyphenated.text, "-%s", name);
  return hyphenated;
}

static inline double ps_config_float(ps_config_t *config, char const *name) {
  return cmd_ln_float_r(config, syrinx_hyphenated(name).text);
}

static inline long ps_config_int(ps_config_t *config, char const *name) {
  return cmd_ln_int_r(config, syrinx_hyphenated(name).text);
}

static inline char const *ps_config_str(ps_config_t *config, char const *name) {
  return cmd_ln_str_r(config, syrinx_hyphenated(name).text);
}

static inline void ps_config_set_float(ps_config_t *config, char const *name, double value) {
  cmd_ln_set_float_r(config, syrinx_hyphenated(name).text, value);
}

static inline void ps_config_set_int(ps_config_t *config, char const *name, long value) {
  cmd_ln_set_int_r(config, syrinx_hyphenated(name).text, value);
}

// Sets a value of any type from its text, as in version 5. A value of NULL clears a text. Returns NULL if it is rejected.
static inline void const *ps_config_set_str(ps_config_t *config, char const *name, char const *value) {
  struct syrinx_hyphenated hyphenated = syrinx_hyphenated(name);
  if (value) {
    char *pair[] = {hyphenated.text, (char *)value};
    return cmd_ln_parse_r(config, ps_args(), 2, pair, 0);
  }
  cmd_ln_set_str_r(config, hyphenated.text, NULL);
  return config;
}

// Turns silence removal off, because it shifts word times; version 5 has none. `definitions` is NULL. Swift cannot call
// cmd_ln_init, which has variable arguments, so this parses an empty command line.
static inline ps_config_t *ps_config_init(void const *definitions) {
  ps_config_t *config = cmd_ln_parse_r(NULL, ps_args(), 0, NULL, 0);
  if (config) ps_config_set_int(config, "remove_silence", 0);
  return config;
}

static inline int ps_config_free(ps_config_t *config) {
  return cmd_ln_free_r(config);
}

static inline int ps_add_jsgf_string(ps_decoder_t *decoder, char const *name, char const *grammar) {
  return ps_set_jsgf_string(decoder, name, grammar);
}

static inline int ps_add_kws(ps_decoder_t *decoder, char const *name, char const *file) {
  return ps_set_kws(decoder, name, file);
}

static inline int ps_activate_search(ps_decoder_t *decoder, char const *name) {
  return ps_set_search(decoder, name);
}

static inline int ps_remove_search(ps_decoder_t *decoder, char const *name) {
  return ps_unset_search(decoder, name);
}

static inline int syrinx_start_frames(fe_t *front_end) {
  fe_start_stream(front_end);
  return fe_start_utt(front_end);
}

static inline int syrinx_process_frames(fe_t *front_end, int16 const **samples, size_t *count,
                                        mfcc_t **rows, int32 *row_count) {
  int32 first;
  return fe_process_frames(front_end, samples, count, rows, row_count, &first);
}

static inline int syrinx_use_live_mean(ps_decoder_t *decoder) {
  ps_get_feat(decoder)->cmn = CMN_LIVE;
  return 0;
}

// The mean to subtract: numbers with commas between them, one for each coefficient.
static inline int ps_set_cmn(ps_decoder_t *decoder, char const *numbers) {
  cmn_t *cmn = ps_get_feat(decoder)->cmn_struct;
  mfcc_t mean[cmn->veclen];
  for (int32 index = 0; index < cmn->veclen; index++) {
    // Not strtof, whose decimal point depends on the locale.
    mean[index] = numbers ? (mfcc_t)atof_c(numbers) : 0;
    numbers = numbers ? strchr(numbers, ',') : NULL;
    if (numbers) numbers++;
  }
  cmn_live_set(cmn, mean);
  return 0;
}

// The mean that is subtracted, in the same form, until this thread calls it again; for tests.
static inline char const *ps_get_cmn(ps_decoder_t *decoder, int update) {
  static _Thread_local char numbers[1024];
  cmn_t *cmn = ps_get_feat(decoder)->cmn_struct;
  size_t length = 0;
  if (update) cmn_live_update(cmn);
  for (int32 index = 0; index < cmn->veclen && length < sizeof numbers; index++) {
    length += (size_t)snprintf(numbers + length, sizeof numbers - length, index ? ",%g" : "%g",
                               cmn->cmn_mean[index]);
  }
  return numbers;
}
