import ClientDependenciesTestSupport
import Testing

@Suite(.dependency(\.speaker, FakeSpeaker(word: "fake")))
struct DependencyAsTests {
  @Test func `a property is read as the concrete type that the test set`() {
    @Dependency(\.speaker, as: FakeSpeaker.self) var speaker
    #expect(speaker.word == "fake")
  }

  @Test func `a key is read as the concrete type that the test set`() {
    @Dependency(SpeakerKey.self, as: FakeSpeaker.self) var speaker
    #expect(speaker.word == "fake")
  }

  @Test func `reading a property with a wrong type stops the process with both type names`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      @Dependency(\.speaker, as: OtherSpeaker.self) var speaker
      _ = speaker
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("\(testModule)/Dependency+AsTests.swift:"))
    #expect(text.contains("as a 'OtherSpeaker' is a 'FakeSpeaker'"))
  }
}

private protocol Speaker: Sendable {}
private struct FakeSpeaker: Speaker { var word = "default" }
private struct OtherSpeaker: Speaker {}

private enum SpeakerKey: TestDependencyKey {
  static let testValue: any Speaker = FakeSpeaker()
}

extension DependencyValues {
  fileprivate var speaker: any Speaker {
    get { self[SpeakerKey.self] }
    set { self[SpeakerKey.self] = newValue }
  }
}
