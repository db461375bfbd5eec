package import AudioCore
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

  /// Does something that writes; nil where libsndfile has no error for it.
  func checked(_ body: (borrowing SoundFileHandle) -> Void) -> LibraryFailure? {
    errno = 0
    body(self)
    return failure
  }
}

extension SoundFileEncoding {
  /// The highest rate that libFLAC takes.
  private static let highestFLACRate: SampleRate = 655_350

  /// Throws `.unsupportedFormat` where no file can have this format, before one is made for it.
  ///
  /// The corresponding C function is `sf_format_check`, which does not know all limits of encoders.
  package func check(_ format: AudioFormat) throws(SoundFileError) {
    if container == .vorbis { try VorbisOutput.check(format) }
    guard let reason = refusal(of: format) else { return }
    throw .unsupportedFormat(format, encoding: self, reason: reason)
  }

  private func refusal(of format: AudioFormat) -> String? {
    if let rates = supportedRates, !rates.contains(format.sampleRate) {
      return "its rates are \(rates.map { "\($0.hertz)" }.joined(separator: ", ")) Hz"
    }
    if container == .flac, format.sampleRate > Self.highestFLACRate {
      return "its rates are 1 to \(Self.highestFLACRate.hertz) Hz"
    }
    if let most = maximumChannelCount, format.channelCount > most {
      return "it holds up to \(most) channels"
    }
    guard format.sampleRate.hertz <= Int32.max, format.channelCount <= 1024 else {
      return "the rate or the number of channels is too high"
    }
    var info = SF_INFO(format, self)
    return sf_format_check(&info) != 0 ? nil : "libsndfile refuses this rate or number of channels"
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
