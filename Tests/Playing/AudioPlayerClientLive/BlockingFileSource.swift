import AudioCore
import FoundationEssentials

@testable import AudioPlayerClientLive

/// A file on a disk that blocks one call until a test releases it.
final class BlockingFileSource: FeederSource {
  private let file: any FeederSource
  private let call: BlockedSourceCall
  private var reads = 0

  init(_ file: any FeederSource, _ call: BlockedSourceCall) {
    self.file = file
    self.call = call
  }

  var url: URL? { file.url }
  var shortfall: (announced: Duration?, decoded: Duration)? { file.shortfall }
  var position: FrameCount { file.position }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    if case .open = call.kind { call.hold() }
    return try await file.open()
  }

  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    reads += 1
    if case .read(reads) = call.kind { call.hold() }
    return try await file.next()
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    if case .seek = call.kind { call.hold() }
    try await file.seek(to: frame)
  }
}
