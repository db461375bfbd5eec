import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import SoundFile

/// A file, read from its beginning for each repetition.
final class FileSource: FeederSource {
  let url: URL?
  private let file: URL
  private var repetitions: Repetitions
  private var reader: SoundFileReader?
  private var interruption: WakeUp?

  init(_ file: URL, _ repetitions: Repetitions) {
    self.url = file
    self.file = file
    self.repetitions = repetitions
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
    while true {
      let buffer = try await interruptible { try reader.read(atMost: 4_096) }
      if !buffer.isEmpty {
        repetitions.gives()
        return buffer
      }
      guard repetitions.begin() else { return nil }
      try reading { try reader.seek(to: 0) }
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
  private let buffers: [AudioBuffer]
  private var repetitions: Repetitions
  private var index = 0

  init(_ buffers: [AudioBuffer], _ repetitions: Repetitions) {
    self.buffers = buffers.filter { !$0.isEmpty }
    self.repetitions = repetitions
  }

  func open() async throws -> SourceDescription {
    guard let first = buffers.first else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(
      format: first.format,
      announcedDuration: buffers.reduce(.zero) { $0 + $1.duration })
  }

  func next() async throws -> AudioBuffer? {
    if index == buffers.count {
      guard repetitions.begin() else { return nil }
      index = 0
    }
    defer { index += 1 }
    repetitions.gives()
    return buffers[index]
  }
}
