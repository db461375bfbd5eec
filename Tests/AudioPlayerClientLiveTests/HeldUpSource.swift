import AudioCore
import AudioThreads
import FoundationEssentials

@testable import AudioPlayerClientLive

/// A call that does not return before a test lets it.
final class HeldUpCall: Sendable {
  enum Kind: Sendable {
    case open
    case read(Int)
    case seek
  }

  let kind: Kind
  /// Opens when the call is made.
  let made = Gate()
  /// Opens when the source is gone.
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

/// A staircase in buffers of a tenth of a second, as on a disk that does not answer one call.
final class HeldUpSource: FeederSource {
  let url: URL? = nil
  let shortfall: (announced: Duration?, decoded: Duration)? = nil
  private(set) var position: FrameCount = 0
  private let call: HeldUpCall
  private var reads = 0

  init(_ call: HeldUpCall) {
    self.call = call
  }

  deinit {
    call.sourceIsGone.open()
  }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    if case .open = call.kind { call.hold() }
    return SourceDescription(format: Deck.format, announcedDuration: nil)
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
