import AudioCore
import CSndFile
import Glibc

extension SoundFileHandle {
  /// Begins a file.
  init(
    writing file: VirtualFile, format: AudioFormat, encoding: SoundFileEncoding
  ) throws(LibraryFailure) {
    var info = SF_INFO(format, encoding)
    try self.init(file, mode: Int32(SFM_WRITE), info: &info)
    leaveOutPeaks()
    if format.channelCount > 2 { store(encoding.storedLayout(of: format.layout)) }
    if encoding.container == .opus { holdBack(milliseconds: 250) }
    if encoding.container == .mp3 { keepBitRate(at: format.sampleRate) }
    if encoding.container == .flac, format.sampleRate < 8_000 { shortenBlocks() }
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

  /// Does something that writes; nil where libsndfile has no error for it.
  func checked(_ body: (borrowing SoundFileHandle) -> Void) -> LibraryFailure? {
    errno = 0
    body(self)
    return failure
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
