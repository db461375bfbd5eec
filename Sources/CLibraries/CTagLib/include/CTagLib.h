#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// TagLib for Swift: its own C interface has neither pictures nor chapters, and Swift imports no C++
// here. No exception leaves these functions: they report failures by their results.

/// The size of the largest tag that is read and written, with its pictures.
#define SYRINX_LARGEST_TAG 67108864
/// The largest size of the texts of a tag, without its pictures.
#define SYRINX_LARGEST_TEXTS 16777216
/// The most frames or comments of a tag.
#define SYRINX_MOST_FRAMES 10000

#ifdef __cplusplus
extern "C" {
#endif

/// The texts, pictures, and chapters of a file.
typedef struct syrinx_tags syrinx_tags;

/// The forms of tags in bytes.
typedef enum {
  /// ID3, version 2, from its header on.
  syrinx_tags_id3v2,
  /// ID3, version 1: 128 bytes.
  syrinx_tags_id3v1,
  /// APE, whose footer is at the end of the bytes.
  syrinx_tags_ape,
  /// Vorbis comments without the name of the packet; read and rendered without the framing bit.
  syrinx_tags_vorbis,
} syrinx_tags_form;

/// The size of a picture in pixels, its bits per pixel, and the number of its indexed colors; FLAC stores
/// them, and 0 stands for an unknown number.
typedef struct {
  uint32_t width, height, depth, colors;
} syrinx_picture_size;

/// Creates an empty set of tags; NULL without memory.
syrinx_tags *syrinx_tags_create(void);
void syrinx_tags_destroy(syrinx_tags *tags);

/// Adds the tags in bytes; returns false if they cannot be read.
bool syrinx_tags_read(
  syrinx_tags *tags, syrinx_tags_form form, const uint8_t *bytes, size_t count);
/// Adds the tags of an MP4 file; returns false if they cannot be read.
bool syrinx_tags_read_mp4(syrinx_tags *tags, int descriptor);

/// Adds a text in UTF-8.
bool syrinx_tags_add_text(syrinx_tags *tags, const char *key, const char *text);
/// Adds a picture; the types are those of ID3, for example 3 for the front cover.
bool syrinx_tags_add_picture(
  syrinx_tags *tags, uint32_t type, const char *media_type, const char *description,
  const uint8_t *bytes, size_t count, syrinx_picture_size size);
/// Adds a chapter with its times in milliseconds.
bool syrinx_tags_add_chapter(
  syrinx_tags *tags, uint32_t start, uint32_t end, const char *title);

size_t syrinx_tags_text_count(const syrinx_tags *tags);
const char *syrinx_tags_key(const syrinx_tags *tags, size_t index);
const char *syrinx_tags_text(const syrinx_tags *tags, size_t index);

size_t syrinx_tags_picture_count(const syrinx_tags *tags);
uint32_t syrinx_tags_picture_type(const syrinx_tags *tags, size_t index);
const char *syrinx_tags_picture_media_type(const syrinx_tags *tags, size_t index);
const char *syrinx_tags_picture_description(const syrinx_tags *tags, size_t index);
const uint8_t *syrinx_tags_picture_bytes(
  const syrinx_tags *tags, size_t index, size_t *count);

size_t syrinx_tags_chapter_count(const syrinx_tags *tags);
uint32_t syrinx_tags_chapter_start(const syrinx_tags *tags, size_t index);
uint32_t syrinx_tags_chapter_end(const syrinx_tags *tags, size_t index);
const char *syrinx_tags_chapter_title(const syrinx_tags *tags, size_t index);

/// The number of pictures that were left out because they are too large.
size_t syrinx_tags_oversized(const syrinx_tags *tags);
/// The number of texts and other frames that were left out because there are too many.
size_t syrinx_tags_excess(const syrinx_tags *tags);
/// The number of tags that could not be read.
size_t syrinx_tags_damaged(const syrinx_tags *tags);
/// The names of frames that were left out, such as `PRIV`, one per line.
const char *syrinx_tags_unsupported(const syrinx_tags *tags);

/// Renders the tags, pictures, and chapters; the bytes are valid until the next call. NULL on failure.
const uint8_t *syrinx_tags_render(syrinx_tags *tags, syrinx_tags_form form, size_t *count);
/// Renders a picture as the content of a block of FLAC; the bytes are valid until the next call.
const uint8_t *syrinx_tags_render_picture(syrinx_tags *tags, size_t index, size_t *count);

#ifdef __cplusplus
}
#endif
