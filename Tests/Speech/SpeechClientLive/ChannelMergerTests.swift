import AudioCore
import SpeechClient
import Testing

@testable import SpeechClientLive

@Suite struct ChannelMergerTests {
  private var merger = ChannelMerger()

  init() {
    join(ChannelMerger())
  }

  private mutating func join(_ new: ChannelMerger) {
    merger = new
    merger.channelCount = 2
    merger.join(0)
    merger.join(1)
  }

  private func at(_ tenths: Int) -> Duration { .milliseconds(100 * tenths) }

  /// Adds the events of a channel, and returns the events to report as short texts.
  private mutating func add(
    _ channel: Int, _ events: SpeechRecognitionEvent...
  ) -> [String] {
    events.flatMap { merger.add($0, from: channel) }.map { text($0) }
  }

  private mutating func end(_ channel: Int) -> [String] { merger.end(channel).map { text($0) } }

  private func text(_ event: SpeechRecognitionEvent) -> String {
    switch event {
    case .speechStarted(let time): "started \(time.tenths)"
    case .speechEnded(let time): "ended \(time.tenths)"
    case .result(let result):
      "\(result.channel ?? -1) #\(result.utterance) \(result.bestTranscription.formattedString)"
    case .progressed(let time): "progressed \(time.tenths)"
    case .lagging(let lag): "lagging \(lag.tenths)"
    case .dropped(let range, let reason): "dropped \(range.lowerBound.tenths) \(reason.name)"
    }
  }

  private func result(
    _ text: String, _ utterance: Int = 0, isFinal: Bool = true
  ) -> SpeechRecognitionEvent {
    .result(SpeechRecognitionResult(text, isFinal: isFinal, utterance: utterance))
  }

  @Test mutating func `an utterance is reported when no channel can report an earlier one`() {
    #expect(add(0, .speechStarted(at: at(10)), result("a")) == [])
    #expect(add(1, .progressed(to: at(9))) == [])
    #expect(add(1, .progressed(to: at(10))) == ["started 10", "0 #0 a"])
    #expect(add(0, .speechEnded(at: at(20))) == ["ended 20"])
  }

  @Test mutating func `the first channel of several with the same start is reported first`() {
    #expect(add(1, .speechStarted(at: at(10)), .progressed(to: at(10))) == [])
    #expect(add(0, .progressed(to: at(10))) == [])
    #expect(add(0, .speechStarted(at: at(10))) == ["started 10"])
  }

  @Test mutating func `utterances that overlap are reported one after the other, with new numbers`()
  {
    #expect(add(0, .speechStarted(at: at(10))) == [])
    #expect(
      add(1, .speechStarted(at: at(15)), result("b", isFinal: false), result("b")) == [
        "started 10"
      ])
    #expect(add(1, .speechEnded(at: at(20)), .speechStarted(at: at(30)), result("d", 1)) == [])
    #expect(add(0, result("a", isFinal: false), result("a c")) == ["0 #0 a", "0 #0 a c"])
    #expect(
      add(0, .speechEnded(at: at(28))) == [
        "ended 28", "started 15", "1 #1 b", "ended 20",
      ]
    )
    #expect(add(0, .progressed(to: at(31))) == ["started 30", "1 #2 d"])
  }

  @Test mutating func `of the partial results of an utterance that waits, only the newest is kept`()
  {
    #expect(add(0, .speechStarted(at: at(10))) == [])
    #expect(
      add(
        1, .speechStarted(at: at(15)), result("b", isFinal: false), result("b c", isFinal: false))
        == ["started 10"])
    #expect(add(1, .progressed(to: at(16)), result("b c d", isFinal: false)) == [])
    #expect(add(0, .speechEnded(at: at(20))) == ["ended 20", "started 15", "1 #0 b c d"])
    #expect(add(1, result("b c d e")) == ["1 #0 b c d e"])
  }

  @Test
  mutating func `a live utterance waits for a limited time, and each utterance has one number`() {
    join(ChannelMerger(longestWait: at(100)))
    #expect(add(1, .progressed(to: at(11))) == [])
    #expect(
      add(0, .speechStarted(at: at(10)), result("a", isFinal: false)) == ["started 10", "0 #0 a"])
    #expect(add(1, .speechStarted(at: at(20)), result("b"), .speechEnded(at: at(30))) == [])
    #expect(add(1, .progressed(to: at(120))) == [])
    #expect(add(1, .progressed(to: at(121))) == ["started 20", "1 #1 b", "ended 30"])
    #expect(add(0, result("a c"), .speechEnded(at: at(40))) == ["0 #0 a c", "ended 40"])
  }

  @Test mutating func `results of mono audio have no channel`() {
    merger = ChannelMerger()
    merger.join(0)
    #expect(add(0, .speechStarted(at: at(10)), result("a")) == ["started 10", "-1 #0 a"])
  }

  @Test mutating func `the end of a channel releases the events of the others`() {
    #expect(add(1, .speechStarted(at: at(10)), result("b"), .speechEnded(at: at(20))) == [])
    #expect(end(0) == ["started 10", "1 #0 b", "ended 20"])
    #expect(end(1) == [])
  }

  @Test mutating func `a channel that ends within an utterance does not stop the others`() {
    #expect(add(1, .progressed(to: at(5)), .speechStarted(at: at(10))) == [])
    #expect(add(0, .speechStarted(at: at(4))) == ["started 4"])
    #expect(end(0) == ["started 10"])
  }

  @Test mutating func `a channel that joins later delays no earlier utterance`() {
    merger = ChannelMerger()
    merger.join(0)
    #expect(add(0, .speechStarted(at: at(10)), .speechEnded(at: at(20))).count == 2)
    merger.join(1, from: at(25))
    #expect(add(0, .speechStarted(at: at(24))) == ["started 24"])
    #expect(add(0, .speechEnded(at: at(26)), .speechStarted(at: at(27))) == ["ended 26"])
  }

  @Test mutating func `progress is that of the slowest channel, every five seconds`() {
    #expect(add(0, .progressed(to: at(70))) == [])
    #expect(add(1, .progressed(to: at(49))) == [])
    #expect(add(1, .progressed(to: at(52))) == ["progressed 52"])
    #expect(add(1, .progressed(to: at(90))) == [])
    #expect(add(0, .progressed(to: at(103))) == [])
    #expect(add(1, .progressed(to: at(104))) == ["progressed 103"])
  }

  @Test mutating func `a gap is reported once, and other losses for each channel`() {
    let gap = SpeechRecognitionEvent.dropped(at(10)..<at(11), reason: .gap)
    let noise = SpeechRecognitionEvent.dropped(at(12)..<at(13), reason: .unintelligible)
    #expect(add(0, .progressed(to: at(20)), gap, noise) == [])
    #expect(add(1, gap) == [])
    #expect(
      add(1, noise, .progressed(to: at(20)))
        == ["dropped 10 gap", "dropped 12 unintelligible", "dropped 12 unintelligible"])
  }

  @Test mutating func `the lag is that of the slowest channel`() {
    #expect(add(0, .lagging(by: at(10))) == ["lagging 10"])
    #expect(add(1, .lagging(by: at(20))) == ["lagging 20"])
    #expect(add(0, .lagging(by: .zero)) == [])
    #expect(end(1) == ["lagging 0"])
  }
}

extension Duration {
  fileprivate var tenths: Int { Int((self / .milliseconds(100)).rounded()) }
}
