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
  private var reader: (any FrameSource)?

  init(
    open: @escaping Opening, onShortfall: @escaping @Sendable (SoundFileShortfall) -> Void
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-file")
    interruption = try WakeUp()
    self.open = open
    self.onShortfall = onShortfall
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
    return nil
  }
}

/// A source of frames, used by one thread.
protocol FrameSource: AnyObject {
  /// The missing announced frames; nil before the end, and if none are missing.
  var shortfall: SoundFileShortfall? { get }

  /// Returns the next frames; empty at the end.
  func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer
}

extension SoundFileReader: FrameSource {}

/// A part of a regular file for decoders.
final class FilePart {
  let descriptor: Descriptor
  /// The offset of the part.
  let offset: Int
  /// The length of the part, which may extend beyond the end of the file.
  let length: Int
  /// The code of the first failed read, or 0.
  private(set) var failureCode: Int32 = 0
  /// The beginning, which parsers read in many small pieces.
  private lazy var head = descriptor.bytes(at: offset, count: room(at: 0, for: 4_096))

  init(_ descriptor: Descriptor, offset: Int = 0, length: Int) {
    (self.descriptor, self.offset, self.length) = (descriptor, offset, length)
  }

  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let count = room(at: offset, for: count)
    guard count > 0 else { return [] }
    if offset + count <= head.count { return Array(head[offset..<offset + count]) }
    return descriptor.bytes(at: self.offset + offset, count: count)
  }

  /// The number of readable bytes, up to `count`, at any offset.
  private func room(at offset: Int, for count: Int) -> Int {
    (0..<max(0, length)).contains(offset) ? min(count, length - offset) : 0
  }
}

extension FilePart: VirtualStorage {
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = room(at: offset, for: bytes.count)
    guard count > 0 else { return 0 }
    if offset + count <= head.count {
      bytes.copyBytes(from: head[offset..<offset + count])
      return count
    }
    let result = pread(descriptor.number, bytes.baseAddress, count, self.offset + offset)
    if result < 0, failureCode == 0 { failureCode = errno }
    return max(0, result)
  }

  /// The part is read-only.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
