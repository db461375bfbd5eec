// A fake library with the interface of libvosk, which recognizes no speech: samples of 1000 are its first word, of 2000 its
// second word, and so on; samples below 500 are silence. A test therefore determines the position of each word.
//
// The file "script" in a model's folder determines the behavior, one line each:
//   log FILE          appends a line to the file for each call except those with audio
//   pause MS          ends a stretch after this much silence, like Vosk
//   alternatives text returns alternatives without their words, like some versions
//   unknown WORD      a word that is not in the dictionary
//   result FILE       returns the file's bytes as a result; partial FILE: as a partial result
//   null WHAT         returns NULL for: model, recognizer, result, partial
//   accept CODE       the return value of a call with audio
//   endless           returns a result of 32 MiB
//   slow MS           the time that the first call with audio takes
//   held PIPE         processes audio only after reading a byte from this pipe, and logs the call before
//   late PIPE         returns the final result only after reading a byte from this pipe, and logs the call before
//   abort             ends the process at the first call with audio
//
// With -DMINIMAL, it lacks all optional functions; with -DLACKING, it lacks a required one; with -DENDPOINTER, it has the
// functions added after version 0.3.45.
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RATE 16000.0
#define MOST_WORDS 4096

static const char *vocabulary[] = {"", "go", "forward", "ten", "meters", "stop", "[unk]", "left"};
#define WORD_COUNT (int)(sizeof vocabulary / sizeof *vocabulary)

typedef struct {
  char log[512], result[512], partial[512], unknown[64], null[64], held[512], late[512];
  int pause, text_alternatives, accept, endless, slow, aborts, users;
} Model;

typedef struct {
  int word;
  long long start, end;
} Heard;

typedef struct {
  Model *model;
  int alternatives, words, partial_words;
  long long position, silence;
  Heard heard[MOST_WORDS];
  int count, current;
  char *answer;
} Recognizer;

static void note(const Model *model, const char *format, ...) {
  if (!*model->log) return;
  FILE *file = fopen(model->log, "a");
  if (!file) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputc('\n', file);
  fclose(file);
}

Model *vosk_model_new(const char *path) {
  char name[1024], line[1024], value[512];
  Model *model = calloc(1, sizeof *model);
  model->users = 1;
  snprintf(name, sizeof name, "%s/script", path);
  FILE *script = fopen(name, "r");
  while (script && fgets(line, sizeof line, script)) {
    if (sscanf(line, "log %511s", model->log) == 1) continue;
    if (sscanf(line, "result %511s", model->result) == 1) continue;
    if (sscanf(line, "partial %511s", model->partial) == 1) continue;
    if (sscanf(line, "unknown %63s", model->unknown) == 1) continue;
    if (sscanf(line, "null %63s", model->null) == 1) continue;
    if (sscanf(line, "pause %d", &model->pause) == 1) continue;
    if (sscanf(line, "accept %d", &model->accept) == 1) continue;
    if (sscanf(line, "slow %d", &model->slow) == 1) continue;
    if (sscanf(line, "held %511s", model->held) == 1) continue;
    if (sscanf(line, "late %511s", model->late) == 1) continue;
    if (sscanf(line, "alternatives %511s", value) == 1) model->text_alternatives = 1;
    if (!strncmp(line, "endless", 7)) model->endless = 1;
    if (!strncmp(line, "abort", 5)) model->aborts = 1;
  }
  if (script) fclose(script);
  note(model, "model_new %s", path);
  if (!strcmp(model->null, "model")) {
    free(model);
    return NULL;
  }
  return model;
}

static void release(Model *model) {
  if (--model->users == 0) free(model);
}

void vosk_model_free(Model *model) {
  note(model, "model_free");
  release(model);
}

static Recognizer *make(Model *model) {
  if (!strcmp(model->null, "recognizer")) return NULL;
  Recognizer *recognizer = calloc(1, sizeof *recognizer);
  recognizer->model = model;
  model->users += 1;
  return recognizer;
}

Recognizer *vosk_recognizer_new(Model *model, float rate) {
  note(model, "recognizer_new %.0f", rate);
  return make(model);
}

void vosk_recognizer_free(Recognizer *recognizer) {
  note(recognizer->model, "recognizer_free");
  release(recognizer->model);
  free(recognizer->answer);
  free(recognizer);
}

static void hear(Recognizer *recognizer, int16_t sample) {
  int word = (abs(sample) + 500) / 1000;
  if (word >= WORD_COUNT) word = 6;
  if (word != recognizer->current && word != 0 && recognizer->count < MOST_WORDS)
    recognizer->heard[recognizer->count++] = (Heard){word, recognizer->position, 0};
  recognizer->current = word;
  recognizer->silence = word ? 0 : recognizer->silence + 1;
  recognizer->position += 1;
  if (word) recognizer->heard[recognizer->count - 1].end = recognizer->position;
}

static void wait_for_byte(Model *model, const char *path, const char *call) {
  if (!*path) return;
  note(model, call);
  int pipe = open(path, O_RDONLY);
  char byte;
  // A missing pipe does not block the call.
  if (pipe < 0) return;
  if (read(pipe, &byte, 1) < 0) perror(path);
  close(pipe);
}

static void delay(Model *model) {
  struct timespec time = {model->slow / 1000, model->slow % 1000 * 1000000L};
  model->slow = 0;
  nanosleep(&time, NULL);
  wait_for_byte(model, model->held, "accept_waveform");
}

int vosk_recognizer_accept_waveform_s(Recognizer *recognizer, const int16_t *samples, int count) {
  Model *model = recognizer->model;
  if (model->aborts) abort();
  delay(model);
  for (int i = 0; i < count; i++) hear(recognizer, samples[i]);
  if (model->accept) return model->accept;
  return model->pause && recognizer->count && recognizer->silence >= model->pause * RATE / 1000;
}

// Results

static char *file_text(const char *path) {
  char *text = calloc(1, 1 << 20);
  FILE *file = fopen(path, "r");
  if (file) {
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
  }
  return text;
}

static void print_words(FILE *out, const Recognizer *recognizer, const char *last, int with_confidence) {
  for (int i = 0; i < recognizer->count; i++) {
    const Heard *heard = &recognizer->heard[i];
    const char *word = last && i == recognizer->count - 1 ? last : vocabulary[heard->word];
    fprintf(out, "%s{", i ? "," : "");
    if (with_confidence) fprintf(out, "\"conf\":%.6f,", 1.0 - 0.1 * i);
    fprintf(out, "\"end\":%.6f,\"start\":%.6f,\"word\":\"%s\"}", heard->end / RATE, heard->start / RATE, word);
  }
}

static void print_text(FILE *out, const Recognizer *recognizer, const char *last) {
  for (int i = 0; i < recognizer->count; i++)
    fprintf(out, "%s%s", i ? " " : "", last && i == recognizer->count - 1 ? last : vocabulary[recognizer->heard[i].word]);
}

static void print_reading(FILE *out, const Recognizer *recognizer, int index) {
  char last[16];
  snprintf(last, sizeof last, "other%d", index);
  const char *word = index ? last : NULL;
  fprintf(out, "%s{\"confidence\":%.6f,", index ? "," : "", 200.0 - 10 * index);
  if (recognizer->words && !recognizer->model->text_alternatives) {
    fprintf(out, "\"result\":[");
    print_words(out, recognizer, word, 0);
    fprintf(out, "],");
  }
  fprintf(out, "\"text\":\"");
  print_text(out, recognizer, word);
  fprintf(out, "\"}");
}

static const char *store(Recognizer *recognizer, char *text) {
  free(recognizer->answer);
  return recognizer->answer = text;
}

static const char *answer(Recognizer *recognizer) {
  const Model *model = recognizer->model;
  if (!strcmp(model->null, "result")) return NULL;
  if (*model->result) return store(recognizer, file_text(model->result));
  if (model->endless) {
    char *text = malloc((32 << 20) + 1);
    memset(text, ' ', 32 << 20);
    text[32 << 20] = 0;
    return store(recognizer, text);
  }
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (recognizer->alternatives) {
    fprintf(out, "{\"alternatives\":[");
    for (int i = 0; i < recognizer->alternatives; i++) print_reading(out, recognizer, i);
    fprintf(out, "]}");
  } else {
    fprintf(out, "{");
    if (recognizer->count && recognizer->words) {
      fprintf(out, "\"result\":[");
      print_words(out, recognizer, NULL, 1);
      fprintf(out, "],");
    }
    fprintf(out, "\"text\":\"");
    print_text(out, recognizer, NULL);
    fprintf(out, "\"}");
  }
  fclose(out);
  recognizer->count = recognizer->current = 0;
  recognizer->silence = 0;
  return store(recognizer, text);
}

const char *vosk_recognizer_result(Recognizer *recognizer) { return answer(recognizer); }

#ifndef LACKING
const char *vosk_recognizer_final_result(Recognizer *recognizer) {
  wait_for_byte(recognizer->model, recognizer->model->late, "final_result");
  return answer(recognizer);
}
#endif

const char *vosk_recognizer_partial_result(Recognizer *recognizer) {
  const Model *model = recognizer->model;
  if (!strcmp(model->null, "partial")) return NULL;
  if (*model->partial) return store(recognizer, file_text(model->partial));
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  fprintf(out, "{\"partial\":\"");
  print_text(out, recognizer, NULL);
  fprintf(out, "\"");
  if (recognizer->count && recognizer->partial_words) {
    fprintf(out, ",\"partial_result\":[");
    print_words(out, recognizer, NULL, 1);
    fprintf(out, "]");
  }
  fprintf(out, "}");
  fclose(out);
  return store(recognizer, text);
}

#ifndef MINIMAL
int vosk_model_find_word(Model *model, const char *word) {
  if (!strcmp(model->unknown, word)) return -1;
  for (int i = 1; i < WORD_COUNT; i++)
    if (!strcmp(vocabulary[i], word)) return i;
  return -1;
}

Recognizer *vosk_recognizer_new_grm(Model *model, float rate, const char *phrases) {
  note(model, "recognizer_new_grm %.0f %s", rate, phrases);
  return make(model);
}

void vosk_recognizer_set_words(Recognizer *recognizer, int on) { recognizer->words = on; }
void vosk_recognizer_set_partial_words(Recognizer *recognizer, int on) { recognizer->partial_words = on; }

void vosk_recognizer_set_max_alternatives(Recognizer *recognizer, int count) {
  note(recognizer->model, "max_alternatives %d", count);
  recognizer->alternatives = count;
}

void vosk_set_log_level(int level) { (void)level; }
#endif

#ifdef ENDPOINTER
void vosk_recognizer_set_endpointer_mode(Recognizer *recognizer, int mode) {
  note(recognizer->model, "endpointer_mode %d", mode);
}

void vosk_recognizer_set_endpointer_delays(Recognizer *recognizer, float start, float end, float longest) {
  note(recognizer->model, "endpointer_delays %.0f %.0f %.0f", start, end, longest);
}
#endif
