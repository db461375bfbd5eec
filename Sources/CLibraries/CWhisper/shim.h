// Declares the two structures that libwhisper 1.8 takes by value, because Swift has no other way to
// pass a large structure by value, and the library is loaded at run time without its header.
#pragma once
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// whisper_context_params
typedef struct {
  bool use_gpu;
  bool flash_attn;
  int32_t gpu_device;
  uint64_t other[5];
} SyrinxWhisperContextParams;

/// whisper_full_params
typedef struct {
  int32_t strategy;
  int32_t n_threads;
  int32_t n_max_text_ctx;
  int32_t offset_ms;
  int32_t duration_ms;
  bool flags[8];
  bool token_timestamps;
  float thold_pt;
  float thold_ptsum;
  int32_t max_len;
  bool split_on_word;
  int32_t max_tokens;
  bool debug_mode;
  int32_t audio_ctx;
  bool tdrz_enable;
  bool unused[3];
  uint64_t other[30];
} SyrinxWhisperParams;

_Static_assert(sizeof(SyrinxWhisperContextParams) == 48, "size");
_Static_assert(sizeof(SyrinxWhisperParams) == 304, "size");
_Static_assert(offsetof(SyrinxWhisperParams, audio_ctx) == 56, "offset");
