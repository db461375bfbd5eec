#include "CleanID3.h"

#include <algorithm>
#include <cctype>
#include <string>

using TagLib::ByteVector;

namespace {

using Bytes = std::string;

size_t number(const Bytes &bytes, size_t offset, size_t count, int bits) {
  size_t value = 0;
  for (size_t index = offset; index < offset + count; index++) {
    value = value << bits | (static_cast<unsigned char>(bytes[index]) & ((1 << bits) - 1));
  }
  return value;
}

Bytes syncsafe(size_t value) {
  Bytes bytes;
  for (int shift = 21; shift >= 0; shift -= 7) bytes += static_cast<char>(value >> shift & 0x7F);
  return bytes;
}

/// Removes the zeros after bytes of 255, which keep decoders from taking them for audio.
Bytes resynchronized(const Bytes &bytes) {
  Bytes result;
  result.reserve(bytes.size());
  bool follows255 = false;
  for (const char byte : bytes) {
    if (!follows255 || byte != 0) result += byte;
    follows255 = byte == '\xFF';
  }
  return result;
}

bool isName(const Bytes &bytes, size_t offset, size_t length) {
  for (size_t index = offset; index < offset + length; index++) {
    const char byte = bytes[index];
    if (!(byte >= 'A' && byte <= 'Z') && !(byte >= '0' && byte <= '9')) return false;
  }
  return true;
}

/// The frames of a tag or of a chapter.
struct Frames {
  int version;
  bool isUnsynchronized;
  syrinx::Losses &losses;
  size_t count = 0;
  size_t textSize = 0;

  size_t nameLength() const { return version == 2 ? 3 : 4; }
  size_t headLength() const { return version == 2 ? 6 : 10; }

  Bytes cleaned(const Bytes &bytes, bool isChapter) {
    Bytes result;
    size_t offset = 0;
    while (offset + headLength() <= bytes.size() && isName(bytes, offset, nameLength())) {
      const Bytes name = bytes.substr(offset, nameLength());
      const size_t size = frameSize(bytes, offset);
      const size_t start = offset + headLength();
      const size_t room = bytes.size() - start;
      const bool isPicture = name == "APIC" || name == "PIC";
      if (size > room) {
        (isPicture ? losses.oversized : losses.excess) += 1;
        break;
      }
      if (++count > SYRINX_MOST_FRAMES || (!isPicture && textSize + size > SYRINX_LARGEST_TEXTS)) {
        losses.excess += 1;
      } else if (isChapter && name != "TIT2") {
        losses.unsupported.insert("CHAP/" + name);
      } else {
        // The frames in a chapter count for themselves.
        if (!isPicture && name != "CHAP") textSize += size;
        const int flags = version == 2 ? 0 : static_cast<unsigned char>(bytes[offset + 9]);
        result += frame(name, bytes.substr(start, size), flags);
      }
      offset = start + size;
    }
    return result;
  }

private:
  size_t frameSize(const Bytes &bytes, size_t offset) const {
    if (version == 2) return number(bytes, offset + 3, 3, 8);
    const size_t plain = number(bytes, offset + 4, 4, 8);
    if (version == 3) return plain;
    // Some writers store the sizes of version 2.4 as those of 2.3.
    const size_t size = number(bytes, offset + 4, 4, 7);
    const auto fits = [&](size_t size) {
      const size_t next = offset + 10 + size;
      return next == bytes.size()
        || (next + 4 < bytes.size() && (bytes[next] == 0 || isName(bytes, next, 4)));
    };
    return size != plain && !fits(size) && fits(plain) ? plain : size;
  }

  Bytes frame(const Bytes &name, Bytes body, int flags) {
    // The compressed and the encrypted ones, and those in groups, which have bytes before their text.
    if (flags & (version == 4 ? 0x4C : 0xE0)) {
      losses.unsupported.insert(name);
      return {};
    }
    if (version == 4 && (flags & 0x01)) body.erase(0, 4);
    if (version == 4 && ((flags & 0x02) || isUnsynchronized)) body = resynchronized(body);
    if (name == "CTOC") return {};
    if (name == "CHAP") {
      const size_t end = body.find('\0');
      if (end == Bytes::npos || end + 17 > body.size()) {
        losses.excess += 1;
        return {};
      }
      body = body.substr(0, end + 17) + cleaned(body.substr(end + 17), true);
    }
    if (body.empty() || body.size() >= 1 << 28) return {};
    if (version == 2) {
      if (body.size() >= 1 << 24) return {};
      Bytes size;
      for (int shift = 16; shift >= 0; shift -= 8) size += static_cast<char>(body.size() >> shift);
      return name + size + body;
    }
    if (version == 4) return name + syncsafe(body.size()) + Bytes(2, '\0') + body;
    Bytes size;
    for (int shift = 24; shift >= 0; shift -= 8) size += static_cast<char>(body.size() >> shift);
    return name + size + Bytes(2, '\0') + body;
  }
};

}  // namespace

ByteVector syrinx::cleanID3(const ByteVector &tag, Losses &losses) {
  const size_t headLength = 10;
  if (tag.size() <= headLength || !tag.startsWith("ID3")) return {};
  const int version = tag[3];
  const int flags = static_cast<unsigned char>(tag[5]);
  if (version < 2 || version > 4) return {};
  const Bytes all(tag.data(), tag.size());
  Bytes bytes = all.substr(headLength, number(all, 6, 4, 7));
  const bool isUnsynchronized = flags & 0x80;
  if (version < 4 && isUnsynchronized) bytes = resynchronized(bytes);
  if (version == 2 && (flags & 0x40)) return {};
  if (version > 2 && (flags & 0x40)) {
    // The size of the extended header contains its own four bytes in version 2.4 only.
    if (bytes.size() < 4) return {};
    const size_t size = version == 4 ? number(bytes, 0, 4, 7) : 4 + number(bytes, 0, 4, 8);
    if (size > bytes.size()) return {};
    bytes.erase(0, size);
  }
  Frames frames = {version, isUnsynchronized, losses};
  const Bytes clean = frames.cleaned(bytes, false);
  if (clean.size() >= 1 << 28) return {};
  const Bytes result =
    Bytes("ID3") + static_cast<char>(version) + Bytes(2, '\0') + syncsafe(clean.size()) + clean;
  return ByteVector(result.data(), static_cast<unsigned int>(result.size()));
}

ByteVector syrinx::cleanVorbis(const ByteVector &comments, Losses &losses) {
  const Bytes all(comments.data(), comments.size());
  const auto little = [&](size_t offset) {
    size_t value = 0;
    for (size_t index = 4; index > 0; index--) {
      value = value << 8 | static_cast<unsigned char>(all[offset + index - 1]);
    }
    return value;
  };
  const auto size = [](size_t value) {
    Bytes bytes;
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  if (all.size() < 8 || little(0) > all.size() - 8) return {};
  size_t offset = 4 + little(0);
  const size_t announced = little(offset);
  offset += 4;
  Bytes kept;
  size_t count = 0, textSize = 0;
  for (size_t index = 0; index < announced; index++) {
    const bool isWhole = offset + 4 <= all.size() && little(offset) <= all.size() - offset - 4;
    if (!isWhole) {
      losses.excess += 1;
      break;
    }
    const Bytes comment = all.substr(offset + 4, little(offset));
    offset += 4 + comment.size();
    Bytes key = comment.substr(0, std::min<size_t>(comment.find('='), 32));
    for (auto &byte : key) byte = static_cast<char>(std::toupper(static_cast<unsigned char>(byte)));
    const bool isPicture = key == "METADATA_BLOCK_PICTURE" || key == "COVERART";
    // TagLib ends a value at a zero; several values may be between zeros. What follows a zero before
    // the name has no name.
    const size_t equals = comment.find('=');
    const bool isNamed = equals < comment.find('\0');
    const Bytes name = isNamed ? comment.substr(0, equals + 1) : Bytes();
    size_t start = 0;
    while (start <= comment.size()) {
      const size_t end = std::min(comment.find('\0', start), comment.size());
      const Bytes part = comment.substr(start, end - start);
      const bool isFirst = start == 0;
      start = end + 1;
      if (part.empty() && !isFirst) continue;
      const Bytes whole = isFirst ? part : name + part;
      const bool isTooLong = !isPicture && textSize + whole.size() > SYRINX_LARGEST_TEXTS;
      if (count >= SYRINX_MOST_FRAMES || isTooLong) {
        losses.excess += 1;
        break;
      }
      if (!isPicture) textSize += whole.size();
      count += 1;
      kept += size(whole.size()) + whole;
      if (!isNamed) break;
    }
  }
  const Bytes result = size(0) + size(count) + kept;
  return ByteVector(result.data(), static_cast<unsigned int>(result.size()));
}
