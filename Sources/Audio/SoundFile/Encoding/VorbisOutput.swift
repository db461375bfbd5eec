import AudioCore
import CVorbis

/// Writes Vorbis in Ogg.
///
/// libsndfile writes only full pages. A page of quiet audio spans many seconds, which would be lost
/// if the process is killed.
final class VorbisOutput: SoundFileOutput {
  private static let framesPerBlock = 1_024

  private(set) var framesWritten: FrameCount = 0

  private let file: GrowingFile
  private let format: AudioFormat
  private let encoder: VorbisEncoder
  /// The mix from the channel order of WAV files to that of Vorbis.
  private let order: ChannelMix
  private var ordered: [Float]
  private var page: [UInt8] = []
  private var hasFailed = false
  private var isFinished = false

  /// Writes the headers.
  init(
    _ file: GrowingFile, format: AudioFormat, metadata: AudioMetadata = AudioMetadata()
  ) throws(SoundFileError) {
    guard let new = VorbisEncoder(format) else { throw Self.unsupported(format) }
    (self.file, self.format) = (file, format)
    encoder = new
    order = ChannelMix(from: format.layout, to: .vorbis(format.channelCount))
    ordered = Array(repeating: 0, count: Self.framesPerBlock * format.channelCount)
    // This is the maximum size of a page.
    page.reserveCapacity(27 + 255 + 255 * 255)
    encoder.begin(
      Array("\u{3}vorbis".utf8) + metadata.vorbisComments(at: format.sampleRate) + [1])
    try write(wholePages: false)
  }

  deinit {
    _ = finish()
  }

  /// Throws for a format that Vorbis does not support, before a file is created.
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

  /// Writes the incomplete page, which would be lost if the process is killed.
  func updateHeader() throws(SoundFileError) {
    try write(wholePages: false)
  }

  func finish() -> SoundFileError? {
    guard !isFinished else { return nil }
    isFinished = true
    guard !hasFailed, !file.isCut else {
      countStoredFrames()
      return nil
    }
    encoder.end()
    do throws(SoundFileError) {
      try write(wholePages: false)
      return nil
    } catch {
      countStoredFrames()
      return error
    }
  }

  private func write(wholePages isWhole: Bool) throws(SoundFileError) {
    while encoder.nextPage(isWhole: isWhole, into: &page) {
      _ = page.withUnsafeBytes { file.append($0) }
    }
    guard let failure = file.failure else { return }
    hasFailed = true
    throw failure
  }

  private func countStoredFrames() {
    file.truncate(to: file.wholeLength)
    framesWritten = storedFrameCount(file, atMost: framesWritten, rate: format.sampleRate)
  }
}

/// The owner of a Vorbis encoder and the Ogg stream of its packets.
struct VorbisEncoder: ~Copyable {
  /// The quality from 0 to 1, as in libsndfile: about 110 kbit/s for stereo at 44.1 kHz.
  private static let quality: Float = 0.4

  // libvorbis keeps pointers between these structures, so each has a fixed address until `deinit`.
  private let info: UnsafeMutablePointer<vorbis_info>
  private let analysis = UnsafeMutablePointer<vorbis_dsp_state>.allocate(capacity: 1)
  private let block = UnsafeMutablePointer<vorbis_block>.allocate(capacity: 1)
  private let stream = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)

  /// Creates an encoder; returns nil if Vorbis does not support the format.
  ///
  /// The corresponding C function is `vorbis_encode_init_vbr`.
  init?(_ format: AudioFormat) {
    guard let info = Self.choice(format, by: vorbis_encode_init_vbr) else { return nil }
    self.info = info
    vorbis_analysis_init(analysis, info)
    vorbis_block_init(analysis, block)
    ogg_stream_init(stream, .random(in: 0...Int32.max))
  }

  deinit {
    ogg_stream_clear(stream)
    vorbis_block_clear(block)
    vorbis_dsp_clear(analysis)
    vorbis_info_clear(info)
    stream.deallocate()
    block.deallocate()
    analysis.deallocate()
    info.deallocate()
  }

  /// Whether Vorbis supports this format; no encoder is created.
  ///
  /// The corresponding C function is `vorbis_encode_setup_vbr`.
  static func encodes(_ format: AudioFormat) -> Bool {
    guard let info = choice(format, by: vorbis_encode_setup_vbr) else { return false }
    discard(info)
    return true
  }

  /// Returns the settings that a C function selects for a format; nil if the function fails.
  private static func choice(
    _ format: AudioFormat,
    by choose: (UnsafeMutablePointer<vorbis_info>?, Int, Int, Float) -> Int32
  ) -> UnsafeMutablePointer<vorbis_info>? {
    // The channel count of Vorbis has 8 bits.
    guard format.channelCount <= 255 else { return nil }
    let info = UnsafeMutablePointer<vorbis_info>.allocate(capacity: 1)
    vorbis_info_init(info)
    if choose(info, format.channelCount, format.sampleRate.hertz, quality) == 0 { return info }
    discard(info)
    return nil
  }

  private static func discard(_ info: UnsafeMutablePointer<vorbis_info>) {
    vorbis_info_clear(info)
    info.deallocate()
  }

  /// Adds the three header packets to the stream.
  ///
  /// - Parameter content: the packet of comments.
  func begin(_ content: [UInt8]) {
    var (comment, content) = (vorbis_comment(), content)
    vorbis_comment_init(&comment)
    defer { vorbis_comment_clear(&comment) }
    var (identification, comments, setup) = (ogg_packet(), ogg_packet(), ogg_packet())
    vorbis_analysis_headerout(analysis, &comment, &identification, &comments, &setup)
    ogg_stream_packetin(stream, &identification)
    content.withUnsafeMutableBufferPointer { bytes in
      comments.packet = bytes.baseAddress
      comments.bytes = bytes.count
      _ = ogg_stream_packetin(stream, &comments)
    }
    ogg_stream_packetin(stream, &setup)
  }

  /// Encodes interleaved samples; the corresponding C function is `vorbis_analysis_wrote`.
  func encode(_ samples: UnsafeBufferPointer<Float>) {
    let channelCount = Int(info.pointee.channels)
    let frames = samples.count / channelCount
    // Zero frames would end the stream.
    guard frames > 0, let room = vorbis_analysis_buffer(analysis, Int32(frames)) else { return }
    for channel in 0..<channelCount {
      guard let target = room[channel] else { continue }
      for frame in 0..<frames { target[frame] = samples[frame * channelCount + channel] }
    }
    vorbis_analysis_wrote(analysis, Int32(frames))
    collect()
  }

  /// Ends the stream and encodes the remaining samples.
  func end() {
    vorbis_analysis_wrote(analysis, 0)
    collect()
  }

  private func collect() {
    var packet = ogg_packet()
    while vorbis_analysis_blockout(analysis, block) == 1 {
      vorbis_analysis(block, nil)
      vorbis_bitrate_addblock(block)
      while vorbis_bitrate_flushpacket(analysis, &packet) == 1 {
        ogg_stream_packetin(stream, &packet)
      }
    }
  }

  /// Gets the next page of the stream; returns false if there is none.
  ///
  /// - Parameters:
  ///   - isWhole: whether to accept only a full page.
  ///   - page: receives the bytes of the page.
  fileprivate func nextPage(isWhole: Bool, into page: inout [UInt8]) -> Bool {
    var found = ogg_page()
    let count =
      isWhole ? ogg_stream_pageout(stream, &found) : ogg_stream_flush(stream, &found)
    guard count != 0 else { return false }
    page.removeAll(keepingCapacity: true)
    page.append(contentsOf: UnsafeBufferPointer(start: found.header, count: found.header_len))
    page.append(contentsOf: UnsafeBufferPointer(start: found.body, count: found.body_len))
    return true
  }
}
