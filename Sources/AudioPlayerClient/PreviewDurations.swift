import AudioCore
import FilePaths
import Foundation

/// What a preview can tell of a source: its rate, and how long it lasts; nil for a stream.
struct PreviewLength: Equatable {
  var rate: SampleRate = 48_000
  var duration: Duration?

  init(of source: PlaybackSource) throws(AudioPlayerError) {
    switch source {
    case .stream: break
    case .buffers(let buffers):
      rate = buffers.first?.format.sampleRate ?? rate
      duration = buffers.reduce(.zero) { $0 + $1.duration }
    case .preloaded(let sound):
      rate = sound.buffers.first?.format.sampleRate ?? rate
      duration = sound.duration
    case .file(let url):
      duration = try fileDuration(url)
    }
  }
}

private func fileDuration(_ url: URL) throws(AudioPlayerError) -> Duration {
  do throws(FilePathError) {
    let header = try FilePath(url).contents(atMost: 4_095)
    return WAVHeader(Data(header))?.duration ?? .seconds(3)
  } catch {
    throw .source(url, reason: "\"\(FilePath(url))\" cannot be read: \(error.readingReason)")
  }
}
