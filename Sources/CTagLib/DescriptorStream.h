#pragma once
#include <sys/stat.h>
#include <taglib/tiostream.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "CleanID3.h"

namespace syrinx {

/// The stack of a thread that reads MP4: more than `mostReads` calls in calls need.
constexpr size_t stackSize = 64 << 20;

/// A file that TagLib reads through a descriptor, whose position stays.
class DescriptorStream : public TagLib::IOStream {
  /// TagLib reads once for each atom; more are damage.
  static constexpr int mostReads = 30'000;

  int descriptor;
  long size = 0;
  long position = 0;
  int reads = 0;

public:
  explicit DescriptorStream(int descriptor) : descriptor(descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) == 0) size = status.st_size;
  }

  TagLib::ByteVector readBlock(unsigned long length) override {
    if (++reads > mostReads) throw std::length_error("too many reads");
    const long rest = std::max(0L, size - position);
    const size_t count = std::min({length, static_cast<unsigned long>(rest), largestPicture + 1024});
    TagLib::ByteVector block(static_cast<unsigned int>(count), 0);
    const long done = count == 0 ? 0 : pread(descriptor, block.data(), count, position);
    block.resize(static_cast<unsigned int>(std::max(0L, done)));
    position += std::max(0L, done);
    return block;
  }

  void seek(long offset, Position origin) override {
    const long start = origin == Beginning ? 0 : origin == Current ? position : size;
    if (__builtin_add_overflow(start, offset, &position) || position < 0) position = 0;
  }

  TagLib::FileName name() const override { return ""; }
  long tell() const override { return position; }
  long length() override { return size; }
  bool isOpen() const override { return true; }
  bool readOnly() const override { return true; }
  void writeBlock(const TagLib::ByteVector &) override {}
  void insert(const TagLib::ByteVector &, unsigned long, unsigned long) override {}
  void removeBlock(unsigned long, unsigned long) override {}
  void truncate(long) override {}
};

}  // namespace syrinx
