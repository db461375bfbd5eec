import AudioCore
import AudioPlayerClient
import FoundationEssentials
import SoundFile

/// A file that can seek.
final class FileSource: FeederSource {
  let url: URL?
  private let file: URL
  private var reader: SoundFileReader?

  init(_ file: URL) {
    self.url = file
    self.file = file
  }

  var shortfall: (announced: Duration?, decoded: Duration)? { reader?.shortfall?.durations }

  var title: String? { reader?.streamTitle }

  var position: FrameCount { reader?.position ?? 0 }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    let reader = try reading { try SoundFileReader(url: file) }
    self.reader = reader
    let format = reader.format
    return (format, reader.announcedFrameCount?.duration(at: format.sampleRate))
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
      try move(to: frame)
    } catch {
      try restore(old)
      throw error
    }
  }

  private func move(to frame: FrameCount) throws {
    let end = min(frame, reader?.announcedFrameCount ?? frame)
    if frame < position || end > position { try leap(to: end) }
    // A file that cannot seek is read forward up to the frame, so a move back is impossible.
    if frame < position, !reaches(0) { throw AudioPlayerError.notSeekable(url) }
    while let reader, reader.position < frame {
      try Task.checkCancellation()
      let rest = frame - reader.position
      let buffer = try reading { try reader.read(atMost: min(rest, 4_096)) }
      if buffer.isEmpty { break }
    }
  }

  /// Seeks to a frame, or to the previous frame: some formats cannot seek to their very end.
  private func leap(to frame: FrameCount) throws {
    let old = position
    if reaches(frame) { return }
    if frame - 1 > old, reaches(frame - 1) { return }
    try restore(old)
  }

  /// Reopens the file at a frame, because a failed seek leaves some of the library's decoders
  /// unusable.
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
