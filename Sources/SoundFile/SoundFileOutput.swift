import AudioCore

/// One way to turn samples into a file.
protocol SoundFileOutput: AnyObject {
  /// The frames that were taken; after `finish`, those that can be read.
  var framesWritten: FrameCount { get }

  /// Writes interleaved samples, whole frames.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError)

  /// Has the file readable up to here, as far as that can be done while writing: its header is
  /// brought up to date, or what is held back is written.
  func updateHeader() throws(SoundFileError)

  /// Completes the file, also after a failure; what is wrong with it then, nil where nothing is.
  ///
  /// Again it does nothing.
  func finish() -> SoundFileError?
}
