import AudioCore
import AudioPlayerClient
import FilePaths
import FoundationEssentials
import Glibc

/// A file that stays in memory once it has been played to its end, where it is short: played again
/// and again it is not read each time, as long as nobody changes it.
final class ShortFileSource: FeederSource {
  /// Of a file that is longer nothing is kept.
  static let longest: FrameCount = 4_096

  let url: URL?
  private let file: URL
  private var source: any FeederSource
  private var description: SourceDescription?
  private var stamp: FileStamp?
  /// What has been read, where that was all from the first frame on.
  private var beginning: AudioBuffer?
  private(set) var isKept = false

  init(_ file: URL) {
    self.url = file
    self.file = file
    source = FileSource(file)
  }

  var shortfall: (announced: Duration?, decoded: Duration)? { source.shortfall }

  var position: FrameCount { source.position }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    let stamp = FileStamp(file)
    if isKept, let description, stamp == self.stamp {
      try await source.seek(to: 0)
      return description
    }
    (self.stamp, beginning, isKept) = (stamp, nil, false)
    source = FileSource(file)
    let description = try await source.open()
    self.description = description
    return description
  }

  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    let start = position
    let buffer = try await source.next()
    guard !isKept else { return buffer }
    if let buffer {
      beginning = start == 0 && buffer.frameCount < Self.longest ? buffer : nil
    } else {
      try await keep()
    }
    return buffer
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    beginning = nil
    try await source.seek(to: frame)
  }

  /// The end has been met: what came before it is the whole file, unless it was to be longer.
  nonisolated(nonsending) private func keep() async throws {
    guard let beginning, stamp != nil, source.shortfall == nil,
      description?.announcedDuration == beginning.duration
    else { return }
    source = BuffersSource([beginning])
    try await source.seek(to: beginning.frameCount)
    (self.beginning, isKept) = (nil, true)
  }
}

/// What tells whether a file is the one that it was; the corresponding C function is `stat`.
private struct FileStamp: Equatable {
  private let device: dev_t
  private let number: ino_t
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil where there is no such file.
  init?(_ url: URL) {
    guard let status = FilePath(url).status else { return nil }
    (device, number, size) = (status.st_dev, status.st_ino, status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
