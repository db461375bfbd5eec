import AudioCore
import AudioThreads
import FoundationEssentials

@testable import AudioPlayerClientLive

/// A source's call that blocks until a test releases it.
final class BlockedSourceCall: Sendable {
  enum Kind: Sendable {
    case open
    case read(Int)
    case seek
  }

  let kind: Kind
  /// Opens when the call is made.
  let made = Gate()
  /// Opens when the source is released.
  let sourceIsGone = Gate()
  private let release: WakeUp

  init(_ kind: Kind) throws {
    self.kind = kind
    release = try WakeUp()
  }

  func letReturn() {
    release.signal()
  }

  func hold() {
    made.open()
    release.wait()
  }
}

/// A source of a staircase signal in buffers of a tenth of a second, with one blocked call.
final class BlockingSource: FeederSource {
  let url: URL? = nil
  let shortfall: (announced: Duration?, decoded: Duration)? = nil
  private(set) var position: FrameCount = 0
  private let call: BlockedSourceCall
  private var reads = 0

  init(_ call: BlockedSourceCall) {
    self.call = call
  }

  deinit {
    call.sourceIsGone.open()
  }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    if case .open = call.kind { call.hold() }
    return (PlayerHarness.format, nil)
  }

  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    reads += 1
    if case .read(reads) = call.kind { call.hold() }
    let buffer = staircase(800, from: position.rawValue)
    position += buffer.frameCount
    return buffer
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    if case .seek = call.kind { call.hold() }
    position = frame
  }
}
