import AudioCore
import AudioThreads
import Glibc

/// A file that is opened, read, and closed on its own thread.
actor FileReading {
  typealias Opening = @Sendable (_ interruption: WakeUp) throws -> any FrameSource

  /// The executor with the file's thread.
  nonisolated let executor: ThreadExecutor
  /// Ends a read that waits for a stream.
  nonisolated let interruption: WakeUp

  private let open: Opening
  private let onShortfall: @Sendable (SoundFileShortfall) -> Void
  private let onNotice: @Sendable (SoundFileNotice) -> Void
  private var reader: (any FrameSource)?

  init(
    open: @escaping Opening, onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void,
    onNotice: @escaping @Sendable (SoundFileNotice) -> Void = { _ in }
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-file")
    interruption = try WakeUp()
    self.open = open
    self.onShortfall = onShortfall
    self.onNotice = onNotice
  }

  isolated deinit {
    reader = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Returns the next frames; nil at the end.
  func next(atMost count: FrameCount) throws -> AudioBuffer? {
    let reader = try self.reader ?? open(interruption)
    self.reader = reader
    let buffer = try reader.read(atMost: count)
    guard buffer.isEmpty else { return buffer }
    if let shortfall = reader.shortfall { onShortfall(shortfall) }
    for notice in reader.notices { onNotice(notice) }
    return nil
  }
}

/// A source of frames, used by one thread.
protocol FrameSource: AnyObject {
  /// The missing announced frames; nil before the end, and if none are missing.
  var shortfall: SoundFileShortfall? { get }
  /// Notices about the source.
  var notices: [SoundFileNotice] { get }

  /// Returns the next frames; empty at the end.
  func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer
}

extension SoundFileReader: FrameSource {}

/// Reads samples without a header from a descriptor as they arrive.
final class RawReader: FrameSource {
  /// Without a header, no length is announced.
  let shortfall: SoundFileShortfall? = nil
  let notices: [SoundFileNotice] = []

  private let format: AudioFormat
  private let samples: RawSampleFormat
  private let stream: StreamInput
  private var position: FrameCount = 0
  /// The bytes of an incomplete frame.
  private var rest: [UInt8] = []

  init(
    _ stream: StreamInput, format: AudioFormat, samples: RawSampleFormat
  ) throws(SoundFileError) {
    guard !stream.source.isDirectory else { throw .isDirectory(path: stream.path) }
    self.format = format
    self.samples = samples
    self.stream = stream
  }

  /// Returns the frames that have arrived, at least one; none at the end, without an incomplete
  /// frame.
  func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer {
    let size = samples.byteCount * format.channelCount
    while rest.count < size {
      let bytes = try stream.next(atMost: count.rawValue * size - rest.count)
      guard !bytes.isEmpty else { return try end() }
      rest += bytes
    }
    let frames = rest.count / size
    let values = (0..<frames * format.channelCount).map { index in
      samples.sample(rest[(index * samples.byteCount)...])
    }
    rest.removeFirst(frames * size)
    defer { position = position + FrameCount(frames) }
    return AudioBuffer(format: format, samples: values, firstFrame: position)
  }

  private func end() throws(SoundFileError) -> AudioBuffer {
    guard position > 0 else { throw .empty(path: stream.path) }
    return AudioBuffer(silence: 0, format: format)
  }
}

/// The storage of samples without a header: little-endian, interleaved.
public enum RawSampleFormat: String, Hashable, Sendable, CaseIterable {
  /// 16-bit integers.
  case int16 = "s16"
  /// 24-bit integers in three bytes.
  case int24 = "s24"
  /// 32-bit integers.
  case int32 = "s32"
  /// 32-bit floating point, full scale ±1.
  case float

  /// The number of bytes in a sample.
  public var byteCount: Int {
    switch self {
    case .int16: 2
    case .int24: 3
    case .int32, .float: 4
    }
  }

  /// Decodes the sample in the first bytes; full scale is ±1.
  func sample(_ bytes: ArraySlice<UInt8>) -> Float {
    switch self {
    case .int16: Float(Int16(truncatingIfNeeded: bits(bytes))) / 32_768
    case .int24: Float(Int32(truncatingIfNeeded: bits(bytes) << 8) >> 8) / 8_388_608
    case .int32: Float(Int32(bitPattern: bits(bytes))) / 2_147_483_648
    case .float: Float(bitPattern: bits(bytes))
    }
  }

  private func bits(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(byteCount).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
