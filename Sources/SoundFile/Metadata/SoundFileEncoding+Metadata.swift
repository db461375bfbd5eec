package import AudioCore

extension SoundFileEncoding.Container {
  /// What a file of this kind cannot hold.
  ///
  /// - Parameter isStream: whether it is written to a pipe.
  package func omissions(of metadata: AudioMetadata, isStream: Bool) -> [SoundFileNotice] {
    let holdsAll =
      [.flac, .vorbis, .opus, .mp3, .aiff].contains(self) || (self == .wav && !isStream)
    let tags = metadata.tags.filter { tag, values in
      guard !tag.isEncoder else { return false }
      if self == .caf { return values.count != 1 || !AudioTag.common.contains(tag) }
      return !holdsAll || !(tag.isStorable || self == .wav)
    }
    let names = tags.inOrder.map(\.tag.name).joined(separator: ", ")
    let large = metadata.pictures.filter { picture in
      self == .flac && picture.content.count + 4_096 > AudioMetadata.largestFLACBlock
    }
    // The cues in chunks are also in `cues`, and the labels with them.
    let chunks = metadata.chunks.map(\.name).filter { !["cue ", "LIST"].contains($0) }
    let lost: [String?] = [
      names.isEmpty ? nil : "the tags \(names)",
      (holdsAll ? large : metadata.pictures).isEmpty ? nil : "the pictures",
      holdsAll || metadata.cues.isEmpty ? nil : "the cues and chapters",
      chunks.isEmpty || (self == .wav && !isStream)
        ? nil : "the chunks \(chunks.map(\.trimmed).joined(separator: ", "))",
    ]
    let reason = "\(self)\(isStream && self == .wav ? " in a pipe" : "") has no place for them"
    let what = lost.compactMap(\.self).joined(separator: ", ")
    return what.isEmpty ? [] : [.omitted(what, reason: reason)]
  }
}

extension String {
  /// The name of a chunk without the spaces that fill it.
  fileprivate var trimmed: String { String(prefix { $0 != " " }) }
}
