import AudioCore

/// Writes WAV and RF64.
///
/// libsndfile could, but a WAV file that may become RF64 gets from it a format chunk which Python's
/// `wave` refuses, and its header could not be tested for every length.
final class WAVFileOutput: SoundFileOutput {
  private let file: GrowingFile
  private let header: WAVFileHeader
  private let headerSize: Int
  private let frameSize: Int
  private let block: UnsafeMutableRawBufferPointer
  private let samplesPerBlock: Int
  private var samples: LittleEndianSamples
  private var isFinished = false

  /// Writes the header of a file without sound.
  init(_ file: GrowingFile, header: WAVFileHeader) throws(SoundFileError) {
    (self.file, self.header) = (file, header)
    samples = LittleEndianSamples(header.samples)
    headerSize = header.byteCount
    frameSize = header.samples.byteCount * header.format.channelCount
    let framesPerBlock = max(1, 16_384 / header.format.channelCount)
    samplesPerBlock = framesPerBlock * header.format.channelCount
    block = .allocate(byteCount: framesPerBlock * frameSize, alignment: 16)
    try updateHeader()
  }

  deinit {
    _ = finish()
    block.deallocate()
  }

  var framesWritten: FrameCount { FrameCount(dataSize / frameSize) }

  /// In bytes, the last frame's missing ones not yet cut off.
  private var dataSize: Int { max(0, file.length - headerSize) }

  func write(_ sound: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    var rest = sound[...]
    while !rest.isEmpty {
      let part = UnsafeBufferPointer(rebasing: rest.prefix(samplesPerBlock))
      samples.encode(part, into: block)
      let size = part.count * header.samples.byteCount
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<size])
      guard file.append(bytes) == size else { throw failure }
      rest = rest.dropFirst(part.count)
    }
  }

  func updateHeader() throws(SoundFileError) {
    let bytes = header.bytes(dataSize: framesWritten.rawValue * frameSize)
    let count = bytes.withUnsafeBytes { file.write($0, at: 0) }
    guard count == bytes.count else { throw failure }
  }

  func finish() -> SoundFileError? {
    guard !isFinished else { return nil }
    isFinished = true
    file.truncate(to: headerSize + framesWritten.rawValue * frameSize)
    do throws(SoundFileError) {
      try updateHeader()
      try pad()
      return nil
    } catch {
      return error
    }
  }

  /// A chunk of an odd length is followed by a byte that its size does not count.
  private func pad() throws(SoundFileError) {
    guard !dataSize.isMultiple(of: 2), file.mayGrow else { return }
    let count = withUnsafeBytes(of: UInt8(0)) { file.append($0) }
    guard count == 1 else { throw failure }
  }

  private var failure: SoundFileError {
    file.failure ?? .cannotWrite(path: file.path, reason: "the system took a part of it only")
  }
}
