import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

@DependencyClient
struct RecorderClient: Sendable {
  var start: @Sendable (_ url: URL) async throws -> Void
  var stop: @Sendable () async -> Void
}

extension RecorderClient: TestDependencyKey {
  static var testValue: RecorderClient { RecorderClient() }
}

extension DependencyValues {
  var recorder: RecorderClient {
    get { self[RecorderClient.self] }
    set { self[RecorderClient.self] = newValue }
  }
}

extension RecorderClient: DependencyKey {
  static var liveValue: RecorderClient {
    let recorder = FileRecorder()
    return RecorderClient(
      start: { url in try await recorder.start(url) },
      stop: { await recorder.stop() })
  }
}

struct Buffering: Sendable {
  var frames: Int
}

enum BufferingKey: DependencyKey {
  static let liveValue = Buffering(frames: 4_096)
  static let testValue = Buffering(frames: 16)
}

struct Mixer {
  @Dependency(BufferingKey.self) private var buffering

  var silence: [Float] { Array(repeating: 0, count: buffering.frames) }
}

extension DependencyValues {
  @DependencyEntry(liveValue: Chime(sound: "bell"))
  var chime = Chime(sound: "none")
}

struct Chime: Sendable {
  var sound: String
}

/// A stand-in for a recorder that writes files.
private actor FileRecorder {
  private var url: URL?

  func start(_ url: URL) throws {
    self.url = url
  }

  func stop() {
    url = nil
  }
}

@Suite struct RegisteringDependenciesTests {
  @Test func `a key without a property is read and overridden by its type`() {
    #expect(Mixer().silence.count == 16)
    withDependencies {
      $0[BufferingKey.self].frames = 2
    } operation: {
      #expect(Mixer().silence == [0, 0])
    }
  }

  @Test func `the macro declares a key with a test value and a live value`() {
    @Dependency(\.chime.sound) var sound
    #expect(sound == "none")
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(sound == "bell")
    }
  }
}
