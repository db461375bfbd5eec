import AudioCore
import CFLAC
import CTagLib
import FilePaths

/// Decodes FLAC with 4 to 32 bits, even from a pipe.
///
/// libsndfile supports only 8, 16, and 24 bits, and must seek in the file.
final class FLACDecoder: SoundDecoder {
  private let source: VirtualFile
  private let path: String
  /// The header of the stream; all zeros until libFLAC has read it.
  private var info = FLAC__StreamMetadata_StreamInfo()
  private var hasInfo = false
  private(set) var metadata = AudioMetadata()
  /// The damage in the audio; nothing is decoded after it.
  private var damage: String?
  /// The format of the next block, which differs from the header; nothing is decoded after it.
  private(set) var formatChange: String?

  // libFLAC's decoder, which this object deletes. libFLAC calls back only while one of its
  // functions runs.
  private let handle: UnsafeMutablePointer<FLAC__StreamDecoder>
  /// The pointer that libFLAC's callbacks get.
  ///
  /// The closure behind the pointer has an unowned reference, because a strong reference would keep
  /// the decoder alive.
  private let context: UnsafeMutablePointer<() -> FLACDecoder>
  /// The interleaved samples of the current block.
  private var block: [Float] = []
  /// The index of the next sample in the block.
  private var next = 0
  /// The index of the frame after the current block.
  private var position = 0
  /// The offset of the byte after the current block, or after the header before the first block.
  private var blockEnd: FLAC__uint64 = 0
  /// Whether the current block has an invalid checksum.
  private var isDamaged = false
  /// The total sizes of the copied pictures and comments.
  private var (pictureSize, commentSize) = (0, 0)
  private var (lostPictures, lostComments) = (0, 0)
  /// Whether libFLAC has requested bytes beyond the end.
  private var hasMetEnd = false
  /// Whether libFLAC has compared the audio with the MD5 sum in the header.
  private var isFinished = false
  /// Whether the audio differs from the MD5 sum; known at the end, if all audio was decoded in
  /// order.
  private var hasWrongDigest = false
  /// The position of the header's first byte.
  private let beginning: Int

  /// Reads the header.
  ///
  /// - Throws: `.damaged` if the header is invalid or incomplete.
  init(_ source: VirtualFile, path: String) throws(SoundFileError) {
    guard let handle = FLAC__stream_decoder_new() else {
      throw .cannotRead(path: path, reason: "no memory for a decoder is left")
    }
    (self.source, self.path, self.handle) = (source, path, handle)
    context = .allocate(capacity: 1)
    beginning = source.position
    context.initialize { [unowned self] in self }
    FLAC__stream_decoder_set_md5_checking(handle, 1)
    for type in [
      FLAC__METADATA_TYPE_VORBIS_COMMENT, FLAC__METADATA_TYPE_CUESHEET, FLAC__METADATA_TYPE_PICTURE,
    ] {
      FLAC__stream_decoder_set_metadata_respond(handle, type)
    }
    start()
    FLAC__stream_decoder_process_until_end_of_metadata(handle)
    FLAC__stream_decoder_get_decode_position(handle, &blockEnd)
    guard hasInfo else {
      throw source.failure
        ?? .damaged(path: path, frame: 0, reason: "its header is wrong or incomplete")
    }
    try LibraryDecoder.check(
      rate: Int(info.sample_rate), channels: Int(info.channels), path: path)
    completeMetadata()
  }

  deinit {
    FLAC__stream_decoder_delete(handle)
    context.releaseCallbackMemory()
  }

  var format: AudioFormat {
    AudioFormat(
      sampleRate: SampleRate(hertz: Int(info.sample_rate)), channelCount: Int(info.channels))
  }

  var announcedFrameCount: FrameCount? { length.flatMap { FrameCount(announced: $0) } }

  var encodingDescription: String { "FLAC, \(bits) bit" }

  var stored: StoredSamples? { (bits, .integers(bits)) }

  private var bits: Int { Int(info.bits_per_sample) }

  var notices: [SoundFileNotice] { hasWrongDigest ? [.wrongDigest] : [] }

  var isSeekable: Bool { source.isSeekable }

  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let channelCount = format.channelCount
    var done = give(target, frames: frames)
    while done < frames, decodeBlock() {
      done += give(target + done * channelCount, frames: frames - done)
    }
    return done
  }

  func failure(at frame: FrameCount) -> SoundFileError? {
    if let failure = source.failure { return failure }
    return damage.map { .damaged(path: path, frame: frame, reason: $0) }
  }

  /// Whether all announced frames were decoded; later bytes, such as a tag, are not damage.
  private var isComplete: Bool { position >= length ?? .max }

  /// The length in frames; nil if the header has none.
  private var length: Int? { info.total_samples > 0 ? Int(info.total_samples) : nil }

  /// Whether the file ends after its header; valid before the first read.
  var hasNoBlocks: Bool { source.length == blockEnd }

  /// Whether the last bytes are an incomplete block.
  var isCutOff: Bool { hasMetEnd && !isComplete && source.position > blockEnd }

  /// Decodes a block; returns false at the end and after damage.
  private func decodeBlock() -> Bool {
    guard damage == nil, formatChange == nil, !isFinished else { return false }
    isDamaged = false
    if !hasMetEnd { FLAC__stream_decoder_process_single(handle) }
    guard next == block.count, hasMetEnd || isAtEnd else { return true }
    if position >= length ?? 0, damage == nil, formatChange == nil {
      isFinished = true
      // After a seek, libFLAC does not compare the audio with the MD5 sum, and reports success.
      if FLAC__stream_decoder_finish(handle) == 0 { hasWrongDigest = true }
    }
    return false
  }

  private var isAtEnd: Bool {
    FLAC__stream_decoder_get_state(handle).rawValue >= FLAC__STREAM_DECODER_END_OF_STREAM.rawValue
  }

  /// Copies up to `frames` frames of the current block, and returns their number.
  private func give(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard next < block.count else { return 0 }
    let channels = Int(info.channels)
    let count = min(frames, (block.count - next) / channels)
    block.withUnsafeBufferPointer { samples in
      guard let start = samples.baseAddress else { return }
      target.update(from: start + next, count: count * channels)
    }
    next += count * channels
    return count
  }

  func seek(to frame: Int) -> Bool {
    if isFinished {
      isFinished = false
      guard source.seek(to: beginning) else { return false }
      start()
      FLAC__stream_decoder_process_until_end_of_metadata(handle)
    }
    block.removeAll(keepingCapacity: true)
    (next, position, damage, hasMetEnd) = (0, frame, nil, false)
    formatChange = nil
    // libFLAC cannot seek to the end, so this moves the source itself to its end.
    if frame == length {
      return FLAC__stream_decoder_flush(handle) != 0 && source.seek(to: source.length)
    }
    let isFound = FLAC__stream_decoder_seek_absolute(handle, FLAC__uint64(frame)) != 0
    if !isFound { FLAC__stream_decoder_flush(handle) }
    // This is reset, because the seek may have reached the end.
    hasMetEnd = false
    return isFound
  }
}

extension FLACDecoder {
  /// Sets the callbacks, which libFLAC calls on the thread that uses the decoder.
  private func start() {
    let seek: FLAC__StreamDecoderSeekCallback = { _, offset, stream in
      flacDecoder(stream).source.seek(to: Int(clamping: offset))
        ? FLAC__STREAM_DECODER_SEEK_STATUS_OK : FLAC__STREAM_DECODER_SEEK_STATUS_ERROR
    }
    FLAC__stream_decoder_init_stream(
      handle, { _, bytes, count, stream in flacDecoder(stream).read(bytes, count) },
      source.isSeekable ? seek : nil,
      { _, offset, stream in
        offset?.pointee = FLAC__uint64(flacDecoder(stream).source.position)
        return FLAC__STREAM_DECODER_TELL_STATUS_OK
      },
      { _, length, stream in
        length?.pointee = FLAC__uint64(flacDecoder(stream).source.length)
        return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
      },
      { _, stream in flacDecoder(stream).meetsEnd() ? 1 : 0 },
      { _, frame, channels, stream in
        guard let frame, let channels else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
        flacDecoder(stream).process(frame.pointee.header, channels)
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
      },
      { _, block, stream in block.map { flacDecoder(stream).process($0.pointee) } },
      { _, status, stream in flacDecoder(stream).fail(status) },
      context)
  }

  private func read(
    _ bytes: UnsafeMutablePointer<FLAC__byte>?, _ count: UnsafeMutablePointer<Int>?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let count else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
    let result = source.read(
      into: UnsafeMutableRawBufferPointer(start: bytes, count: count.pointee))
    count.pointee = max(0, result)
    if result == 0 { hasMetEnd = true }
    if result < 0 { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
    return result == 0
      ? FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM : FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
  }

  /// Returns whether the source is at its end; libFLAC checks this before it reads more.
  private func meetsEnd() -> Bool {
    if source.isAtEnd { hasMetEnd = true }
    return source.isAtEnd
  }

  private func process(_ metadata: FLAC__StreamMetadata) {
    switch metadata.type {
    case FLAC__METADATA_TYPE_VORBIS_COMMENT: return process(metadata.data.vorbis_comment)
    case FLAC__METADATA_TYPE_PICTURE: return process(metadata.data.picture)
    case FLAC__METADATA_TYPE_CUESHEET: return process(metadata.data.cue_sheet)
    default: break
    }
    guard metadata.type == FLAC__METADATA_TYPE_STREAMINFO, !hasInfo else { return }
    (info, hasInfo) = (metadata.data.stream_info, true)
    // With this capacity, reading does not allocate.
    block.reserveCapacity(Int(info.max_blocksize) * Int(info.channels))
  }

  private func process(_ comments: FLAC__StreamMetadata_VorbisComment) {
    var room = Int(SYRINX_MOST_FRAMES)
    for index in 0..<Int(comments.num_comments) {
      let comment = comments.comments[index]
      let bytes = UnsafeBufferPointer(start: comment.entry, count: Int(comment.length))
      guard room > 0, commentSize + bytes.count <= SYRINX_LARGEST_TEXTS else {
        lostComments += 1
        continue
      }
      commentSize += bytes.count
      guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let count = metadata.tags.add(
        String(decoding: bytes[..<equals], as: UTF8.self),
        String(decoding: bytes[(equals + 1)...], as: UTF8.self), atMost: room)
      if count > room { lostComments += 1 }
      room -= min(room, max(1, count))
    }
  }

  private func process(_ picture: FLAC__StreamMetadata_Picture) {
    guard pictureSize + Int(picture.data_length) <= SYRINX_LARGEST_TAG else {
      lostPictures += 1
      return
    }
    pictureSize += Int(picture.data_length)
    metadata.pictures.append(
      AudioPicture(
        Array(UnsafeBufferPointer(start: picture.data, count: Int(picture.data_length))),
        mediaType: picture.mime_type.map { String(cString: $0) } ?? "",
        kind: AudioPicture.known(Int(picture.type.rawValue)),
        text: String(decoding: picture.text, as: UTF8.self)))
  }

  private func process(_ sheet: FLAC__StreamMetadata_CueSheet) {
    metadata.cues = (0..<Int(sheet.num_tracks)).compactMap { number in
      let track = sheet.tracks[number]
      // The last track has no indices, because it only marks the end of the audio. Index 0 is the
      // pause before a track.
      guard track.num_indices > 0 else { return nil }
      let indices = UnsafeBufferPointer(start: track.indices, count: Int(track.num_indices))
      let index = indices.first { $0.number == 1 } ?? indices[0]
      return FrameCount(announced: Int(clamping: track.offset &+ index.offset)).map {
        AudioCue(frame: $0)
      }
    }
  }

  /// Completes the metadata after all of it was read.
  private func completeMetadata() {
    metadata.readChapters(at: format.sampleRate)
    if let lost = lostPictures.of("a picture", "pictures") {
      metadata.notices.append(.omitted(lost, reason: "above 64 MiB together"))
    }
    if let lost = lostComments.of("a comment", "comments") {
      metadata.notices.append(
        .omitted(lost, reason: "above 16 MiB of text, or beyond 10,000 of them"))
    }
  }

  private func process(
    _ header: FLAC__FrameHeader, _ channels: UnsafePointer<UnsafePointer<FLAC__int32>?>
  ) {
    // libFLAC replaces a damaged block with silence, so the block is ignored.
    guard hasInfo, !isDamaged, damage == nil, formatChange == nil else { return }
    // libFLAC accepts a rate of 0 in the header of a block, so the rate is checked here.
    guard header.sample_rate > 0 else { return damage = "a block has the rate 0 Hz" }
    guard header.sample_rate == info.sample_rate, header.channels == info.channels,
      header.bits_per_sample == info.bits_per_sample
    else {
      let format = AudioFormat(
        sampleRate: SampleRate(hertz: Int(header.sample_rate)), channelCount: Int(header.channels))
      formatChange = "\(format), \(header.bits_per_sample) bit"
      return
    }
    let scale = 1 / Float(sign: .plus, exponent: Int(info.bits_per_sample) - 1, significand: 1)
    block.removeAll(keepingCapacity: true)
    next = 0
    for frame in 0..<Int(header.blocksize) {
      for channel in 0..<Int(header.channels) {
        block.append(Float(channels[channel]?[frame] ?? 0) * scale)
      }
    }
    position += Int(header.blocksize)
    FLAC__stream_decoder_get_decode_position(handle, &blockEnd)
  }

  private func fail(_ status: FLAC__StreamDecoderErrorStatus) {
    if status == FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH { isDamaged = true }
    // An incomplete block at the end is not damage.
    guard hasInfo, !isComplete, !hasMetEnd, damage == nil, formatChange == nil else { return }
    damage = isDamaged ? "a block has a wrong checksum" : "the next bytes are not a FLAC block"
  }
}

extension FLAC__StreamMetadata_Picture {
  /// The bytes of the picture's description.
  fileprivate var text: UnsafeBufferPointer<UInt8> {
    var length = 0
    while let description, description[length] != 0 { length += 1 }
    return UnsafeBufferPointer(start: description, count: length)
  }
}

/// Returns the decoder behind the pointer that was passed to libFLAC.
private func flacDecoder(_ pointer: UnsafeMutableRawPointer?) -> FLACDecoder {
  // The pointer is never nil: the decoder passed it, and frees it after libFLAC's decoder was
  // deleted.
  pointer!.assumingMemoryBound(to: (() -> FLACDecoder).self).pointee()
}
