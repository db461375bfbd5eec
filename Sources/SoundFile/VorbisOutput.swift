import AudioCore

/// Writes Vorbis in Ogg.
///
/// libsndfile could, but it ends a page only when that is full, which of a quiet sound takes many
/// seconds, and they would all be lost with the process.
final class VorbisOutput: SoundFileOutput {
  private static let framesPerBlock = 1_024

  private(set) var framesWritten: FrameCount = 0

  private let file: GrowingFile
  private let format: AudioFormat
  private let encoder: VorbisEncoder
  /// From the order of WAV files to that of Vorbis.
  private let order: ChannelMix
  private var ordered: [Float]
  private var page: [UInt8] = []
  private var hasFailed = false
  private var isFinished = false

  /// Writes what comes before all sound.
  init(_ file: GrowingFile, format: AudioFormat) throws(SoundFileError) {
    guard let new = VorbisEncoder(format) else { throw Self.unsupported(format) }
    (self.file, self.format) = (file, format)
    encoder = new
    order = ChannelMix(from: format.layout, to: .vorbis(format.channelCount))
    ordered = Array(repeating: 0, count: Self.framesPerBlock * format.channelCount)
    // The largest page that there is.
    page.reserveCapacity(27 + 255 + 255 * 255)
    encoder.begin()
    try write(wholePages: false)
  }

  deinit {
    _ = finish()
  }

  /// Throws where there is no Vorbis of such a format, before a file is made for it.
  static func check(_ format: AudioFormat) throws(SoundFileError) {
    guard VorbisEncoder.encodes(format) else { throw unsupported(format) }
  }

  private static func unsupported(_ format: AudioFormat) -> SoundFileError {
    .unsupportedFormat(
      format, encoding: .oggVorbis,
      reason: "libvorbis refuses this rate or number of channels")
  }

  func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    var rest = samples[...]
    while let start = UnsafeBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let frames = min(Self.framesPerBlock, rest.count / format.channelCount)
      order.apply(start, frames: frames, into: &ordered)
      ordered.withUnsafeBufferPointer {
        encoder.encode(UnsafeBufferPointer(rebasing: $0.prefix(frames * format.channelCount)))
      }
      try write(wholePages: true)
      framesWritten += FrameCount(frames)
      rest = rest.dropFirst(frames * format.channelCount)
    }
  }

  /// Ends the page that is not full: what is in no page is lost with the process.
  func updateHeader() throws(SoundFileError) {
    try write(wholePages: false)
  }

  func finish() -> SoundFileError? {
    guard !isFinished else { return nil }
    isFinished = true
    guard !hasFailed, !file.isCut else {
      countWhatIsThere()
      return nil
    }
    encoder.end()
    do throws(SoundFileError) {
      try write(wholePages: false)
      return nil
    } catch {
      countWhatIsThere()
      return error
    }
  }

  private func write(wholePages isWhole: Bool) throws(SoundFileError) {
    while encoder.takePage(isWhole: isWhole, into: &page) {
      _ = page.withUnsafeBytes { file.append($0) }
    }
    guard let failure = file.failure else { return }
    hasFailed = true
    throw failure
  }

  private func countWhatIsThere() {
    file.truncate(to: file.wholeLength)
    framesWritten = storedFrameCount(file, atMost: framesWritten, rate: format.sampleRate)
  }
}
