import SpeechClient
import Testing

@testable import SpeechClientLive

@Suite struct EndpointerTests {
  /// One character for each 10 ms: `s` speech, `.` none.
  private func events(
    _ diagram: String, policy: EndpointPolicy = EndpointPolicy()
  ) -> [Int: Endpointer.Event] {
    var endpointer = Endpointer(policy: policy)
    var events: [Int: Endpointer.Event] = [:]
    for (index, character) in diagram.enumerated() {
      let event = endpointer.add(isSpeech: character == "s")
      if event != .none { events[index] = event }
    }
    return events
  }

  private let short = EndpointPolicy(
    preRoll: .milliseconds(20), onset: .milliseconds(30), silence: .milliseconds(40),
    comfortable: .milliseconds(150), shortSilence: .milliseconds(20),
    longest: .milliseconds(200))

  @Test func `an utterance begins with its pre-roll and ends after the silence`() {
    #expect(events("....ssss....", policy: short) == [6: .began(framesBack: 5), 11: .ended])
  }

  @Test func `a click begins nothing`() {
    #expect(events("...ss....ss...", policy: short).isEmpty)
  }

  @Test func `a pause shorter than the silence does not end an utterance`() {
    #expect(events("sss...sss....", policy: short).keys.sorted() == [2, 12])
  }

  @Test func `an utterance that has become long ends at a short pause`() {
    #expect(events("ssssssssssssss..", policy: short) == [2: .began(framesBack: 5), 15: .ended])
  }

  @Test func `speech without a pause is cut at the longest utterance, and begins anew`() {
    let events = events(String(repeating: "s", count: 30), policy: short)
    #expect(events == [2: .began(framesBack: 5), 17: .ended, 20: .began(framesBack: 5)])
  }
}
