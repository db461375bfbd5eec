import AudioThreads
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite(.timeLimit(.minutes(5))) struct DecoderThreadsTests {
  private let decoders = DecoderThreads()

  private func decoding(_ jobCount: Int = 2, pulse: Pulse = Pulse()) -> ParallelDecoding {
    ParallelDecoding(
      engine: SharedEngine().engine, options: SpeechSessionOptions(), jobCount: jobCount,
      threads: decoders, pulse: pulse, interruption: Interruption(), isWanted: { true })
  }

  private func words(_ decoding: ParallelDecoding, index: Int) async throws -> SpeechHypothesis {
    let answer = Promise<SpeechHypothesis>()
    decoding.decode([[0], [0]], adaptationState: 0, index: index, whenDone: answer.resolve)
    return try await answer.value()
  }

  @Test func `a task goes several utterances ahead when those that joined before it have left`() {
    var first: ParallelDecoding? = decoding(3)
    var second: ParallelDecoding? = decoding(2)
    let third = decoding(4)
    #expect([first?.limit, second?.limit, third.limit] == [4, 1, 1])
    second = nil
    #expect([first?.limit, third.limit] == [4, 1])
    first = nil
    #expect([first?.limit, second?.limit, third.limit] == [nil, nil, 5])
  }

  @Test func `a task that waits for the decoders makes progress while they do`() async throws {
    let pulse = Pulse()
    var waiting: ParallelDecoding? = decoding(pulse: pulse)
    let working = decoding()
    _ = try await words(working, index: 0)
    #expect(waiting != nil && pulse.beats == 3)
    waiting = nil
    _ = try await words(working, index: 1)
    #expect(pulse.beats == 3)
  }
}
