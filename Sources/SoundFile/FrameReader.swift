import AudioCore

/// What gives frames until its end, on one thread.
protocol FrameReader: AnyObject {
  /// What was promised and did not come; nil before the end, and where nothing is missing.
  var shortfall: SoundFileShortfall? { get }

  /// The next frames; none at the end.
  func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer
}

extension SoundFileReader: FrameReader {}
