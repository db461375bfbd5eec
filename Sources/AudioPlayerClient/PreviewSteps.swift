import AudioCore
import Foundation

/// The durations that a preview sleeps, one after the other: fifths of a second of each repetition,
/// or the buffers of a stream as they come.
struct PreviewSteps: AsyncSequence {
  private let stream: AsyncThrowingStream<AudioBuffer, any Error>?
  private let duration: Duration
  private let total: Duration?

  init(_ request: PlaybackRequest, duration: Duration?) {
    if case .stream(let stream) = request.source { self.stream = stream } else { stream = nil }
    self.duration = duration ?? .zero
    total =
      switch request.repetition {
      case .times(let count): self.duration * Swift.max(1, count)
      case .forever: nil
      }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(stream: stream?.makeAsyncIterator(), isEmpty: duration == .zero, left: total)
  }

  struct Iterator: AsyncIteratorProtocol {
    var stream: AsyncThrowingStream<AudioBuffer, any Error>.Iterator?
    let isEmpty: Bool
    var left: Duration?

    mutating func next() async throws -> Duration? {
      if stream != nil { return try await stream?.next()?.duration }
      guard let left else { return isEmpty ? nil : .milliseconds(200) }
      let step = Swift.min(left, .milliseconds(200))
      self.left = left - step
      return step > .zero ? step : nil
    }
  }
}

/// How long a source lasts as far as a preview can tell; nil for a stream.
func previewDuration(of source: PlaybackSource) throws -> Duration? {
  switch source {
  case .stream: nil
  case .buffers(let buffers): buffers.reduce(.zero) { $0 + $1.duration }
  case .file(let url): try fileDuration(url)
  }
}

private func fileDuration(_ url: URL) throws -> Duration {
  let header: Data
  do {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    header = try file.read(upToCount: 4_096) ?? Data()
  } catch {
    throw AudioPlayerError.source(url, reason: "\"\(url.path)\" cannot be read: \(error)")
  }
  return WAVHeader(header)?.duration ?? .seconds(3)
}
