import ClientDependenciesMacros
import Testing

@Suite struct UnimplementedCallsTests {
  private let player = Player()

  @Test func `an unimplemented call through the generated method is reported at the caller's line`()
    async
  {
    let line = #line + 2
    await withKnownIssue {
      await #expect(throws: Unimplemented("Player.play")) { try await player.play(path: "a") }
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["Unimplemented: 'Player.play'"]
        && issue.sourceLocation?.line == line
    }
  }

  @Test func `an unimplemented call through the closure is reported at the endpoint's declaration`()
    async
  {
    await withKnownIssue {
      await #expect(throws: Unimplemented("Player.play")) { try await player.play("a") }
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["Unimplemented: 'Player.play'"]
        && issue.sourceLocation?.line == Player.lineOfPlay
    }
  }

  @Test func `an unimplemented endpoint reports an issue and then returns its default`() {
    withKnownIssue {
      #expect(player.volume() == 0.5)
    } matching: {
      $0.comments.map(\.rawValue) == ["Unimplemented: 'Player.volume'"]
    }
  }
}

@DependencyClient
private struct Player: Sendable {
  static let lineOfPlay = #line + 1
  var play: @Sendable (_ path: String) async throws -> Void
  var volume: @Sendable () -> Double = { 0.5 }
}
