#pragma once
#include <taglib/tbytevector.h>

#include <cstddef>
#include <set>
#include <string>

#include "CTagLib.h"

namespace syrinx {

/// What is left out of a tag.
struct Losses {
  /// The number of pictures that are too large.
  size_t oversized = 0;
  /// The number of other frames and comments that are too many, or too large together.
  size_t excess = 0;
  /// The names of frames without a text.
  std::set<std::string> unsupported;
};

/// Copies the frames of an ID3 tag, version 2, that TagLib can read safely.
///
/// TagLib inflates compressed frames of any size, and calls itself for each chapter in a chapter.
/// Compressed, encrypted, and truncated frames are omitted. In chapters, all frames except titles are
/// omitted.
TagLib::ByteVector cleanID3(const TagLib::ByteVector &tag, Losses &losses);

/// Copies Vorbis comments, up to the limits of texts and of their number.
TagLib::ByteVector cleanVorbis(const TagLib::ByteVector &comments, Losses &losses);

}  // namespace syrinx
