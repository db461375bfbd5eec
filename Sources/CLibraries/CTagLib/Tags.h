#pragma once
#include <taglib/apetag.h>
#include <taglib/attachedpictureframe.h>
#include <taglib/chapterframe.h>
#include <taglib/commentsframe.h>
#include <taglib/flacpicture.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2synchdata.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4file.h>
#include <taglib/tableofcontentsframe.h>
#include <taglib/tbytevectorstream.h>
#include <taglib/textidentificationframe.h>
#include <taglib/tpropertymap.h>
#include <taglib/unsynchronizedlyricsframe.h>
#include <taglib/xiphcomment.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "CTagLib.h"
#include "CleanID3.h"

using namespace TagLib;

namespace syrinx {

struct Text {
  std::string key, value;
};

struct Picture {
  uint32_t type;
  std::string mediaType, description, bytes;
  syrinx_picture_size size = {};
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

inline String fromUTF8(const char *text) { return String(text, String::UTF8); }

}  // namespace syrinx

struct syrinx_tags {
  std::vector<syrinx::Text> texts;
  std::vector<syrinx::Picture> pictures;
  std::vector<syrinx::Chapter> chapters;
  syrinx::Losses losses;
  size_t damaged = 0;
  std::string unsupported;
  ByteVector rendered;

  /// Lists the names of what was left out.
  void nameUnsupported() {
    unsupported.clear();
    for (const auto &name : losses.unsupported) {
      unsupported += (unsupported.empty() ? "" : "\n") + name;
    }
  }

  void add(const String &key, const StringList &values) {
    for (const auto &value : values) texts.push_back({key.to8Bit(true), value.to8Bit(true)});
  }

  void add(const PropertyMap &map) {
    for (const auto &entry : map) add(entry.first, entry.second);
  }

  void add(
    uint32_t type, const String &mediaType, const String &description, const ByteVector &data) {
    if (data.size() > SYRINX_LARGEST_TAG) {
      losses.oversized += 1;
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
    const auto properties = tag.properties();
    add(properties);
    const std::set<std::string> known = {"APIC", "CHAP", "CTOC"};
    for (const auto &name : properties.unsupportedData()) {
      // TagLib writes `UNKNOWN/PCNT` for frames that it does not know, and `PRIV/owner`.
      const auto plain = name.startsWith("UNKNOWN/") ? name.substr(8) : name;
      const auto frame = plain.substr(0, 4).to8Bit(true);
      if (known.count(frame) == 0) losses.unsupported.insert(frame);
    }
    for (const auto *frame : tag.frameList("APIC")) {
      const ID3v2::AttachedPictureFrame picture(bytes(*frame));
      add(picture.type(), picture.mimeType(), picture.description(), picture.picture());
    }
    for (const auto *frame : tag.frameList("CHAP")) {
      const ID3v2::ChapterFrame chapter(tag.header(), bytes(*frame));
      const auto &titles = chapter.embeddedFrameList("TIT2");
      chapters.push_back(
        {chapter.startTime(), chapter.endTime(),
         titles.isEmpty() ? std::string() : titles.front()->toString().to8Bit(true)});
    }
  }

  /// A frame in bytes, from which a frame of a certain class is made.
  ///
  /// The small build has no type information: it would load TagLib at the start.
  static ByteVector bytes(const ID3v2::Frame &frame) {
    const auto fields = frame.render().mid(10);
    return frame.frameID() + ID3v2::SynchData::fromUInt(fields.size()) + ByteVector(2, '\0') + fields;
  }

  void add(const APE::Tag &tag) {
    add(tag.properties());
    for (const auto &entry : tag.itemListMap()) {
      const auto &item = entry.second;
      const bool isCover = entry.first.upper().startsWith("COVER ART");
      if (item.type() != APE::Item::Binary || !isCover) continue;
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
    for (const auto &name : properties.unsupportedData()) {
      const auto values = tag.item(name).toStringList();
      if (name.startsWith("----:") && !values.isEmpty()) {
        // A free name follows its owner, such as `----:com.apple.iTunes:MOOD`.
        add(name.substr(name.rfind(":") + 1).upper(), values);
      } else if (name != "covr" && name != "\251too" && losses.unsupported.size() < 100) {
        losses.unsupported.insert(name.to8Bit(true));
      }
    }
    for (const auto &cover : tag.item("covr").toCoverArtList()) {
      const bool isPNG = cover.format() == MP4::CoverArt::PNG;
      add(3, isPNG ? "image/png" : "image/jpeg", {}, cover.data());
    }
  }

  /// Reads a tag; returns false if it is damaged.
  bool read(syrinx_tags_form form, const ByteVector &bytes) {
    if (form == syrinx_tags_vorbis) {
      const auto comments = syrinx::cleanVorbis(bytes, losses);
      if (comments.isEmpty()) return false;
      Ogg::XiphComment comment(comments);
      add(comment.properties());
      add(comment.pictureList());
      return true;
    }
    const auto clean = form == syrinx_tags_id3v2 ? syrinx::cleanID3(bytes, losses)
      : form == syrinx_tags_ape ? withFewItems(bytes)
      : bytes;
    if (clean.isEmpty()) return bytes.size() <= 10;
    ByteVectorStream stream(clean);
    syrinx::BytesFile file(&stream);
    const long size = clean.size();
    switch (form) {
    case syrinx_tags_id3v2: add(ID3v2::Tag(&file, 0)); break;
    case syrinx_tags_id3v1:
      if (size == 128) add(ID3v1::Tag(&file, 0).properties());
      break;
    case syrinx_tags_ape:
      if (size >= 32) add(APE::Tag(&file, size - 32));
      break;
    case syrinx_tags_vorbis: break;
    }
    return true;
  }

  /// An APE tag whose footer announces no more items than are read.
  ByteVector withFewItems(const ByteVector &tag) {
    const unsigned int size = tag.size();
    if (size < 32) return tag;
    const unsigned int place = size - 32 + 16;
    const unsigned int count = tag.toUInt(place, false);
    if (count <= SYRINX_MOST_FRAMES) return tag;
    losses.excess += count - SYRINX_MOST_FRAMES;
    ByteVector result = tag;
    const auto limit = ByteVector::fromUInt(SYRINX_MOST_FRAMES, false);
    for (unsigned int index = 0; index < 4; index++) result[place + index] = limit[index];
    return result;
  }

  PropertyMap properties() const {
    PropertyMap map;
    for (const auto &text : texts) {
      const auto value = syrinx::fromUTF8(text.value.c_str());
      map.insert(syrinx::fromUTF8(text.key.c_str()), StringList(value));
    }
    return map;
  }

  ByteVector data(const syrinx::Picture &picture) const {
    return ByteVector(picture.bytes.data(), static_cast<unsigned int>(picture.bytes.size()));
  }

  std::unique_ptr<FLAC::Picture> flacPicture(const syrinx::Picture &picture) const {
    auto block = std::make_unique<FLAC::Picture>();
    block->setType(static_cast<FLAC::Picture::Type>(picture.type));
    block->setMimeType(syrinx::fromUTF8(picture.mediaType.c_str()));
    block->setDescription(syrinx::fromUTF8(picture.description.c_str()));
    block->setWidth(static_cast<int>(picture.size.width));
    block->setHeight(static_cast<int>(picture.size.height));
    block->setColorDepth(static_cast<int>(picture.size.depth));
    block->setNumColors(static_cast<int>(picture.size.colors));
    block->setData(data(picture));
    return block;
  }

  ByteVector vorbis() const {
    // The vendor, and no comments yet.
    Ogg::XiphComment comment(ByteVector("\6\0\0\0Syrinx\0\0\0\0", 14));
    for (const auto &text : texts) {
      const auto value = syrinx::fromUTF8(text.value.c_str());
      comment.addField(syrinx::fromUTF8(text.key.c_str()), value, false);
    }
    for (const auto &picture : pictures) comment.addPicture(flacPicture(picture).release());
    return comment.render(false);
  }

  /// Removes several values, for which TagLib has only `TXXX`.
  static StringList takeSeveral(PropertyMap &map, const char *key) {
    const auto values = map.value(key);
    if (values.size() < 2) return {};
    map.erase(key);
    return values;
  }

  template <typename Frame> static void add(ID3v2::Tag &tag, const StringList &values) {
    for (const auto &value : values) {
      auto frame = std::make_unique<Frame>(String::UTF8);
      frame->setText(value);
      tag.addFrame(frame.release());
    }
  }

  ByteVector id3() const {
    ID3v2::Tag tag;
    auto map = properties();
    const auto comments = takeSeveral(map, "COMMENT");
    const auto lyrics = takeSeveral(map, "LYRICS");
    tag.setProperties(map);
    add<ID3v2::CommentsFrame>(tag, comments);
    add<ID3v2::UnsynchronizedLyricsFrame>(tag, lyrics);
    for (const auto &picture : pictures) {
      auto frame = std::make_unique<ID3v2::AttachedPictureFrame>();
      frame->setTextEncoding(String::UTF8);
      frame->setType(static_cast<ID3v2::AttachedPictureFrame::Type>(picture.type));
      frame->setMimeType(syrinx::fromUTF8(picture.mediaType.c_str()));
      frame->setDescription(syrinx::fromUTF8(picture.description.c_str()));
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
        title->setText(syrinx::fromUTF8(chapter.title.c_str()));
        frame->addEmbeddedFrame(title.release());
      }
      tag.addFrame(frame.release());
    }
    // The table counts its chapters in one byte.
    if (!identifiers.isEmpty() && identifiers.size() <= 255) {
      auto table = std::make_unique<ID3v2::TableOfContentsFrame>("toc", identifiers);
      table->setIsTopLevel(true);
      table->setIsOrdered(true);
      tag.addFrame(table.release());
    }
    return tag.isEmpty() ? ByteVector() : tag.render(ID3v2::v4);
  }
};
