public import AudioCore
import AudioThreads
public import FoundationEssentials

extension AsyncSequence where Element == AudioBuffer {
  /// The same buffers, each written to a file before it comes out.
  ///
  /// The file is made with the format of the first buffer, on a thread of its own; a stream without
  /// a buffer makes none. The consumer's demand is the back-pressure. The file is complete when the
  /// stream has ended, failed or been cancelled; where its consumer leaves before, soon after.
  ///
  /// Frames that the stream lacks are silence in the file, or follow the policy.
  ///
  /// - Throws: the errors of this sequence, after the file is closed; `SoundFileError` where the
  ///   file cannot be written, if `policy.failure` is `.ends`: what was written before is readable.
  public func teed(
    to url: URL, encoding: SoundFileEncoding, policy: TeePolicy = TeePolicy()
  ) -> TeedAudio<Self> {
    TeedAudio(base: self, url: url, encoding: encoding, policy: policy)
  }
}

/// A sequence that is written to a file on its way; each iteration writes the file anew.
public struct TeedAudio<Base: AsyncSequence>: AsyncSequence where Base.Element == AudioBuffer {
  /// The buffers as they were.
  public typealias Element = AudioBuffer
  /// The sequence and the file fail in different ways.
  public typealias Failure = any Error

  let base: Base
  let url: URL
  let encoding: SoundFileEncoding
  let policy: TeePolicy

  /// Begins the sequence below; the file is made with its first buffer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(tee: self, base: base.makeAsyncIterator())
  }

  /// Passes buffers on that have been written.
  public struct Iterator: AsyncIteratorProtocol {
    private let tee: TeedAudio
    private var base: Base.AsyncIterator?
    private var writing: TeeWriting?
    /// The file has failed, and the stream goes on without it.
    private var isAlone = false

    init(tee: TeedAudio, base: Base.AsyncIterator) {
      self.tee = tee
      self.base = base
    }

    /// The next buffer, after it was written; nil after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(any Error) -> AudioBuffer? {
      let buffer: AudioBuffer?
      do {
        buffer = try await base?.next(isolation: actor)
      } catch {
        await closeAfterError()
        throw error
      }
      do {
        try await write(buffer)
      } catch let error as CancellationError {
        (base, writing) = (nil, nil)
        throw error
      } catch {
        try lose(error)
      }
      return buffer
    }

    /// Writes a buffer, or completes the file where there is none.
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
      try await file.take(buffer)
    }

    /// The stream's error is the one to throw; the file's error still goes to the handler.
    private mutating func closeAfterError(
      isolation actor: isolated (any Actor)? = #isolation
    ) async {
      base = nil
      do {
        try await writing.take()?.finish()
      } catch {
        if case .goesOn(let report) = tee.policy.failure { report(error) }
      }
    }

    private mutating func lose(_ error: any Error) throws {
      writing = nil
      isAlone = true
      guard case .goesOn(let report) = tee.policy.failure else {
        base = nil
        throw error
      }
      report(error)
    }
  }
}

extension TeedAudio: Sendable where Base: Sendable {}

/// How a stream is written to a file on its way.
public struct TeePolicy: Sendable {
  /// What becomes of frames that the stream lacks.
  public enum Gaps: Hashable, Sendable {
    /// They are silence in the file, so that its time-line is that of the stream.
    case silence
    /// They are missing in the file, too.
    case closedUp
  }

  /// What happens when the file cannot be written.
  public enum Failure: Sendable {
    /// The stream ends with the error, after the file is closed.
    case ends
    /// The file is closed, the function is called once with the error, and the stream continues alone.
    case goesOn(@Sendable (any Error) -> Void)
  }

  /// What becomes of frames that the stream lacks.
  public var gaps: Gaps
  /// What happens when the file cannot be written.
  public var failure: Failure

  /// A policy; by default the file has the time-line of the stream, and its failure ends it.
  public init(gaps: Gaps = .silence, failure: Failure = .ends) {
    (self.gaps, self.failure) = (gaps, failure)
  }
}

/// What is to be written of a stream, without a file: every step returns what is to be done.
struct TeeMachine {
  enum Action: Equatable {
    case open(AudioFormat)
    /// So many frames of silence.
    case silence(FrameCount)
    case write(AudioBuffer)
    case close
  }

  private enum State {
    case untouched
    case writing
    case over
  }

  private let gaps: TeePolicy.Gaps
  private var state = State.untouched
  private var continuity = Continuity()

  init(gaps: TeePolicy.Gaps) {
    self.gaps = gaps
  }

  mutating func take(_ buffer: AudioBuffer) -> [Action] {
    let step = continuity.note(buffer)
    switch state {
    case .over: return []
    case .untouched:
      state = .writing
      return [.open(buffer.format), .write(buffer)]
    case .writing:
      guard case .gap(let missing) = step, gaps == .silence else { return [.write(buffer)] }
      return [.silence(missing), .write(buffer)]
    }
  }

  /// The stream has ended, or the file has failed.
  mutating func end() -> [Action] {
    defer { state = .over }
    return state == .writing ? [.close] : []
  }
}

/// A file that is opened, written and closed on a thread of its own, as the machine decides.
private actor TeeWriting {
  /// The thread that all of it happens on.
  nonisolated let executor: ThreadExecutor

  private static let longestSilence: FrameCount = 4_096

  private let url: URL
  private let encoding: SoundFileEncoding
  private var machine: TeeMachine
  private var writer: SoundFileWriter?

  init(url: URL, encoding: SoundFileEncoding, gaps: TeePolicy.Gaps) throws {
    executor = try ThreadExecutor(name: "syrinx-tee")
    self.url = url
    self.encoding = encoding
    machine = TeeMachine(gaps: gaps)
  }

  // A consumer that goes away leaves a complete file, which is closed on the thread as well.
  isolated deinit {
    writer = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Writes a buffer; if that fails, the file is closed before the error is reported.
  ///
  /// A cancelled task gets `CancellationError` where there is a gap to be filled, however long.
  func take(_ buffer: AudioBuffer) throws {
    do {
      for action in machine.take(buffer) { try perform(action) }
    } catch {
      closeAfterFailure()
      throw error
    }
  }

  /// Completes the file, if there is one.
  func finish() throws {
    for action in machine.end() { try perform(action) }
  }

  private func perform(_ action: TeeMachine.Action) throws {
    switch action {
    case .open(let format):
      writer = try SoundFileWriter(url: url, format: format, encoding: encoding)
    case .write(let buffer): try writer?.write(buffer)
    case .silence(let count): try writeSilence(count)
    case .close: try writer.take()?.close()
    }
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

  private func closeAfterFailure() {
    _ = machine.end()
    // The first error is more useful than the one of closing an incomplete file.
    try? writer.take()?.close()
  }
}
