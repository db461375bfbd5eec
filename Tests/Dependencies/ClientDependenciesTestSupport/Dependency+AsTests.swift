import ClientDependenciesTestSupport
import Testing

@Suite(.dependency(\.speaker, FakeSpeaker(word: "fake")))
struct DependencyAsTests {
  @Test func `a property can be read as the concrete type of the test's value`() {
    @Dependency(\.speaker, as: FakeSpeaker.self) var speaker
    #expect(speaker.word == "fake")
  }

  @Test func `a key can be read as the concrete type of the test's value`() {
    @Dependency(SpeakerKey.self, as: FakeSpeaker.self) var speaker
    #expect(speaker.word == "fake")
  }

  @Test func `reading a property as a wrong type ends the process and names both types`() async {
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
