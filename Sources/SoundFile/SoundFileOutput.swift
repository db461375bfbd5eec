import AudioCore

/// One way to turn samples into a file.
protocol SoundFileOutput: AnyObject {
  /// The frames that were taken; after `finish`, those that can be read.
  var framesWritten: FrameCount { get }

  /// Writes interleaved samples, whole frames.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError)

  /// Brings the header up to date, where that can be done while writing.
  func updateHeader() throws(SoundFileError)

  /// Completes the file, also after a failure; what is wrong with it then, nil where nothing is.
  ///
  /// Again it does nothing.
  func finish() -> SoundFileError?
}
