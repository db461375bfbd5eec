import AudioCore
import AudioPlayerClient
import FoundationEssentials
import SoundFile

/// A file that can be read again.
final class FileSource: FeederSource {
  let url: URL?
  private let file: URL
  private var reader: SoundFileReader?

  init(_ file: URL) {
    self.url = file
    self.file = file
  }

  var shortfall: (announced: Duration?, decoded: Duration)? {
    guard let reader, let shortfall = reader.shortfall else { return nil }
    let rate = reader.format.sampleRate
    return (shortfall.announced?.duration(at: rate), shortfall.decoded.duration(at: rate))
  }

  var position: FrameCount { reader?.position ?? 0 }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    let reader = try reading { try SoundFileReader(url: file) }
    self.reader = reader
    return SourceDescription(
      format: reader.format,
      announcedDuration: reader.announcedFrameCount?.duration(at: reader.format.sampleRate))
  }

  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    guard let reader else { return nil }
    let buffer = try reading { try reader.read(atMost: 4_096) }
    return buffer.isEmpty ? nil : buffer
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    let old = position
    guard frame != old else { return }
    do {
      try go(to: frame)
    } catch {
      try restore(old)
      throw error
    }
  }

  private func go(to frame: FrameCount) throws {
    let end = min(frame, reader?.announcedFrameCount ?? frame)
    if frame < position || end > position { try leap(to: end) }
    // What cannot be sought in is read up to there, as far as that is possible.
    if frame < position, !reaches(0) { throw AudioPlayerError.notSeekable(url) }
    while let reader, reader.position < frame {
      try Task.checkCancellation()
      let rest = frame - reader.position
      let buffer = try reading { try reader.read(atMost: min(rest, 4_096)) }
      if buffer.isEmpty { break }
    }
  }

  /// Goes to a frame, or to the one before it: not every format lets one go to its very end.
  private func leap(to frame: FrameCount) throws {
    let old = position
    if reaches(frame) { return }
    if frame - 1 > old, reaches(frame - 1) { return }
    try restore(old)
  }

  /// Goes back to a frame after a failure; some of the library's decoders give nothing any more
  /// then, and the file has to be opened again.
  private func restore(_ frame: FrameCount) throws {
    reader = try reading { try SoundFileReader(url: file) }
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

  private func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      throw AudioPlayerError.source(file, reason: "\(error)")
    }
  }
}

/// Buffers in memory.
final class BuffersSource: FeederSource {
  let url: URL? = nil
  private let format: AudioFormat?
  private let missing: (announced: Duration?, decoded: Duration)?
  private var tape = BufferTape()

  /// - Parameter shortfall: what the file that they are from announced and did not hold.
  init(_ buffers: [AudioBuffer], shortfall: (announced: Duration?, decoded: Duration)? = nil) {
    missing = shortfall
    let buffers = buffers.filter { !$0.isEmpty }
    format = buffers.first?.format
    for buffer in buffers { tape.append(buffer) }
  }

  var shortfall: (announced: Duration?, decoded: Duration)? {
    tape.position < tape.end ? nil : missing
  }

  var position: FrameCount { tape.position }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    guard let format else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(
      format: format, announcedDuration: tape.end.duration(at: format.sampleRate))
  }

  /// Long ones are given in pieces, so that none of them makes a request wait.
  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    tape.next(atMost: 4_096)
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    tape.seek(to: frame)
  }
}
