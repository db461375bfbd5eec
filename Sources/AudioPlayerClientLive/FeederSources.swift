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
    let old = position
    guard frame != old else { return }
    do {
      try await go(to: frame)
    } catch {
      try await restore(old)
      throw error
    }
  }

  nonisolated(nonsending) private func go(to frame: FrameCount) async throws {
    let end = min(frame, reader?.announcedFrameCount ?? frame)
    if frame < position || end > position { try await leap(to: end) }
    // What cannot be sought in is read up to there, as far as that is possible.
    if frame < position, !reaches(0) { throw AudioPlayerError.notSeekable(url) }
    while let reader, reader.position < frame {
      try Task.checkCancellation()
      let rest = frame - reader.position
      let buffer = try await interruptible { try reader.read(atMost: min(rest, 4_096)) }
      if buffer.isEmpty { break }
    }
  }

  /// Goes to a frame, or to the one before it: not every format lets one go to its very end.
  nonisolated(nonsending) private func leap(to frame: FrameCount) async throws {
    let old = position
    if reaches(frame) { return }
    if frame - 1 > old, reaches(frame - 1) { return }
    try await restore(old)
  }

  /// Goes back to a frame after a failure; some of the library's decoders give nothing any more
  /// then, and the file has to be opened again.
  nonisolated(nonsending) private func restore(_ frame: FrameCount) async throws {
    // What comes through a named pipe comes once only.
    let isFile = try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
    guard isFile == true else { return }
    let reader = try await interruptible { [interruption] in
      try SoundFileReader(url: file, interruption: interruption)
    }
    self.reader = reader
    _ = reaches(frame)
  }

  private func reaches(_ frame: FrameCount) -> Bool {
    do throws(SoundFileError) {
      guard let reader else { return false }
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
