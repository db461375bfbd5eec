public import AudioCore
public import FoundationEssentials

extension AsyncSequence where Element == AudioBuffer {
  /// The same buffers, each written to a file before it comes out.
  ///
  /// The file is made with the format of the first buffer, on a thread of its own; a stream without
  /// a buffer makes none. The consumer's demand is the back-pressure. The file is complete when the
  /// stream has ended, failed or been cancelled; where its consumer leaves before, soon after.
  ///
  /// Frames that the stream lacks are silence in the file, or as the policy says.
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

    /// The stream's error is the one to throw; of the file's, whoever listens still hears.
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
