import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import SoundFile

/// A file.
final class FileSource: FeederSource {
  let url: URL?
  private let file: URL
  private var reader: SoundFileReader?
  private var interruption: WakeUp?

  init(_ file: URL) {
    self.url = file
    self.file = file
  }

  var shortfall: (announced: Duration, decoded: Duration)? {
    guard let reader, let shortfall = reader.shortfall else { return nil }
    let rate = reader.format.sampleRate
    return (shortfall.announced.duration(at: rate), shortfall.decoded.duration(at: rate))
  }

  func open() async throws -> SourceDescription {
    let interruption = try reading { try WakeUp() }
    self.interruption = interruption
    let reader = try await interruptible {
      try SoundFileReader(url: file, interruption: interruption)
    }
    self.reader = reader
    return SourceDescription(
      format: reader.format,
      announcedDuration: reader.announcedFrameCount?.duration(at: reader.format.sampleRate))
  }

  func next() async throws -> AudioBuffer? {
    guard let reader else { return nil }
    let buffer = try await interruptible { try reader.read(atMost: 4_096) }
    return buffer.isEmpty ? nil : buffer
  }

  func seek(to frame: FrameCount) async throws -> FrameCount {
    guard let reader, frame != reader.position else { return frame }
    try await go(to: frame, reader)
    return reader.position
  }

  nonisolated(nonsending) private func go(
    to frame: FrameCount, _ reader: SoundFileReader
  ) async throws {
    if leaps(to: min(frame, reader.announcedFrameCount ?? frame), reader), frame == reader.position
    {
      return
    }
    // What cannot be sought in is read up to there, as far as that is possible.
    if frame < reader.position, !reaches(0, reader) { throw AudioPlayerError.notSeekable(url) }
    while reader.position < frame {
      try Task.checkCancellation()
      let rest = frame - reader.position
      let buffer = try await interruptible { try reader.read(atMost: min(rest, 4_096)) }
      if buffer.isEmpty { break }
    }
  }

  /// Goes to a frame, or to the one before it: not every format lets one go to its very end.
  private func leaps(to frame: FrameCount, _ reader: SoundFileReader) -> Bool {
    let old = reader.position
    if frame == old || reaches(frame, reader) { return true }
    if frame - 1 > old, reaches(frame - 1, reader) { return true }
    // After a failure the library is anywhere.
    _ = reaches(old, reader)
    return false
  }

  private func reaches(_ frame: FrameCount, _ reader: SoundFileReader) -> Bool {
    do throws(SoundFileError) {
      try reader.seek(to: frame)
      return true
    } catch {
      return false
    }
  }

  /// A named pipe can keep a call waiting for ever: cancelling the task ends that.
  nonisolated(nonsending) private func interruptible<Value>(
    _ body: () throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try reading(body)
    } onCancel: { [interruption] in
      interruption?.signal()
    }
  }

  private func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      throw AudioPlayerError.source(file, reason: "\(error)")
    }
  }
}

/// Buffers in memory.
final class BuffersSource: FeederSource {
  /// Long ones are given in pieces, so that none of them makes a request wait.
  private static let piece: FrameCount = 4_096

  let url: URL? = nil
  let shortfall: (announced: Duration, decoded: Duration)? = nil
  private let buffers: [AudioBuffer]
  private var index = 0
  /// The frame of the current buffer that is given next.
  private var offset: FrameCount = 0

  init(_ buffers: [AudioBuffer]) {
    self.buffers = buffers.filter { !$0.isEmpty }
  }

  func open() async throws -> SourceDescription {
    guard let first = buffers.first else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(
      format: first.format,
      announcedDuration: buffers.reduce(.zero) { $0 + $1.duration })
  }

  func next() async throws -> AudioBuffer? {
    guard index < buffers.count else { return nil }
    let buffer = buffers[index]
    let end = min(offset + Self.piece, buffer.frameCount)
    let piece = buffer.frames(offset..<end)
    offset = end
    if offset == buffer.frameCount { (index, offset) = (index + 1, 0) }
    return piece
  }

  func seek(to frame: FrameCount) async throws -> FrameCount {
    (index, offset) = (0, frame)
    while index < buffers.count, offset >= buffers[index].frameCount {
      (index, offset) = (index + 1, offset - buffers[index].frameCount)
    }
    guard index == buffers.count else { return frame }
    defer { offset = 0 }
    return frame - offset
  }
}
