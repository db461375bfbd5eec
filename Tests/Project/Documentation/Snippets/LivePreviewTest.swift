import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import Testing

@DependencyClient
struct SongsClient: Sendable {
  var titles: @Sendable () async throws -> [String]
}

extension SongsClient: DependencyKey {
  static var liveValue: SongsClient {
    SongsClient(titles: { try FileManager.default.contentsOfDirectory(atPath: "songs") })
  }

  static var previewValue: SongsClient {
    SongsClient(titles: { ["Blue in Green", "So What"] })
  }

  static var testValue: SongsClient { SongsClient() }
}

extension DependencyValues {
  var songs: SongsClient {
    get { self[SongsClient.self] }
    set { self[SongsClient.self] = newValue }
  }
}

@Suite struct LivePreviewTestTests {
  @Dependency(\.songs) private var songs

  @Test(.dependency(\.context, .preview))
  func `a preview shows two songs`() async throws {
    #expect(try await songs.titles() == ["Blue in Green", "So What"])
  }

  @Test func `reading a live-only value in a test is reported`() {
    @Dependency(\.calendar) var calendar
    withKnownIssue {
      _ = calendar.identifier
    } matching: {
      "\($0)".contains("@Dependency(\\.calendar) has no test value")
    }
  }
}
