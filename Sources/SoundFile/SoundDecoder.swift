import AudioCore

/// What decodes one file or stream, used by one thread at a time.
protocol SoundDecoder: AnyObject {
  var format: AudioFormat { get }

  /// What the header promises; nil where it promises nothing, as in a stream or an MP3 without a tag.
  var announcedFrameCount: FrameCount? { get }

  /// The names of container and encoding, for people.
  var encodingDescription: String { get }

  var isSeekable: Bool { get }

  /// Whether the end of the file is missing, whatever was promised; true at the end at the latest.
  var isCutOff: Bool { get }

  /// Decodes the next frames; fewer than asked for only at the end and before a failure.
  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// Goes to a frame; false where it cannot be found.
  func seek(to frame: Int) -> Bool

  /// Why the last read has ended at this frame; nil where it is the end.
  func failure(at frame: FrameCount) -> SoundFileError?
}

extension SoundDecoder {
  var isCutOff: Bool { false }
}
