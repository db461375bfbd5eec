import AudioCore
import AudioThreads

/// A file that is opened, read and closed on a thread of its own.
actor FileReading {
  typealias Opening = @Sendable (_ interruption: WakeUp) throws -> any FrameReader

  /// The thread that all of it happens on.
  nonisolated let executor: ThreadExecutor
  /// Ends a read that waits for a stream.
  nonisolated let interruption: WakeUp

  private let open: Opening
  private let onShortfall: @Sendable (SoundFileShortfall) -> Void
  private var reader: (any FrameReader)?

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
