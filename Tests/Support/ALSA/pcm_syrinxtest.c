// A sound card for tests: an ALSA plug-in that is paced by a timer and fails on demand.
//
//   cc -shared -fPIC -DPIC -O1 -o libasound_module_pcm_syrinxtest.so pcm_syrinxtest.c -lasound
//
// A configuration such as syrinxtest.conf beside this file defines it, and it is opened by a name such as
//
//   syrinxtest:SCRIPT='format=S16 speed=4 xrun_at=4800'
//
// Playback appends the raw samples to `output=FILE`. Capture returns a ramp: i frames after the start of the device, the
// value of all channels is i mod 32768 in 16 bits, scaled to the format. Frames that are not read in time are missing in the
// ramp. With mark_channels=1, the value is (i mod 1024) + 1024 c in channel c, counted from 0.
//
// Words of a script (numbers are frames that the card has played or captured since it was opened):
//   format=F         the only sample format: FLOAT, S32, S24, S24_3LE, S16
//   rate=N           the only rate; channels=N: the only number of channels
//   chmap=FL,FR,…    the positions of its channels, which it reports if their number matches
//   set_chmap=1      the positions can be set; with 2, setting them succeeds without an effect
//   speed=N          time runs N times as fast (default 1); 0: not paced, frames are accepted at once
//   output=FILE      the file for playback
//   open_error=E     opening fails with errno E
//   xrun_at=N        an xrun, once; gone_at=N: ENODEV from then on, in every call
//   hangup_at=N      poll returns POLLHUP from then on
//   suspend_at=N     the machine sleeps, once; resume_again=N: resuming returns EAGAIN N times;
//   resume_error=E   and then fails with errno E
//   short=N          a transfer moves at most N frames; again_every=N: every N-th transfer returns EAGAIN
//   fail=E           every transfer fails with errno E from fail_at=N on (default: at once)
//   surplus=N        a transfer reports N frames more than it moved; claim=N: a transfer reports N frames, from
//                    claim_at=N on (default: at once); pointer=N: the position is N, from pointer_at=N on
//   start_error=E    starting fails with errno E; pollerr_at=N: poll returns POLLERR from then on
//   mmap=1           its memory can be mapped, which plug-ins that convert require of their device
//   early_wakes=1    poll returns "ready" at every tick, whether a period is available or not
//   again_in=CALL    CALL (prepare, start, or resume) returns EAGAIN again_times=N times (default 1) from again_at=N on
//   block_in=CALL    CALL (open, prepare, start, stop, transfer, pointer, or delay) takes block_ms=N, from block_at=N on
//                    (default: at once), as with a sound server that is stopped
//   stall_at=N       no frame moves from then on, and no error is reported
//   pause_at=N       time stands still for pause_ms=N, once, as with a server that suspends or moves a stream
//   gone_for_ms=N    with gone_at: after N ms, the card is available again if it is opened with the same script
//   plugged=FILE     the card is available while FILE exists; otherwise opening and every call fail with ENODEV
//   tell=PIPE        writes a byte to the named pipe PIPE, once, when a call blocks, returns EAGAIN, or finds the card gone
//   delay=N          the delay that it reports; delay_error=E: querying the delay fails with errno E
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { NONE = -1 };

struct card {
  snd_pcm_ioplug_t io;
  long format, rate, channels, speed, open_error, xrun_at, gone_at, hangup_at, suspend_at;
  long resume_again, resume_error, most, again_every, early_wakes, delay, delay_error;
  long set_chmap, mark_channels, again_times, again_at, block_at, block_ms, stall_at;
  long gone_for_ms, mmap, fail, fail_at, surplus, claim, claim_at, pointer, pointer_at, start_error, pollerr_at;
  long pause_at, pause_ms;
  int has_claim, has_pointer;
  char again_in[16], block_in[16], plugged[256], tell[256], script[1024];
  snd_pcm_chmap_t *chmap;
  int has_delay, output, running;
  int64_t began;        // the time at which the card last began to run, ns
  int64_t base;         // frames from the opening until then
  int64_t appl_base;    // the value of `base` at the last prepare, from which io's positions count
  int64_t moved;        // frames transferred since the last prepare
  int64_t halted;       // the time at which it last ceased to run, ns; 0 before its first run
  int64_t skipped;      // frames that passed the microphone while it did not run
  snd_pcm_uframes_t boundary;
  long transfers;
};

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t frames_since(const struct card *c, int64_t start) {
  return (__int128)(now() - start) * c->io.rate * (c->speed ? c->speed : 1) / 1000000000;
}

// Returns the number of frames played or captured since the card was opened.
static int64_t passed(const struct card *c) {
  if (!c->running) return c->base;
  if (c->speed) {
    int64_t position = c->base + frames_since(c, c->began);
    if (c->pause_at != NONE && position > c->pause_at) {
      position -= c->pause_ms * c->io.rate * c->speed / 1000;
      if (position < c->pause_at) position = c->pause_at;
    }
    return c->stall_at != NONE && position > c->stall_at ? c->stall_at : position;
  }
  return c->io.stream == SND_PCM_STREAM_PLAYBACK
             ? c->appl_base + c->moved
             : c->appl_base + c->moved + (int64_t)c->io.buffer_size - 1;
}

static int is_due(long *when, int64_t position) {
  if (*when == NONE || position < *when) return 0;
  *when = NONE;
  return 1;
}

// The cards that are gone for a time, by their scripts; a global variable, because it must outlive a card's closing.
static struct { char script[1024]; int64_t back_at; } absences[64];
static int absence_count;
static pthread_mutex_t absences_lock = PTHREAD_MUTEX_INITIALIZER;

// Returns the time at which the card of this script is back, or 0 if it has never been gone. If `length` is positive, the card
// is gone from now on for this time, in ns.
static int64_t back_at(const char *script, int64_t length) {
  int64_t when = 0;
  pthread_mutex_lock(&absences_lock);
  int i = 0;
  while (i < absence_count && strcmp(absences[i].script, script)) i++;
  if (i == absence_count && length > 0 && i < 64) {
    strcpy(absences[i].script, script);
    absences[i].back_at = now() + length;
    absence_count++;
  }
  if (i < absence_count) when = absences[i].back_at;
  pthread_mutex_unlock(&absences_lock);
  return when;
}

// Reports the fault of the script to the pipe, once.
static void tell(struct card *c) {
  if (!*c->tell) return;
  int pipe = open(c->tell, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (pipe >= 0 && write(pipe, "!", 1) == 1) *c->tell = 0;
  if (pipe >= 0) close(pipe);
}

static int is_gone(struct card *c) {
  if (*c->plugged && access(c->plugged, F_OK) < 0) return 1;
  if (c->gone_at == NONE || passed(c) < c->gone_at) return 0;
  tell(c);
  if (c->gone_for_ms > 0) back_at(c->script, c->gone_for_ms * 1000000);
  return 1;
}

// Returns whether the card is gone when it is opened; a card that is back is not lost again.
static int is_away(struct card *c) {
  if (c->gone_for_ms <= 0) return 0;
  int64_t when = back_at(c->script, 0);
  if (when && now() >= when) c->gone_at = NONE;
  return when && now() < when;
}

// Performs the script's faults for a call; a negative result is the error that the call returns.
static int enter(struct card *c, const char *call) {
  if (!strcmp(c->block_in, call) && passed(c) >= c->block_at) {
    tell(c);
    struct timespec t = {c->block_ms / 1000, c->block_ms % 1000 * 1000000};
    while (nanosleep(&t, &t) < 0) continue;
  }
  if (strcmp(c->again_in, call) || c->again_times <= 0 || passed(c) < c->again_at) return 0;
  c->again_times--;
  tell(c);
  return -EAGAIN;
}

static void halt(struct card *c) {
  if (c->running) c->halted = now();
  c->base = passed(c);
  if (c->base > c->pause_at) c->pause_at = NONE;
  c->running = 0;
}

static int start(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  int code = enter(c, "start");
  if (code < 0) return code;
  if (is_gone(c)) return -ENODEV;
  if (c->start_error) return -(int)c->start_error;
  c->began = now();
  if (c->halted && c->speed) c->skipped += frames_since(c, c->halted);
  c->running = 1;
  return 0;
}

static int stop(snd_pcm_ioplug_t *io) {
  enter(io->private_data, "stop");
  halt(io->private_data);
  return 0;
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  enter(c, "pointer");
  int64_t position = passed(c);
  if (is_gone(c)) return -ENODEV;
  if (c->has_pointer && position >= c->pointer_at) return c->pointer;
  if (is_due(&c->xrun_at, position)) {
    halt(c);
    return -EPIPE;
  }
  if (is_due(&c->suspend_at, position)) {
    halt(c);
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
  }
  int64_t ahead = c->appl_base + c->moved - position;  // frames still to be played
  int is_xrun = io->stream == SND_PCM_STREAM_PLAYBACK ? c->speed && ahead <= 0
                                                      : -ahead >= (int64_t)io->buffer_size;
  if (c->running && is_xrun) {
    halt(c);
    return -EPIPE;
  }
  return (position - c->appl_base) % c->boundary;
}

static int prepare(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  int code = enter(c, "prepare");
  if (code < 0) return code;
  if (is_gone(c)) return -ENODEV;
  halt(c);
  c->appl_base = c->base;
  c->moved = 0;
  return 0;
}

static int resume(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  int code = enter(c, "resume");
  if (code < 0) return code;
  if (c->resume_again > 0) {
    c->resume_again--;
    tell(c);
    return -EAGAIN;
  }
  if (c->resume_error != NONE) return -(int)c->resume_error;
  snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
  return start(io);
}

static void ramp(const struct card *c, char *to, int64_t from, snd_pcm_uframes_t frames) {
  for (snd_pcm_uframes_t i = 0; i < frames; i++)
    for (unsigned ch = 0; ch < c->io.channels; ch++) {
      int32_t index = (int32_t)((from + (int64_t)i) & 0x7fff);
      int32_t v = c->mark_channels ? (index & 0x3ff) | (int32_t)ch << 10 : index;
      switch (c->io.format) {
        case SND_PCM_FORMAT_S16: *(int16_t *)to = v, to += 2; break;
        case SND_PCM_FORMAT_S24_3LE: *to++ = 0, *to++ = v, *to++ = v >> 8; break;
        case SND_PCM_FORMAT_S24: *(int32_t *)to = v << 8, to += 4; break;
        case SND_PCM_FORMAT_S32: *(int32_t *)to = v << 16, to += 4; break;
        default: *(float *)to = v / 32768.0f, to += 4;
      }
    }
}

static snd_pcm_sframes_t transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                  snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  struct card *c = io->private_data;
  enter(c, "transfer");
  if (is_gone(c)) return -ENODEV;
  if (c->fail && passed(c) >= c->fail_at) return -(int)c->fail;
  // If earlier transfers reported too many frames, alsa-lib may request more than the buffer has.
  if (size > io->buffer_size) return -EAGAIN;
  c->transfers++;
  if (c->again_every > 0 && c->transfers % c->again_every == 0) return -EAGAIN;
  if (c->most > 0 && size > (snd_pcm_uframes_t)c->most) size = c->most;
  char *memory = (char *)areas->addr + (areas->first + areas->step * offset) / 8;
  if (io->stream == SND_PCM_STREAM_CAPTURE) {
    ramp(c, memory, c->appl_base + c->moved + c->skipped, size);
  } else if (c->output >= 0 && write(c->output, memory, size * areas->step / 8) < 0) {
    return -errno;
  }
  c->moved += size;
  if (passed(c) < c->claim_at) return size;
  return c->has_claim ? c->claim : (snd_pcm_sframes_t)size + c->surplus;
}

static int delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *frames) {
  struct card *c = io->private_data;
  enter(c, "delay");
  if (is_gone(c)) return -ENODEV;
  if (c->delay_error != NONE) return -(int)c->delay_error;
  int64_t ahead = c->appl_base + c->moved - passed(c);
  *frames = c->has_delay ? c->delay : io->stream == SND_PCM_STREAM_PLAYBACK ? ahead : -ahead;
  return 0;
}

static int hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
  struct card *c = io->private_data;
  (void)params;
  int64_t tick = (int64_t)io->period_size * 1000000000 / io->rate / 4;
  if (c->speed) tick /= c->speed;
  struct timespec interval = {tick / 1000000000, tick % 1000000000 + 1};
  struct itimerspec timer = {interval, interval};
  return timerfd_settime(io->poll_fd, 0, &timer, NULL) < 0 ? -errno : 0;
}

static int sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
  struct card *c = io->private_data;
  return snd_pcm_sw_params_get_boundary(params, &c->boundary);
}

static int poll_revents(snd_pcm_ioplug_t *io, struct pollfd *pfd, unsigned int count,
                        unsigned short *revents) {
  struct card *c = io->private_data;
  uint64_t ticks;
  *revents = 0;
  if (count != 1) return -EINVAL;
  if (c->hangup_at != NONE && passed(c) >= c->hangup_at) {
    *revents = POLLHUP;
    return 0;
  }
  if (c->pollerr_at != NONE && passed(c) >= c->pollerr_at) {
    *revents = POLLERR;
    return 0;
  }
  if (!(pfd->revents & POLLIN)) return 0;
  if (read(io->poll_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN) return -errno;
  snd_pcm_sframes_t avail = snd_pcm_avail_update(io->pcm);
  if (avail < 0 || c->early_wakes || avail >= (snd_pcm_sframes_t)io->period_size)
    *revents = io->stream == SND_PCM_STREAM_PLAYBACK ? POLLOUT : POLLIN;
  return 0;
}

static snd_pcm_chmap_t *copy_of(const snd_pcm_chmap_t *map) {
  size_t size = sizeof *map + map->channels * sizeof *map->pos;
  snd_pcm_chmap_t *copy = malloc(size);
  if (copy) memcpy(copy, map, size);
  return copy;
}

static snd_pcm_chmap_t *get_chmap(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  return c->chmap && c->chmap->channels == io->channels ? copy_of(c->chmap) : NULL;
}

static int set_chmap(snd_pcm_ioplug_t *io, const snd_pcm_chmap_t *map) {
  struct card *c = io->private_data;
  if (!c->set_chmap) return -ENXIO;
  if (c->set_chmap == 2) return 0;
  free(c->chmap);
  c->chmap = copy_of(map);
  return c->chmap ? 0 : -ENOMEM;
}

static int close_card(snd_pcm_ioplug_t *io) {
  struct card *c = io->private_data;
  close(io->poll_fd);
  if (c->output >= 0) close(c->output);
  free(c->chmap);
  free(c);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start,         .stop = stop,
    .pointer = pointer,     .prepare = prepare,
    .resume = resume,       .transfer = transfer,
    .delay = delay,         .hw_params = hw_params,
    .sw_params = sw_params, .poll_revents = poll_revents,
    .get_chmap = get_chmap, .set_chmap = set_chmap,
    .close = close_card,
};

static int read_word(struct card *c, const char *key, const char *value) {
  const struct { const char *key; char *field; size_t size; } words[] = {
      {"again_in", c->again_in, sizeof c->again_in},
      {"block_in", c->block_in, sizeof c->block_in},
      {"plugged", c->plugged, sizeof c->plugged},
      {"tell", c->tell, sizeof c->tell}};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(key, words[i].key))
      return snprintf(words[i].field, words[i].size, "%s", value) < (int)words[i].size ? 0 : -EINVAL;
  const struct { const char *key; long *field; } numbers[] = {
      {"rate", &c->rate}, {"channels", &c->channels}, {"speed", &c->speed},
      {"open_error", &c->open_error}, {"xrun_at", &c->xrun_at}, {"gone_at", &c->gone_at},
      {"hangup_at", &c->hangup_at}, {"suspend_at", &c->suspend_at},
      {"resume_again", &c->resume_again}, {"resume_error", &c->resume_error}, {"short", &c->most},
      {"again_every", &c->again_every}, {"early_wakes", &c->early_wakes}, {"delay", &c->delay},
      {"delay_error", &c->delay_error}, {"set_chmap", &c->set_chmap},
      {"mark_channels", &c->mark_channels}, {"again_times", &c->again_times},
      {"again_at", &c->again_at}, {"mmap", &c->mmap},
      {"fail", &c->fail}, {"fail_at", &c->fail_at},
      {"gone_for_ms", &c->gone_for_ms}, {"block_at", &c->block_at}, {"block_ms", &c->block_ms}, {"stall_at", &c->stall_at},
      {"surplus", &c->surplus}, {"claim", &c->claim}, {"claim_at", &c->claim_at}, {"pointer", &c->pointer},
      {"pointer_at", &c->pointer_at}, {"start_error", &c->start_error}, {"pollerr_at", &c->pollerr_at},
      {"pause_at", &c->pause_at}, {"pause_ms", &c->pause_ms}};
  if (!strcmp(key, "format")) return (c->format = snd_pcm_format_value(value)) < 0 ? -EINVAL : 0;
  if (!strcmp(key, "chmap")) return (c->chmap = snd_pcm_chmap_parse_string(value)) ? 0 : -EINVAL;
  if (!strcmp(key, "output")) {
    const int start = back_at(c->script, 0) ? O_APPEND : O_TRUNC;
    c->output = open(value, O_WRONLY | O_CREAT | O_CLOEXEC | start, 0644);
    return c->output < 0 ? -errno : 0;
  }
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!strcmp(key, numbers[i].key)) {
      *numbers[i].field = atol(value);
      if (!strcmp(key, "delay")) c->has_delay = 1;
      if (!strcmp(key, "claim")) c->has_claim = 1;
      if (!strcmp(key, "pointer")) c->has_pointer = 1;
      return 0;
    }
  SNDERR("syrinxtest does not know the word %s", key);
  return -EINVAL;
}

static int read_script(struct card *c, const char *script) {
  char copy[1024], *rest = copy, *word;
  snprintf(c->script, sizeof c->script, "%s", script);
  snprintf(copy, sizeof copy, "%s", script);
  while ((word = strsep(&rest, " "))) {
    char *value = strchr(word, '=');
    if (!*word) continue;
    if (!value) return -EINVAL;
    *value++ = 0;
    int code = read_word(c, word, value);
    if (code < 0) return code;
  }
  return 0;
}

static int constrain(struct card *c) {
  const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
  const unsigned formats[] = {SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_S24,
                              SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S16};
  const unsigned only = c->format;
  snd_pcm_ioplug_t *io = &c->io;
  int code = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, c->mmap ? 2 : 1, access);
  if (code >= 0)
    code = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, c->format < 0 ? 5 : 1,
                                         c->format < 0 ? formats : &only);
  if (code >= 0)
    code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE,
                                           c->rate > 0 ? c->rate : 8000,
                                           c->rate > 0 ? c->rate : 192000);
  if (code >= 0)
    code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS,
                                           c->channels > 0 ? c->channels : 1,
                                           c->channels > 0 ? c->channels : 8);
  if (code >= 0)
    code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 16, 1 << 22);
  if (code >= 0)
    code = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 1024);
  return code;
}

SND_PCM_PLUGIN_DEFINE_FUNC(syrinxtest) {
  (void)root;
  struct card *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  c->format = c->xrun_at = c->gone_at = c->hangup_at = c->suspend_at = NONE;
  c->resume_error = c->delay_error = c->output = c->stall_at = c->pollerr_at = c->pause_at = NONE;
  c->again_times = 1;
  c->speed = 1;
  c->boundary = 1 << 30;

  int code = 0;
  const char *script;
  snd_config_t *entry;
  if (snd_config_search(conf, "script", &entry) >= 0 && snd_config_get_string(entry, &script) >= 0)
    code = read_script(c, script);
  if (code >= 0 && c->open_error) code = -(int)c->open_error;
  if (code >= 0) code = enter(c, "open");
  if (code >= 0 && (is_away(c) || is_gone(c))) code = -ENODEV;
  if (code < 0) goto failed;

  c->io.version = SND_PCM_IOPLUG_VERSION;
  c->io.name = "Syrinx' test card";
  c->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA | SND_PCM_IOPLUG_FLAG_MONOTONIC;
  c->io.callback = &callbacks;
  c->io.private_data = c;
  c->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  c->io.poll_events = POLLIN;
  if (c->io.poll_fd < 0) {
    code = -errno;
    goto failed;
  }
  code = snd_pcm_ioplug_create(&c->io, name, stream, mode);
  if (code < 0) goto failed;
  code = constrain(c);
  if (code < 0) {
    snd_pcm_ioplug_delete(&c->io);
    return code;
  }
  *pcmp = c->io.pcm;
  return 0;
failed:
  if (c->output >= 0) close(c->output);
  free(c->chmap);
  free(c);
  return code;
}
SND_PCM_PLUGIN_SYMBOL(syrinxtest);
