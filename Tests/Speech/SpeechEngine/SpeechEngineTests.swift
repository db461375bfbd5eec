import AudioCore
import ClientDependencies
import SpeechEngine
import Testing

@Suite struct SpeechEngineTests {
  @Test func `an engine that was not overridden reports its use in a test`() {
    @Dependency(\.speechEngine) var engine
    withExpectedIssue {
      guard case .unavailable = engine.availability() else {
        Issue.record("it says that it is available")
        return
      }
    }
    withExpectedIssue { #expect(engine.models().isEmpty) }
    withExpectedIssue {
      #expect(throws: Unimplemented("SpeechEngine.makeSession")) {
        try engine.makeSession(SpeechSessionOptions())
      }
    }
  }

  @Test func `a call uses the overridden endpoint`() {
    var engine = SpeechEngine()
    engine.availability = { .ready(SpeechModel(language: "en-US", location: "here")) }
    withDependencies {
      $0.speechEngine = engine
    } operation: {
      @Dependency(\.speechEngine) var engine
      #expect(engine.availability() == .ready(SpeechModel(language: "en-US", location: "here")))
    }
  }

  @Test func `an unimplemented endpoint that a detached task calls fails the test`() async {
    await withKnownIssue {
      @Dependency(\.speechEngine) var client
      await Task.detached { [client] in _ = client.availability() }.value
    } matching: {
      $0.comments.first?.rawValue == "Unimplemented: 'SpeechEngine.availability'"
    }
  }
}
