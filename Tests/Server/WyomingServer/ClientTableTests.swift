import ClientDependencies
import Testing

@testable import WyomingServer

@Suite struct ClientTableTests {
  private let clock = TestClock()
  private let table = ClientTable(mostServed: 2, mostPerAddress: nil)

  /// Adds a client that is served at once, and begins its conversation.
  private func serve(_ number: Int) async -> PeerWatch {
    #expect(table.add(number, from: "10.0.0.\(number)") == .served)
    let watch = PeerWatch(limit: nil, clock: clock)
    table.begin(number, watch)
    return watch
  }

  /// Adds a client that waits, and returns a task with the result of its wait.
  private func waiting(_ number: Int, sleepers: Int = 1) async -> Task<Bool, Never> {
    #expect(table.add(number, from: "10.0.0.\(number)") == .waiting)
    let task = Task { [table, clock] in
      await table.wait(number, within: .milliseconds(500), on: clock)
    }
    await clock.sleepers(atLeast: sleepers)
    return task
  }

  @Test func `a client waits while all places are taken, and must leave after half a second`() async
  {
    _ = await (serve(1), serve(2))
    let third = await waiting(3)
    await clock.advance(by: .milliseconds(500))
    #expect(await !third.value)
    // A leaving client holds no place, so its removal frees none.
    table.remove(3)
    #expect(table.add(4, from: nil) == .waiting)
  }

  @Test func `a client whose wait is canceled gets no place`() async {
    _ = await (serve(1), serve(2))
    let third = await waiting(3)
    third.cancel()
    #expect(await !third.value)
  }

  @Test
  func `a free place goes to the first waiting client that sent a request, or else to the first`()
    async
  {
    _ = await (serve(1), serve(2))
    let (third, fourth, fifth) = await (
      waiting(3), waiting(4, sleepers: 2), waiting(5, sleepers: 3)
    )
    table.reportRequest(from: 4)
    table.reportRequest(from: 5)
    table.remove(1)
    #expect(await fourth.value)
    table.remove(2)
    #expect(await fifth.value)
    table.remove(4)
    #expect(await third.value)
    #expect(table.add(6, from: nil) == .waiting)
    table.remove(3)
    table.remove(5)
    table.remove(6)
    #expect(table.isEmpty)
  }

  @Test func `a client that sends audio takes the place of the idlest client`() async {
    let first = await serve(1)
    await clock.advance(by: .milliseconds(600))
    let second = await serve(2)
    await clock.advance(by: .milliseconds(600))
    let third = await waiting(3)
    table.reportRequest(from: 3)
    #expect(await third.value)
    await first.untilReplaced()
    #expect(second.idleTime == .milliseconds(600))
    table.remove(1)
    // The place of the replaced client belongs to the third client.
    #expect(table.add(4, from: nil) == .waiting)
  }

  @Test func `a waiting client that sends no audio does not replace a served client`() async {
    _ = await (serve(1), serve(2))
    await clock.advance(by: .seconds(20))
    let third = await waiting(3)
    await clock.advance(by: .milliseconds(500))
    #expect(await !third.value)
  }

  @Test func `a client that becomes idle while another client waits loses its place`() async {
    let (first, second) = await (serve(1), serve(2))
    await clock.advance(by: .milliseconds(700))
    second.credit(audio: .seconds(1))
    let third = await waiting(3)
    table.reportRequest(from: 3)
    await clock.advance(by: .milliseconds(500))
    #expect(await third.value)
    await first.untilReplaced()
  }

  @Test
  func `a served client keeps its place before its conversation and during recognition`()
    async
  {
    let first = await serve(1)
    #expect(table.add(2, from: nil) == .served)
    await first.recognizing {
      await clock.advance(by: .seconds(20))
      let third = await waiting(3)
      table.reportRequest(from: 3)
      await clock.advance(by: .milliseconds(500))
      #expect(await !third.value)
    }
  }

  @Test func `a client keeps its place by sending speech, but not by sending occasional samples`()
    async
  {
    let (speaking, trickling) = await (serve(1), serve(2))
    for _ in 0..<20 {
      await clock.advance(by: .milliseconds(100))
      speaking.credit(audio: .milliseconds(100))
      trickling.credit(audio: .microseconds(62.5))
    }
    let third = await waiting(3)
    table.reportRequest(from: 3)
    #expect(await third.value)
    await trickling.untilReplaced()
    #expect(speaking.idleTime == .zero)
  }

  @Test func `the limit per address leaves places for clients of other addresses`() {
    let stages = (1...40).map { table.add($0, from: "10.0.0.1") }
    #expect(stages.count { $0 == .served } == 2 && stages.count { $0 == .waiting } == 16)
    #expect(stages.count { $0 == .leaving } == 22)
    #expect(table.add(41, from: "10.0.0.2") == .waiting)
    let limited = ClientTable(mostServed: 4, mostPerAddress: 1)
    #expect(limited.add(1, from: "10.0.0.1") == .served)
    #expect(limited.add(2, from: "10.0.0.1") == .leaving)
    #expect(limited.add(3, from: "10.0.0.2") == .served)
    // Clients of a Unix socket have no address, so the limit per address does not apply to them.
    #expect(limited.add(4, from: nil) == .served && limited.add(5, from: nil) == .served)
  }

  @Test func `the numbers of waiting clients and of leaving clients are limited`() {
    let stages = (1...500).map { table.add($0, from: nil) }
    #expect(stages.count { $0 == .served } == 2 && stages.count { $0 == .waiting } == 64)
    #expect(stages.count { $0 == .leaving } == 256 && stages.count { $0 == nil } == 178)
  }

  @Test func `the removal of the last client is reported`() async {
    _ = await serve(1)
    table.remove(1)
    var emptied = table.emptied.stream.makeAsyncIterator()
    #expect(await emptied.next() != nil)
    #expect(table.isEmpty)
  }
}
