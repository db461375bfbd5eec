#pragma once
#include <sys/stat.h>
#include <taglib/taglib.h>
#include <taglib/tiostream.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "CTagLib.h"

namespace syrinx {

/// The stack of a thread that reads MP4: TagLib calls itself for each atom in an atom.
constexpr size_t stackSize = 8 << 20;

#if TAGLIB_MAJOR_VERSION >= 2
using FileOffset = TagLib::offset_t;
using FileCount = size_t;
#else
using FileOffset = unsigned long;
using FileCount = unsigned long;
#endif

/// The atom `moov` of an MP4 file, which TagLib reads through a descriptor whose position stays.
///
/// The other atoms, of which a file in fragments has thousands, have no tags.
class DescriptorStream : public TagLib::IOStream {
  /// TagLib reads once for each atom; more are damage.
  static constexpr int mostReads = 200'000;
  /// The most bytes to read: tags with pictures.
  static constexpr size_t mostBytes = 2 * SYRINX_LARGEST_TAG;

  int descriptor;
  long start = 0;
  long size = 0;
  long position = 0;
  int reads = 0;
  size_t bytesRead = 0;
  /// An address at the beginning of the stack.
  const uintptr_t stackBegin;

  void find(long end) {
    long offset = 0;
    for (int count = 0; count < mostReads && offset < end; count++) {
      unsigned char head[16] = {};
      if (pread(descriptor, head, sizeof head, offset) < 8) return;
      long length = 0;
      for (int index = 0; index < 4; index++) length = length << 8 | head[index];
      if (length == 1) {
        length = 0;
        for (int index = 8; index < 15; index++) length = length << 8 | head[index + 1];
        if (head[8] != 0) return;
      } else if (length == 0) {
        length = end - offset;
      }
      if (length < 8) return;
      if (std::memcmp(head + 4, "moov", 4) == 0) {
        start = offset;
        size = std::min(length, end - offset);
        return;
      }
      if (__builtin_add_overflow(offset, length, &offset)) return;
    }
  }

public:
  /// Whether there are too many atoms, too many in each other, or too many bytes.
  bool isExhausted = false;

  explicit DescriptorStream(int descriptor)
      : descriptor(descriptor),
        stackBegin(reinterpret_cast<uintptr_t>(__builtin_frame_address(0))) {
    struct stat status;
    if (fstat(descriptor, &status) == 0) find(status.st_size);
  }

  TagLib::ByteVector readBlock(FileCount length) override {
    // The other half of the stack is for the end of the calls. Without bytes, TagLib ends them.
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (++reads > mostReads || stackBegin - here > stackSize / 2) isExhausted = true;
    if (isExhausted) return {};
    const long rest = std::max(0L, size - position);
    const size_t count = std::min(
      {static_cast<size_t>(length), static_cast<size_t>(rest),
       static_cast<size_t>(SYRINX_LARGEST_TAG + 1024)});
    bytesRead += count;
    if (bytesRead > mostBytes) isExhausted = true;
    if (isExhausted) return {};
    TagLib::ByteVector block(static_cast<unsigned int>(count), 0);
    const long done = count == 0 ? 0 : pread(descriptor, block.data(), count, start + position);
    block.resize(static_cast<unsigned int>(std::max(0L, done)));
    position += std::max(0L, done);
    return block;
  }

  void seek(long offset, Position origin) override {
    const long from = origin == Beginning ? 0 : origin == Current ? position : size;
    if (__builtin_add_overflow(from, offset, &position) || position < 0) position = 0;
  }

  TagLib::FileName name() const override { return ""; }
  long tell() const override { return position; }
  long length() override { return size; }
  bool isOpen() const override { return true; }
  bool readOnly() const override { return true; }
  void writeBlock(const TagLib::ByteVector &) override {}
  void insert(const TagLib::ByteVector &, FileOffset, FileCount) override {}
  void removeBlock(FileOffset, FileCount) override {}
  void truncate(long) override {}
};

}  // namespace syrinx
