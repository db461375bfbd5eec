import AudioCore
import CSndFile
import Glibc

extension SoundFileHandle {
  /// Begins a file in an empty descriptor.
  init(
    writing descriptor: Descriptor, format: AudioFormat, encoding: SoundFileEncoding
  ) throws(LibraryFailure) {
    var info = SF_INFO(format, encoding)
    try self.init(descriptor, mode: Int32(SFM_WRITE), info: &info)
    leaveOutPeaks()
  }

  /// Whether libsndfile can write this at all; the corresponding C function is `sf_format_check`.
  static func check(_ format: AudioFormat, encoding: SoundFileEncoding) throws(SoundFileError) {
    if let rates = encoding.supportedRates, !rates.contains(format.sampleRate) {
      let known = rates.map { "\($0.hertz)" }.joined(separator: ", ")
      throw .unsupportedFormat(format, encoding: encoding, reason: "its rates are \(known) Hz")
    }
    guard format.sampleRate.hertz <= Int32.max, format.channelCount <= 1024 else {
      throw .unsupportedFormat(format, encoding: encoding, reason: "the numbers are too high")
    }
    var info = SF_INFO(format, encoding)
    guard sf_format_check(&info) != 0 else {
      throw .unsupportedFormat(
        format, encoding: encoding, reason: "libsndfile refuses this rate or number of channels")
    }
  }

  /// Does something that writes; nil where neither libsndfile nor the system has an error for it.
  func checked(_ body: (borrowing SoundFileHandle) -> Void) -> LibraryFailure? {
    errno = 0
    body(self)
    let systemCode = errno
    return failure ?? LibraryFailure(unsaid: systemCode)
  }
}

extension SF_INFO {
  fileprivate init(_ format: AudioFormat, _ encoding: SoundFileEncoding) {
    self.init(
      frames: 0, samplerate: Int32(clamping: format.sampleRate.hertz),
      channels: Int32(clamping: format.channelCount), format: encoding.libraryFormat, sections: 0,
      seekable: 0)
  }
}
