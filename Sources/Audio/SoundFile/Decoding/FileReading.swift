import AudioCore
import AudioThreads

/// A file that is opened, read, and closed on its own thread.
actor FileReading {
  /// Opens a file, and returns a function that reads the next frames and returns nil at the end.
  typealias Opening =
    @Sendable (_ interruption: WakeUp) throws -> (_ count: FrameCount) throws -> AudioBuffer?

  /// The executor that runs this actor on the file's own thread.
  nonisolated let executor: ThreadExecutor
  /// The signal that ends a read that waits for a stream.
  nonisolated let interruption: WakeUp

  private let open: Opening
  private var read: ((_ count: FrameCount) throws -> AudioBuffer?)?

  init(open: @escaping Opening) throws {
    executor = try ThreadExecutor(name: "syrinx-file")
    interruption = try WakeUp()
    self.open = open
  }

  isolated deinit {
    read = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Returns the next frames; nil at the end.
  func next(atMost count: FrameCount) throws -> AudioBuffer? {
    // Storing the function again would wrap it in one more thunk for each buffer.
    if let read { return try read(count) }
    let read = try open(interruption)
    self.read = read
    return try read(count)
  }
}
