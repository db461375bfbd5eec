public import AudioCore
import AudioThreads
public import FoundationEssentials

extension AsyncSequence where Element: AudioBlock {
  /// Returns the same buffers; each is written to a file before it is yielded.
  ///
  /// The first buffer determines the format of the file, which has its own thread; without buffers,
  /// no file is created. A buffer is read only when the consumer requests it. The file is complete
  /// when the stream has ended, failed, or been canceled, or soon after the consumer is released.
  ///
  /// By default, frames that are missing in the stream are silence in the file.
  ///
  /// - Throws: the errors of this sequence, after the file is closed. If `policy.failure` is
  ///   `.ends`, also `SoundFileError` when the file cannot be written; earlier audio stays
  ///   readable.
  public func teed(
    to url: URL, encoding: SoundFileEncoding, policy: TeePolicy = TeePolicy()
  ) -> TeedAudio<Self> {
    TeedAudio(base: self, url: url, encoding: encoding, policy: policy)
  }

  /// Writes all audio to a file; returns the number of frames once the complete file is on disk.
  ///
  /// The first buffer determines the format of the file, which has its own thread. Without buffers,
  /// no file is created, and the number is 0.
  ///
  /// - Parameters:
  ///   - url: the path of the file.
  ///   - encoding: the container and sample format.
  ///   - isAtomic: whether the file appears, or replaces an existing file, only when it is
  ///     complete. An error or a cancellation then discards all audio. If false, the file can be
  ///     read while it is written, and keeps the audio written before an error: use this for a
  ///     microphone.
  ///   - gaps: the handling of missing frames in the stream.
  ///   - actor: the caller's actor, on which `progress` and the operators of this sequence run.
  ///   - progress: called after each buffer with the length of the file so far.
  /// - Throws: the errors of this sequence, `SoundFileError`, and `CancellationError` in a canceled
  ///   task, even if the sequence ends without an error.
  @discardableResult
  public func write(
    to url: URL, encoding: SoundFileEncoding, atomically isAtomic: Bool,
    gaps: TeePolicy.Gaps = .silence, isolation actor: isolated (any Actor)? = #isolation,
    progress: (_ written: Duration) -> Void = { _ in }
  ) async throws -> FrameCount {
    let file = try TeeWriting(url: url, encoding: encoding, gaps: gaps, isAtomic: isAtomic)
    do {
      var iterator = makeAsyncIterator()
      while let buffer = try await iterator.next(isolation: actor)?.buffer {
        try Task.checkCancellation()
        progress(try await file.process(buffer))
      }
      try Task.checkCancellation()
      return try await file.finish()
    } catch {
      await file.abandon()
      throw error
    }
  }
}

extension AudioBlock {
  /// Writes the audio to a file on the file's own thread, and returns when the file is on disk.
  ///
  /// - Parameters:
  ///   - url: the path of the file.
  ///   - encoding: the container and sample format.
  ///   - isAtomic: whether the file appears, or replaces an existing file, only when it is
  ///     complete.
  ///   - actor: the caller's actor.
  /// - Throws: `SoundFileError`, and `CancellationError` in a canceled task.
  public func write(
    to url: URL, encoding: SoundFileEncoding, atomically isAtomic: Bool,
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws {
    let blocks = AsyncStream { continuation in
      continuation.yield(buffer)
      continuation.finish()
    }
    try await blocks.write(to: url, encoding: encoding, atomically: isAtomic)
  }
}

/// A sequence that is written to a file; each iteration writes the file again.
public struct TeedAudio<Base: AsyncSequence>: AsyncSequence where Base.Element: AudioBlock {
  /// The unchanged buffers or blocks.
  public typealias Element = Base.Element
  /// Any error, because the sequence and the file have different errors.
  public typealias Failure = any Error

  let base: Base
  let url: URL
  let encoding: SoundFileEncoding
  let policy: TeePolicy

  /// Starts the base sequence; the first buffer creates the file.
  public func makeAsyncIterator() -> Iterator {
    Iterator(tee: self, base: base.makeAsyncIterator())
  }

  /// Yields the written buffers.
  public struct Iterator: AsyncIteratorProtocol {
    private let tee: TeedAudio
    private var base: Base.AsyncIterator?
    private var writing: TeeWriting?
    /// Whether the file has failed and the stream continues without it.
    private var isAlone = false

    init(tee: TeedAudio, base: Base.AsyncIterator) {
      self.tee = tee
      self.base = base
    }

    /// Returns the next buffer after writing it; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> Base.Element? {
      let block: Base.Element?
      do {
        block = try await base?.next(isolation: actor)
      } catch {
        await closeAfterError()
        throw error
      }
      do {
        try await write(block?.buffer)
      } catch let error as CancellationError {
        (base, writing) = (nil, nil)
        throw error
      } catch {
        try lose(error)
      }
      return block
    }

    /// Writes a buffer, or completes the file if `buffer` is nil.
    private mutating func write(
      _ buffer: AudioBuffer?, isolation actor: isolated (any Actor)? = #isolation
    ) async throws {
      guard let buffer else {
        base = nil
        try await writing.take()?.finish()
        return
      }
      guard !isAlone else { return }
      let file =
        try writing ?? TeeWriting(url: tee.url, encoding: tee.encoding, gaps: tee.policy.gaps)
      writing = file
      try await file.process(buffer)
    }

    /// Closes the file after an error of the stream, which the caller throws.
    ///
    /// If closing the file fails, too, the policy's handler gets that error.
    private mutating func closeAfterError(
      isolation actor: isolated (any Actor)? = #isolation
    ) async {
      base = nil
      do {
        try await writing.take()?.finish()
      } catch {
        if case .continues(let report) = tee.policy.failure { report(error) }
      }
    }

    private mutating func lose(_ error: any Error) throws {
      writing = nil
      isAlone = true
      guard case .continues(let report) = tee.policy.failure else {
        base = nil
        throw error
      }
      report(error)
    }
  }
}

extension TeedAudio: Sendable where Base: Sendable {}

/// The policy for writing a stream to a file.
public struct TeePolicy: Sendable {
  /// The handling of missing frames in the stream.
  public enum Gaps: Hashable, Sendable {
    /// Missing frames become silence, so the file has the timeline of the stream.
    case silence
    /// The file omits missing frames.
    case closedUp
  }

  /// The response to a failure of the file.
  public enum Failure: Sendable {
    /// The stream ends with the error, after the file is closed.
    case ends
    /// The file is closed, the function is called once with the error, and the stream continues
    /// without a file.
    case continues(@Sendable (any Error) -> Void)
  }

  /// The handling of missing frames in the stream.
  public var gaps: Gaps
  /// The response to a failure of the file.
  public var failure: Failure

  /// Creates a policy; by default, missing frames become silence, and a failure of the file ends
  /// the stream.
  public init(gaps: Gaps = .silence, failure: Failure = .ends) {
    (self.gaps, self.failure) = (gaps, failure)
  }
}

/// A file that is opened, written, and closed on its own thread.
private actor TeeWriting {
  /// The executor that runs this actor on the file's own thread.
  nonisolated let executor: ThreadExecutor

  private static let longestSilence: FrameCount = 4_096

  private let url: URL
  private let encoding: SoundFileEncoding
  private let gaps: TeePolicy.Gaps
  /// Whether an incomplete file is discarded instead of kept.
  private let isAtomic: Bool
  private var continuity = ContinuityChecker()
  private var writer: SoundFileWriter?

  init(
    url: URL, encoding: SoundFileEncoding, gaps: TeePolicy.Gaps, isAtomic: Bool = false
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-tee")
    self.url = url
    self.encoding = encoding
    (self.gaps, self.isAtomic) = (gaps, isAtomic)
  }

  // If the consumer stops early, the file is completed and closed on the file's thread.
  isolated deinit {
    writer = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Writes a buffer and returns the length of the file; after a failure, the file is closed before
  /// the error is thrown.
  ///
  /// The error is `CancellationError` if the task is canceled while a gap is filled.
  @discardableResult
  func process(_ buffer: AudioBuffer) throws -> Duration {
    do {
      if case .gap(let missing) = continuity.check(buffer), gaps == .silence {
        try writeSilence(missing)
      }
      let writer =
        try self.writer
        ?? SoundFileWriter(
          url: url, format: buffer.format, encoding: encoding, isAtomic: isAtomic)
      self.writer = writer
      try writer.write(buffer)
      return writer.framesWritten.duration(at: writer.format.sampleRate)
    } catch {
      abandon()
      throw error
    }
  }

  /// Completes the file, if there is one, and returns the file's number of frames.
  @discardableResult
  func finish() throws -> FrameCount {
    let writer = writer.take()
    try writer?.close()
    return writer?.framesWritten ?? 0
  }

  /// Closes the file after an error.
  ///
  /// An error from closing is dropped, because the first error is more useful.
  func abandon() {
    let writer = writer.take()
    if isAtomic { writer?.discard() } else { try? writer?.close() }
  }

  private func writeSilence(_ count: FrameCount) throws {
    guard let writer else { return }
    var rest = count
    let block = AudioBuffer(silence: min(rest, Self.longestSilence), format: writer.format)
    while rest > 0 {
      try Task.checkCancellation()
      try writer.write(rest < block.frameCount ? block.frames(0..<rest) : block)
      rest -= block.frameCount
    }
  }
}
