#include "CTagLib.h"

#include <pthread.h>
#include <taglib/apetag.h>
#include <taglib/attachedpictureframe.h>
#include <taglib/chapterframe.h>
#include <taglib/flacpicture.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4file.h>
#include <taglib/tableofcontentsframe.h>
#include <taglib/tbytevectorstream.h>
#include <taglib/textidentificationframe.h>
#include <taglib/tpropertymap.h>
#include <taglib/xiphcomment.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "CleanID3.h"
#include "DescriptorStream.h"

using namespace TagLib;

namespace {

struct Text {
  std::string key, value;
};

struct Picture {
  uint32_t type;
  std::string mediaType, description, bytes;
};

struct Chapter {
  uint32_t start, end;
  std::string title;
};

/// Bytes as a file of TagLib, in which only the asked place is read.
class BytesFile : public File {
public:
  explicit BytesFile(IOStream *stream) : File(stream) {}
  TagLib::Tag *tag() const override { return nullptr; }
  AudioProperties *audioProperties() const override { return nullptr; }
  bool save() override { return false; }
};

String fromUTF8(const char *text) { return String(text, String::UTF8); }

/// Runs a function of TagLib; nothing that it throws gets out.
template <typename Body> bool guarded(Body body) {
  try {
    body();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

struct syrinx_tags {
  std::vector<Text> texts;
  std::vector<Picture> pictures;
  std::vector<Chapter> chapters;
  size_t oversized = 0;
  ByteVector rendered;

  void add(const String &key, const StringList &values) {
    for (const auto &value : values) texts.push_back({key.to8Bit(true), value.to8Bit(true)});
  }

  void add(const PropertyMap &map) {
    for (const auto &entry : map) add(entry.first, entry.second);
  }

  void add(uint32_t type, const String &mediaType, const String &description, const ByteVector &data) {
    if (data.size() > syrinx::largestPicture) {
      oversized += 1;
      return;
    }
    pictures.push_back(
      {type, mediaType.to8Bit(true), description.to8Bit(true), {data.data(), data.size()}});
  }

  void add(const List<FLAC::Picture *> &list) {
    for (const auto *picture : list) {
      add(picture->type(), picture->mimeType(), picture->description(), picture->data());
    }
  }

  void add(const ID3v2::Tag &tag) {
    add(tag.properties());
    for (auto *frame : tag.frameList("APIC")) {
      if (auto *picture = dynamic_cast<ID3v2::AttachedPictureFrame *>(frame)) {
        add(picture->type(), picture->mimeType(), picture->description(), picture->picture());
      }
    }
    for (auto *frame : tag.frameList("CHAP")) {
      if (auto *chapter = dynamic_cast<ID3v2::ChapterFrame *>(frame)) {
        const auto &titles = chapter->embeddedFrameList("TIT2");
        chapters.push_back(
          {chapter->startTime(), chapter->endTime(),
           titles.isEmpty() ? std::string() : titles.front()->toString().to8Bit(true)});
      }
    }
  }

  void add(const APE::Tag &tag) {
    add(tag.properties());
    for (const auto &entry : tag.itemListMap()) {
      const auto &item = entry.second;
      if (item.type() != APE::Item::Binary || !entry.first.upper().startsWith("COVER ART")) continue;
      // The name of a file precedes the picture.
      const auto data = item.binaryData();
      const int end = data.find('\0');
      if (end < 0) continue;
      const auto picture = data.mid(end + 1);
      const bool isPNG = picture.startsWith("\x89PNG");
      const bool isBack = entry.first.upper().find("(BACK)") >= 0;
      add(isBack ? 4 : 3, isPNG ? "image/png" : "image/jpeg", {}, picture);
    }
  }

  void add(MP4::Tag &tag) {
    const auto properties = tag.properties();
    add(properties);
    const String prefix = "----:com.apple.iTunes:";
    for (const auto &name : properties.unsupportedData()) {
      if (!name.startsWith(prefix)) continue;
      add(name.substr(prefix.size()).upper(), tag.item(name).toStringList());
    }
    for (const auto &cover : tag.item("covr").toCoverArtList()) {
      const bool isPNG = cover.format() == MP4::CoverArt::PNG;
      add(3, isPNG ? "image/png" : "image/jpeg", {}, cover.data());
    }
  }

  void read(syrinx_tags_form form, const ByteVector &bytes) {
    if (form == syrinx_tags_vorbis) {
      Ogg::XiphComment comment(bytes);
      add(comment.properties());
      add(comment.pictureList());
      return;
    }
    const auto clean =
      form == syrinx_tags_id3v2 ? syrinx::cleanID3(bytes, oversized) : bytes;
    ByteVectorStream stream(clean);
    BytesFile file(&stream);
    const long size = clean.size();
    switch (form) {
    case syrinx_tags_id3v2: return add(ID3v2::Tag(&file, 0));
    case syrinx_tags_id3v1:
      if (size == 128) add(ID3v1::Tag(&file, 0).properties());
      return;
    case syrinx_tags_ape:
      if (size >= 32) add(APE::Tag(&file, size - 32));
      return;
    case syrinx_tags_vorbis: return;
    }
  }

  PropertyMap properties() const {
    PropertyMap map;
    for (const auto &text : texts) {
      map.insert(fromUTF8(text.key.c_str()), StringList(fromUTF8(text.value.c_str())));
    }
    return map;
  }

  ByteVector data(const Picture &picture) const {
    return ByteVector(picture.bytes.data(), static_cast<unsigned int>(picture.bytes.size()));
  }

  std::unique_ptr<FLAC::Picture> flacPicture(const Picture &picture) const {
    auto block = std::make_unique<FLAC::Picture>();
    block->setType(static_cast<FLAC::Picture::Type>(picture.type));
    block->setMimeType(fromUTF8(picture.mediaType.c_str()));
    block->setDescription(fromUTF8(picture.description.c_str()));
    block->setData(data(picture));
    return block;
  }

  ByteVector vorbis() const {
    // The vendor, and no comments yet.
    Ogg::XiphComment comment(ByteVector("\6\0\0\0Syrinx\0\0\0\0", 14));
    for (const auto &text : texts) {
      comment.addField(fromUTF8(text.key.c_str()), fromUTF8(text.value.c_str()), false);
    }
    for (const auto &picture : pictures) comment.addPicture(flacPicture(picture).release());
    return comment.render(false);
  }

  ByteVector id3() const {
    ID3v2::Tag tag;
    tag.setProperties(properties());
    for (const auto &picture : pictures) {
      auto frame = std::make_unique<ID3v2::AttachedPictureFrame>();
      frame->setTextEncoding(String::UTF8);
      frame->setType(static_cast<ID3v2::AttachedPictureFrame::Type>(picture.type));
      frame->setMimeType(fromUTF8(picture.mediaType.c_str()));
      frame->setDescription(fromUTF8(picture.description.c_str()));
      frame->setPicture(data(picture));
      tag.addFrame(frame.release());
    }
    ByteVectorList identifiers;
    for (const auto &chapter : chapters) {
      const auto number = std::to_string(identifiers.size());
      const ByteVector identifier(("chp" + number).c_str());
      identifiers.append(identifier);
      const auto none = 0xFFFFFFFF;
      auto frame = std::make_unique<ID3v2::ChapterFrame>(
        identifier, chapter.start, chapter.end, none, none);
      if (!chapter.title.empty()) {
        auto title = std::make_unique<ID3v2::TextIdentificationFrame>("TIT2", String::UTF8);
        title->setText(fromUTF8(chapter.title.c_str()));
        frame->addEmbeddedFrame(title.release());
      }
      tag.addFrame(frame.release());
    }
    if (!identifiers.isEmpty()) {
      auto table = std::make_unique<ID3v2::TableOfContentsFrame>("toc", identifiers);
      table->setIsTopLevel(true);
      table->setIsOrdered(true);
      tag.addFrame(table.release());
    }
    return tag.isEmpty() ? ByteVector() : tag.render(ID3v2::v4);
  }
};

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
  return guarded([&] {
    if (count > syrinx::longestTag) throw std::length_error("tag");
    const auto *start = reinterpret_cast<const char *>(bytes);
    tags->read(form, ByteVector(start, static_cast<unsigned int>(count)));
  });
}

bool syrinx_tags_read_mp4(syrinx_tags *tags, int descriptor) {
  struct Work {
    syrinx_tags *tags;
    int descriptor;
    bool isRead;
  } work = {tags, descriptor, false};
  // TagLib calls itself for each atom in an atom. The stack is for as many as the stream lets it read.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, syrinx::stackSize);
  pthread_t thread;
  const auto body = [](void *context) -> void * {
    auto *work = static_cast<Work *>(context);
    work->isRead = guarded([&] {
      syrinx::DescriptorStream stream(work->descriptor);
      MP4::File file(&stream, false);
      if (file.isValid() && file.tag() != nullptr) work->tags->add(*file.tag());
    });
    return nullptr;
  };
  const int code = pthread_create(&thread, &attributes, body, &work);
  pthread_attr_destroy(&attributes);
  if (code != 0) return false;
  pthread_join(thread, nullptr);
  return work.isRead;
}

bool syrinx_tags_add_text(syrinx_tags *tags, const char *key, const char *text) {
  return guarded([&] { tags->texts.push_back({key, text}); });
}

bool syrinx_tags_add_picture(
  syrinx_tags *tags, uint32_t type, const char *media_type, const char *description,
  const uint8_t *bytes, size_t count) {
  return guarded([&] {
    const auto *start = reinterpret_cast<const char *>(bytes);
    tags->pictures.push_back({type, media_type, description, std::string(start, count)});
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

size_t syrinx_tags_oversized(const syrinx_tags *tags) { return tags->oversized; }

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
