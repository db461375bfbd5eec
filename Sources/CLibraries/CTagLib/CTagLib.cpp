#include "CTagLib.h"

#include <pthread.h>
#include <taglib/mp4file.h>

#include <string>

#include "DescriptorStream.h"
#include "Tags.h"

namespace {

/// Runs a function of TagLib, and catches what it throws if no memory is left.
///
/// No exception may leave this file: a small build has no tables to unwind other functions.
template <typename Body> bool guarded(Body body) {
  try {
    body();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

syrinx_tags *syrinx_tags_create(void) {
  try {
    return new syrinx_tags();
  } catch (...) {
    return nullptr;
  }
}

void syrinx_tags_destroy(syrinx_tags *tags) { delete tags; }

bool syrinx_tags_read(
  syrinx_tags *tags, syrinx_tags_form form, const uint8_t *bytes, size_t count) {
  bool isRead = false;
  guarded([&] {
    if (count > SYRINX_LARGEST_TAG) return;
    const auto *start = reinterpret_cast<const char *>(bytes);
    isRead = tags->read(form, ByteVector(start, static_cast<unsigned int>(count)));
    tags->nameUnsupported();
  });
  if (!isRead) tags->damaged += 1;
  return isRead;
}

bool syrinx_tags_read_mp4(syrinx_tags *tags, int descriptor) {
  struct Work {
    syrinx_tags *tags;
    int descriptor;
    bool isRead;
  } work = {tags, descriptor, false};
  // TagLib calls itself for each atom in an atom, as often as the stack permits.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, syrinx::stackSize);
  pthread_t thread;
  const auto body = [](void *context) -> void * {
    auto *work = static_cast<Work *>(context);
    guarded([&] {
      syrinx::DescriptorStream stream(work->descriptor);
      if (stream.length() == 0) {
        work->isRead = true;
        return;
      }
      MP4::File file(&stream, false);
      if (stream.isExhausted || !file.isValid() || file.tag() == nullptr) return;
      work->tags->add(*file.tag());
      work->tags->nameUnsupported();
      work->isRead = true;
    });
    return nullptr;
  };
  tags->damaged += 1;
  const int code = pthread_create(&thread, &attributes, body, &work);
  pthread_attr_destroy(&attributes);
  if (code != 0) return false;
  pthread_join(thread, nullptr);
  if (work.isRead) tags->damaged -= 1;
  return work.isRead;
}

bool syrinx_tags_add_text(syrinx_tags *tags, const char *key, const char *text) {
  return guarded([&] { tags->texts.push_back({key, text}); });
}

bool syrinx_tags_add_picture(
  syrinx_tags *tags, uint32_t type, const char *media_type, const char *description,
  const uint8_t *bytes, size_t count, syrinx_picture_size size) {
  return guarded([&] {
    const auto *start = reinterpret_cast<const char *>(bytes);
    tags->pictures.push_back({type, media_type, description, std::string(start, count), size});
  });
}

bool syrinx_tags_add_chapter(
  syrinx_tags *tags, uint32_t start, uint32_t end, const char *title) {
  return guarded([&] { tags->chapters.push_back({start, end, title}); });
}

size_t syrinx_tags_text_count(const syrinx_tags *tags) { return tags->texts.size(); }
const char *syrinx_tags_key(const syrinx_tags *tags, size_t index) {
  return tags->texts[index].key.c_str();
}
const char *syrinx_tags_text(const syrinx_tags *tags, size_t index) {
  return tags->texts[index].value.c_str();
}

size_t syrinx_tags_picture_count(const syrinx_tags *tags) { return tags->pictures.size(); }
uint32_t syrinx_tags_picture_type(const syrinx_tags *tags, size_t index) {
  return tags->pictures[index].type;
}
const char *syrinx_tags_picture_media_type(const syrinx_tags *tags, size_t index) {
  return tags->pictures[index].mediaType.c_str();
}
const char *syrinx_tags_picture_description(const syrinx_tags *tags, size_t index) {
  return tags->pictures[index].description.c_str();
}
const uint8_t *syrinx_tags_picture_bytes(
  const syrinx_tags *tags, size_t index, size_t *count) {
  const auto &bytes = tags->pictures[index].bytes;
  *count = bytes.size();
  return reinterpret_cast<const uint8_t *>(bytes.data());
}

size_t syrinx_tags_chapter_count(const syrinx_tags *tags) { return tags->chapters.size(); }
uint32_t syrinx_tags_chapter_start(const syrinx_tags *tags, size_t index) {
  return tags->chapters[index].start;
}
uint32_t syrinx_tags_chapter_end(const syrinx_tags *tags, size_t index) {
  return tags->chapters[index].end;
}
const char *syrinx_tags_chapter_title(const syrinx_tags *tags, size_t index) {
  return tags->chapters[index].title.c_str();
}

size_t syrinx_tags_oversized(const syrinx_tags *tags) { return tags->losses.oversized; }
size_t syrinx_tags_damaged(const syrinx_tags *tags) { return tags->damaged; }
size_t syrinx_tags_excess(const syrinx_tags *tags) { return tags->losses.excess; }
const char *syrinx_tags_unsupported(const syrinx_tags *tags) { return tags->unsupported.c_str(); }

const uint8_t *syrinx_tags_render(syrinx_tags *tags, syrinx_tags_form form, size_t *count) {
  const bool isRendered = guarded([&] {
    tags->rendered = form == syrinx_tags_vorbis ? tags->vorbis() : tags->id3();
  });
  *count = isRendered ? tags->rendered.size() : 0;
  return isRendered ? reinterpret_cast<const uint8_t *>(tags->rendered.data()) : nullptr;
}

const uint8_t *syrinx_tags_render_picture(syrinx_tags *tags, size_t index, size_t *count) {
  const bool isRendered = guarded(
    [&] { tags->rendered = tags->flacPicture(tags->pictures.at(index))->render(); });
  *count = isRendered ? tags->rendered.size() : 0;
  return isRendered ? reinterpret_cast<const uint8_t *>(tags->rendered.data()) : nullptr;
}
