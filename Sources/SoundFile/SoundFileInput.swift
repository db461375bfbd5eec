import AudioCore
import AudioThreads
import CSndFile

/// A file opened for reading and looked at, with what libsndfile found in it.
struct SoundFileInput: ~Copyable {
  let handle: SoundFileHandle
  let info: SF_INFO
  /// The channels of what is read, in the order of WAV files.
  let layout: ChannelLayout
  let isStream: Bool
  /// What the header said before libsndfile corrected it, where we can tell.
  let promisedFrames: Int?

  /// From the file's own order; nil where it is that of WAV files.
  private let order: ChannelMix?

  init(
    _ descriptor: Descriptor, path: String, interruption: WakeUp
  ) throws(SoundFileError) {
    guard !descriptor.isDirectory else { throw .isDirectory(path: path) }
    guard !descriptor.isRegularFile else {
      try self.init(file: descriptor, path: path)
      return
    }
    let stream = StreamInput(source: descriptor, path: path, interruption: interruption)
    let firstBytes = try stream.firstBytes(16)
    guard !firstBytes.isEmpty else { throw .empty(path: path) }
    switch FileKind(firstBytes) {
    case .streamable:
      try self.init(pipe: stream.pumped(after: firstBytes), path: path)
    case .needsSeeking:
      try self.init(file: stream.spooled(after: firstBytes), path: path)
    case .foreign(let what): throw .unsupported(path: path, what: what)
    case .unknown: throw .notAudio(path: path)
    }
  }

  private init(file descriptor: Descriptor, path: String) throws(SoundFileError) {
    guard descriptor.size > 0 else { throw .empty(path: path) }
    var info = SF_INFO()
    handle = try Self.open(descriptor, path: path, info: &info)
    promisedFrames = WAVHeader(bytes: descriptor.bytes)?.promisedFrames
    let head = descriptor.bytes(at: 0, count: 64)
    (layout, order) = Self.channels(handle.storedLayout(info, head: head))
    (self.info, isStream) = (info, false)
  }

  private init(pipe descriptor: Descriptor, path: String) throws(SoundFileError) {
    var info = SF_INFO()
    handle = try Self.open(pipe: descriptor, path: path, info: &info)
    (layout, order) = Self.channels(handle.storedLayout(info))
    (self.info, isStream, promisedFrames) = (info, true, nil)
  }

  private static func channels(_ stored: ChannelLayout) -> (ChannelLayout, ChannelMix?) {
    let ours = stored.inWAVOrder
    let usual = ChannelLayout.wav(stored.positions.count)
    let order = ChannelMix(from: stored, to: ours)
    // Surround is called rear or side: where each channel serves as the usual one, it is that.
    let isUsual = ChannelMix(from: ours, to: usual).isIdentity
    return (isUsual ? usual : ours, order.isIdentity ? nil : order)
  }

  private static func open(
    _ descriptor: Descriptor, path: String, info: inout SF_INFO
  ) throws(SoundFileError) -> SoundFileHandle {
    do throws(LibraryFailure) {
      let handle = try SoundFileHandle(descriptor, mode: Int32(SFM_READ), info: &info)
      try check(info)
      return handle
    } catch {
      let kind = FileKind(descriptor.bytes(at: 0, count: 16))
      throw LibraryErrors.opening(path, error, kind: kind)
    }
  }

  private static func open(
    pipe descriptor: Descriptor, path: String, info: inout SF_INFO
  ) throws(SoundFileError) -> SoundFileHandle {
    do throws(LibraryFailure) {
      let handle = try SoundFileHandle(stream: descriptor, info: &info)
      try check(info)
      return handle
    } catch {
      throw LibraryErrors.opening(path, error, kind: .streamable)
    }
  }

  private static func check(_ info: SF_INFO) throws(LibraryFailure) {
    guard info.samplerate > 0, info.channels > 0 else {
      throw LibraryFailure(
        code: Int32(SF_ERR_MALFORMED_FILE),
        text: "\(info.channels) channels at \(info.samplerate) Hz")
    }
  }
}

extension SoundFileInput {
  /// Reads frames whose channels are in the order of WAV files, whatever order the file has.
  func read(_ target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let count = handle.read(target, frames: frames)
    order?.apply(inPlace: target, frames: max(0, count))
    return count
  }

  var isSeekable: Bool { !isStream && info.seekable != 0 }

  var format: AudioFormat {
    AudioFormat(sampleRate: SampleRate(hertz: Int(info.samplerate)), layout: layout)
  }

  /// What the header says; nil for a stream, whose header is often written before its length is
  /// known.
  var announcedFrameCount: FrameCount? {
    if let promisedFrames { return FrameCount(promisedFrames) }
    guard !isStream, info.frames >= 0, info.frames != Int64.max else { return nil }
    return FrameCount(Int(info.frames))
  }

  /// The names of container and encoding; the corresponding C command is `SFC_GET_FORMAT_INFO`.
  var encodingDescription: String {
    let container = info.format & Int32(SF_FORMAT_TYPEMASK)
    let encoding = info.format & Int32(SF_FORMAT_SUBMASK)
    return [container, encoding].compactMap(formatName).joined(separator: ", ")
  }
}

private func formatName(_ format: Int32) -> String? {
  var description = SF_FORMAT_INFO(format: format, name: nil, extension: nil)
  let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
  guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &description, size) == 0 else { return nil }
  return description.name.map { String(cString: $0) }
}
