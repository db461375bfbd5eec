import AudioCore
import AudioThreads
import Glibc

/// A file that is opened, read and closed on a thread of its own.
actor FileReading {
  typealias Opening = @Sendable (_ interruption: WakeUp) throws -> any FrameSource

  /// The thread that all of it happens on.
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

  /// The next frames; nil at the end.
  func next(atMost count: FrameCount) throws -> AudioBuffer? {
    let reader = try self.reader ?? open(interruption)
    self.reader = reader
    let buffer = try reader.read(atMost: count)
    guard buffer.isEmpty else { return buffer }
    if let shortfall = reader.shortfall { onShortfall(shortfall) }
    return nil
  }
}

/// What gives frames until its end, on one thread.
protocol FrameSource: AnyObject {
  /// What was promised and did not come; nil before the end, and where nothing is missing.
  var shortfall: SoundFileShortfall? { get }

  /// The next frames; none at the end.
  func read(atMost count: FrameCount) throws(SoundFileError) -> AudioBuffer
}

extension SoundFileReader: FrameSource {}

/// Some of the bytes of a regular file, as decoders read them.
final class FilePart {
  let descriptor: Descriptor
  /// Where they begin.
  let offset: Int
  /// How many there are, or were to be: behind the end of the file nothing comes.
  let length: Int
  /// The code of the first read that failed, 0 before.
  private(set) var failureCode: Int32 = 0

  init(_ descriptor: Descriptor, offset: Int = 0, length: Int) {
    (self.descriptor, self.offset, self.length) = (descriptor, offset, length)
  }

  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let count = room(at: offset, for: count)
    return count > 0 ? descriptor.bytes(at: self.offset + offset, count: count) : []
  }

  /// How many of `count` bytes there are at a place, which may be anywhere.
  private func room(at offset: Int, for count: Int) -> Int {
    (0..<max(0, length)).contains(offset) ? min(count, length - offset) : 0
  }
}

extension FilePart: VirtualStorage {
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = room(at: offset, for: bytes.count)
    guard count > 0 else { return 0 }
    let result = pread(descriptor.number, bytes.baseAddress, count, self.offset + offset)
    if result < 0, failureCode == 0 { failureCode = errno }
    return max(0, result)
  }

  /// It is only read.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
