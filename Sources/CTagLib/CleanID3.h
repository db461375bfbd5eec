#pragma once
#include <taglib/tbytevector.h>

#include <cstddef>

namespace syrinx {

/// The size of the largest picture that is read.
constexpr size_t largestPicture = 64 << 20;
/// The size of the largest tag that is read.
constexpr size_t longestTag = 128 << 20;

/// Copies the frames of an ID3 tag, version 2, that TagLib can read safely.
///
/// TagLib inflates compressed frames of any size, and calls itself for each chapter in a chapter.
/// Compressed, encrypted, and truncated frames are left out, and those in chapters that are no text.
///
/// @param oversized incremented for each picture that is too large.
TagLib::ByteVector cleanID3(const TagLib::ByteVector &tag, size_t &oversized);

}  // namespace syrinx
