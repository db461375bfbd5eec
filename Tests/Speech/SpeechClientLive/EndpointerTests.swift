import SpeechClient
import Testing

@testable import SpeechClientLive

@Suite struct EndpointerTests {
  /// Returns the events of a diagram with one character per 10 ms: `s` for speech, `.` for silence.
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
    preferredLength: .milliseconds(150), shortSilence: .milliseconds(20),
    maximumLength: .milliseconds(200))

  @Test func `an utterance begins with its pre-roll and ends after the silence`() {
    #expect(events("....ssss....", policy: short) == [6: .began(framesBack: 5), 11: .ended])
  }

  @Test func `a click does not begin an utterance`() {
    #expect(events("...ss....ss...", policy: short).isEmpty)
  }

  @Test func `a pause shorter than the required silence does not end an utterance`() {
    #expect(events("..sss...sss....", policy: short).keys.sorted() == [4, 14])
  }

  @Test
  func `if the stream begins within an utterance, the utterance ends after twice the silence`() {
    #expect(events("sss......sss........", policy: short).keys.sorted() == [2, 15])
  }

  @Test func `an utterance of at least the preferred length ends at a short pause`() {
    #expect(events("..ssssssssssssss..", policy: short) == [4: .began(framesBack: 5), 17: .ended])
  }

  @Test func `speech without a pause is cut at the maximum length and continues`() {
    let events = events(String(repeating: "s", count: 30), policy: short)
    #expect(events == [2: .began(framesBack: 5), 17: .cut(framesBack: 0)])
  }

  @Test
  func `an utterance that reaches its maximum length within a pause ends instead of being cut`() {
    var policy = short
    (policy.maximumLength, policy.preferredLength) = (.milliseconds(600), .seconds(1))
    policy.silence = .milliseconds(400)
    let diagram = ".." + String(repeating: "s", count: 33) + String(repeating: ".", count: 40)
    #expect(events(diagram, policy: policy) == [4: .began(framesBack: 5), 54: .paused, 59: .ended])
  }

  @Test func `a pause is reported once, and again only after more speech`() {
    var policy = short
    (policy.maximumLength, policy.preferredLength) = (.seconds(2), .seconds(2))
    policy.silence = .milliseconds(400)
    let quiet = String(repeating: ".", count: 30)
    let events = events("..sss" + quiet + "s" + quiet + "s" + quiet, policy: policy)
    #expect(events.filter { $0.value == .paused }.keys.sorted() == [24, 55, 86])
    policy.tailPadding = .milliseconds(300)
    let late = self.events("..sss" + quiet + quiet, policy: policy)
    #expect(late.filter { $0.value == .paused }.keys.sorted() == [34])
  }

  @Test func `a long utterance is cut after the quietest frame near the limit`() {
    var endpointer = Endpointer(policy: short)
    // With the pre-roll of two frames, the last of these 18 frames reaches the maximum of 20. Only
    // the dip in the last tenth counts, not the deeper dip before that.
    let energies: [Double] = (0..<18).map { $0 == 10 ? 0.001 : $0 == 15 ? 0.01 : 10 }
    let events = energies.map { endpointer.add(isSpeech: true, energy: $0) }
    #expect(events.last == .cut(framesBack: 2))
    #expect(endpointer.isInUtterance)
  }

  @Test func `the overlap of a cut utterance is part of both utterances`() {
    var endpointer = Endpointer(policy: short, overlap: .milliseconds(50))
    let events = (0..<34).map { _ in endpointer.add(isSpeech: true) }
    let cuts = events.indices.filter { events[$0] == .cut(framesBack: 0) }
    #expect(cuts == [17, 32])
  }
}
