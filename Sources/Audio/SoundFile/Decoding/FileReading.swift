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
