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

  var position: FrameCount { reader?.position ?? 0 }

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

  func seek(to frame: FrameCount) async throws {
    guard let reader, frame != reader.position else { return }
    try await go(to: frame, reader)
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
  let url: URL? = nil
  let shortfall: (announced: Duration, decoded: Duration)? = nil
  private let format: AudioFormat?
  private var tape = BufferTape()

  init(_ buffers: [AudioBuffer]) {
    let buffers = buffers.filter { !$0.isEmpty }
    format = buffers.first?.format
    for buffer in buffers { tape.append(buffer) }
  }

  var position: FrameCount { tape.position }

  func open() async throws -> SourceDescription {
    guard let format else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(
      format: format, announcedDuration: tape.end.duration(at: format.sampleRate))
  }

  /// Long ones are given in pieces, so that none of them makes a request wait.
  func next() async throws -> AudioBuffer? {
    tape.next(atMost: 4_096)
  }

  func seek(to frame: FrameCount) async throws {
    tape.seek(to: frame)
  }
}
