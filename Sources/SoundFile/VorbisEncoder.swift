import AudioCore
import CVorbis

/// The one owner of a Vorbis encoder and of the Ogg stream that its packets go into.
struct VorbisEncoder: ~Copyable {
  /// Of 0 to 1: about 110 kbit/s for stereo at 44.1 kHz; what libsndfile takes.
  private static let quality: Float = 0.4

  // libvorbis keeps pointers from one of these to another: each stays where it is until the end.
  private let info: UnsafeMutablePointer<vorbis_info>
  private let analysis = UnsafeMutablePointer<vorbis_dsp_state>.allocate(capacity: 1)
  private let block = UnsafeMutablePointer<vorbis_block>.allocate(capacity: 1)
  private let stream = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)

  /// Prepares for sound of this format; nil where there is no Vorbis of it.
  init?(_ format: AudioFormat) {
    guard let info = Self.settings(format) else { return nil }
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

  /// Whether there is Vorbis of this format; no encoder, with its tables, is made to find out.
  ///
  /// The corresponding C function is `vorbis_encode_setup_vbr`.
  static func encodes(_ format: AudioFormat) -> Bool {
    guard let info = choice(format, by: vorbis_encode_setup_vbr) else { return false }
    discard(info)
    return true
  }

  /// The corresponding C function is `vorbis_encode_init_vbr`.
  private static func settings(_ format: AudioFormat) -> UnsafeMutablePointer<vorbis_info>? {
    choice(format, by: vorbis_encode_init_vbr)
  }

  /// What a function of the C library chooses for a format; nil where it refuses.
  private static func choice(
    _ format: AudioFormat,
    by choose: (UnsafeMutablePointer<vorbis_info>?, Int, Int, Float) -> Int32
  ) -> UnsafeMutablePointer<vorbis_info>? {
    // Vorbis counts its channels in a byte.
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

  /// Puts the three packets into the stream that come before all sound.
  func begin() {
    var comment = vorbis_comment()
    vorbis_comment_init(&comment)
    defer { vorbis_comment_clear(&comment) }
    var (identification, comments, setup) = (ogg_packet(), ogg_packet(), ogg_packet())
    vorbis_analysis_headerout(analysis, &comment, &identification, &comments, &setup)
    ogg_stream_packetin(stream, &identification)
    ogg_stream_packetin(stream, &comments)
    ogg_stream_packetin(stream, &setup)
  }

  /// Encodes interleaved samples; the corresponding C function is `vorbis_analysis_wrote`.
  func encode(_ samples: UnsafeBufferPointer<Float>) {
    let channelCount = Int(info.pointee.channels)
    let frames = samples.count / channelCount
    // Told of no frames, libvorbis ends the stream.
    guard frames > 0, let room = vorbis_analysis_buffer(analysis, Int32(frames)) else { return }
    for channel in 0..<channelCount {
      guard let target = room[channel] else { continue }
      for frame in 0..<frames { target[frame] = samples[frame * channelCount + channel] }
    }
    vorbis_analysis_wrote(analysis, Int32(frames))
    collect()
  }

  /// Encodes what is left.
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

  /// Takes the next page out of the stream; false where there is none.
  ///
  /// - Parameters:
  ///   - isWhole: only a page that is full.
  ///   - page: becomes the page.
  func takePage(isWhole: Bool, into page: inout [UInt8]) -> Bool {
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
