import Synchronization
import SyrinxTestSupport
import Testing

@testable import AudioCore

@Suite struct AudioBroadcastTests {
  private func drawnWithLoss(_ audio: BroadcastAudio) -> String {
    (audio.lost > 0 ? "(-\(audio.lost.rawValue))" : "") + drawn(audio.buffer)
  }

  /// Returns the elements that consumers with these policies receive.
  private func run(
    _ input: String, _ policies: [BroadcastPolicy], demands: [String]
  ) -> (outputs: [String], taken: [String]) {
    let diagram = audioDiagram(input)
    return diagram.run(demands: demands, symbol: { drawnWithLoss($0) }) { inputs in
      let broadcast = inputs[0].broadcast(on: diagram.executor)
      return policies.map { broadcast.consumer($0) }
    }
  }

  @Test func `every consumer gets every buffer`() {
    let (outputs, _) = run("a-b|", [.waiting, .waiting], demands: ["*", "*"])
    #expect(outputs == ["[<0 1>]-[<2 3>]|", "[<0 1>]-[<2 3>]|"])
  }

  @Test func `with the waiting policy, the source waits for a slow consumer`() {
    let (outputs, taken) = run("[abc|]---", [.waiting, .waiting], demands: ["*", "--1*"])
    #expect(outputs[0] == "[<0 1>]-[<2 3>][<4 5>|]")
    #expect(outputs[1] == "--[<0 1>][<2 3><4 5>|]")
    #expect(taken == ["a-bc"])
  }

  @Test func `a slow consumer that drops audio reports its loss and blocks no other consumer`() {
    let (outputs, taken) = run(
      "abcd-|", [.waiting, .droppingOldest(4)], demands: ["*", "1----*"])
    #expect(outputs[0] == "[<0 1>][<2 3>][<4 5>][<6 7>]-|")
    #expect(outputs[1] == "[<0 1>]----[(-2)<4 5><6 7>|]")
    #expect(taken == ["abcd--"])
  }

  @Test func `an error reaches every consumer after the consumer's queued buffers`() {
    let (outputs, _) = run("ab^---", [.waiting, .droppingOldest(9)], demands: ["*", "---*"])
    #expect(outputs == ["[<0 1>][<2 3>]^---", "---[<0 1><2 3>^]--"])
  }

  @Test func `a consumer that is canceled or leaves does not block other consumers`() {
    for end in [";", "!"] {
      let (outputs, taken) = run("abc-|", [.waiting, .waiting], demands: ["*", "1-" + end])
      #expect(outputs[0] == "[<0 1>][<2 3>][<4 5>]-|")
      #expect(taken == ["abc--"])
    }
  }

  @Test func `the source is released when no consumer is left`() {
    let (_, taken) = run("abcd|", [.waiting, .waiting], demands: ["*!", "*-!"])
    #expect(taken == ["ab---"])
  }

  @Test func `a waiting source is canceled when the last consumer leaves`() async {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let (cancellations, note) = AsyncStream.makeStream(of: Void.self)
    let first = Mutex<AudioBuffer?>(counting(0..<2))
    let source = AsyncStream {
      if let buffer = first.withLock({ $0.take() }) { return buffer }
      request.yield()
      // Nothing arrives; a canceled task gets the end of the stream.
      return await AsyncStream<AudioBuffer> { _ in }.first { _ in true }
    } onCancel: {
      note.yield()
    }
    do {
      for await _ in source.broadcast().consumer(.waiting) {
        // Leaving the loop abandons the consumer, but does not cancel its task.
        for await _ in requests { break }
        break
      }
    }
    for await _ in cancellations { break }
  }

  @Test func `typed errors keep their type`() async {
    let consumer = StreamOf(counting(0..<2)).broadcast().consumer(.waiting)
    // This compiles only if the stream's `Failure` is `Never`.
    for await audio in consumer { #expect(audio == BroadcastAudio(counting(0..<2))) }
  }

  @Test func `thousands of starts and cancellations leave no consumer registered`() async {
    for _ in 0..<2_000 {
      let broadcast = StreamOf(counting(0..<2), counting(2..<4)).broadcast()
      let consumers = [broadcast.consumer(.waiting), broadcast.consumer(.droppingOldest(1))]
      await withTaskGroup { group in
        for consumer in consumers { group.addTask { for await _ in consumer {} } }
        group.cancelAll()
      }
    }
  }
}
