import ClientDependencies
import Testing

@testable import SpeechServer

@Suite(.timeLimit(.minutes(1))) struct ClientTableTests {
  private let clock = TestClock()
  private let table = Self.table(places: 2)

  private static func table(places: Int, perAddress: Int? = nil) -> ClientTable {
    var options = SpeechServerOptions()
    (options.maximumConnections, options.maximumConnectionsPerAddress) = (places, perAddress)
    return ClientTable(options)
  }

  /// A client that has a place, waits for one, or was refused.
  private struct Client {
    let number: Int
    let watch: PeerWatch
    let hasPlace: Task<Bool, Never>
  }

  /// Connects a client that needs a place.
  private func client(
    of table: ClientTable? = nil, from address: String? = nil,
    within limit: Duration = .milliseconds(500)
  ) throws -> Client {
    let table = table ?? self.table
    let number = try #require(table.connect(from: address))
    let watch = PeerWatch(limit: nil, clock: clock)
    let hasPlace = withDependencies {
      $0.continuousClock = clock
    } operation: {
      Task { (try? await table.enter(number, within: limit, watch)) != nil }
    }
    return Client(number: number, watch: watch, hasPlace: hasPlace)
  }

  /// Connects a client that gets a place at once.
  private func served() async throws -> Client {
    let client = try client()
    #expect(await client.hasPlace.value)
    return client
  }

  /// Connects a client that waits for a place, as do the clients before it.
  private func waiting(
    after others: Int = 0, within limit: Duration = .milliseconds(500)
  ) async throws -> Client {
    let client = try client(within: limit)
    await clock.sleepers(atLeast: others + 1)
    return client
  }

  @Test func `a client waits while all places are taken, and is refused after half a second`()
    async throws
  {
    let first = try await served()
    _ = try await served()
    let third = try await waiting()
    await clock.advance(by: .milliseconds(500))
    #expect(await !third.hasPlace.value)
    // A refused client waits no longer, so it gets no place that becomes free.
    let fourth = try await waiting()
    table.leave(first.number)
    #expect(await fourth.hasPlace.value)
  }

  @Test func `a client whose wait is canceled gets no place, and nobody loses one`() async throws {
    let (first, second) = (try await served(), try await served())
    let third = try await waiting(within: .seconds(30))
    await clock.advance(by: .milliseconds(500))
    for client in [first, second] { client.watch.credit(audio: .seconds(1)) }
    // Both clients are idle for more than a second when the wait is canceled.
    await clock.advance(by: .milliseconds(1_400))
    third.hasPlace.cancel()
    #expect(await !third.hasPlace.value)
    table.leave(first.number)
    #expect(!table.isEmpty)
    table.leave(second.number)
    #expect(table.isEmpty)
  }

  @Test func `a free place goes to the client that has waited for the longest time`() async throws {
    let (first, second) = (try await served(), try await served())
    let third = try await waiting()
    let fourth = try await waiting(after: 1)
    let fifth = try await waiting(after: 2)
    for (leaving, next) in [(first, third), (second, fourth), (third, fifth)] {
      table.disconnect(leaving.number)
      #expect(await next.hasPlace.value)
    }
    for client in [fourth, fifth] { table.disconnect(client.number) }
    #expect(table.isEmpty)
  }

  @Test func `a client that needs a place replaces the idlest client`() async throws {
    let first = try await served()
    await clock.advance(by: .milliseconds(600))
    let second = try await served()
    await clock.advance(by: .milliseconds(600))
    let third = try await served()
    await first.watch.untilReplaced()
    #expect(second.watch.idleTime == .milliseconds(600))
    #expect(third.watch.idleTime == .zero)
    // The place of the replaced client belongs to the third client.
    table.disconnect(first.number)
    let fourth = try await waiting()
    await clock.advance(by: .milliseconds(300))
    table.leave(third.number)
    #expect(await fourth.hasPlace.value)
  }

  @Test func `a client that becomes idle while another client waits loses its place`() async throws
  {
    let first = try await served()
    await clock.advance(by: .milliseconds(700))
    _ = try await served()
    let third = try await waiting()
    await clock.advance(by: .milliseconds(500))
    #expect(await third.hasPlace.value)
    await first.watch.untilReplaced()
  }

  @Test
  func `a client that may wait for long gets the place of a client that becomes idle meanwhile`()
    async throws
  {
    let speakers = [try await served(), try await served()]
    let file = try await waiting(within: .seconds(30))
    await clock.advance(by: .milliseconds(500))
    for speaker in speakers { speaker.watch.credit(audio: .seconds(1)) }
    await clock.advance(by: .milliseconds(1_500))
    #expect(await file.hasPlace.value)
  }

  @Test func `the places of idle clients go to the waiting clients in the order of their arrival`()
    async throws
  {
    let (first, second) = (try await served(), try await served())
    let third = try await waiting(within: .seconds(30))
    await clock.advance(by: .seconds(1))
    let fourth = try await served()
    #expect(await third.hasPlace.value)
    await first.watch.untilReplaced()
    await second.watch.untilReplaced()
    table.leave(third.number)
    table.leave(fourth.number)
    #expect(table.isEmpty)
  }

  @Test func `a client keeps its place while its audio is recognized`() async throws {
    let first = try await served()
    _ = try await served()
    try await first.watch.recognizing {
      await clock.advance(by: .milliseconds(900))
      let third = try await waiting()
      await clock.advance(by: .milliseconds(500))
      // The second client was replaced.
      #expect(await third.hasPlace.value)
      let fourth = try await waiting()
      await clock.advance(by: .milliseconds(500))
      #expect(await !fourth.hasPlace.value)
    }
  }

  @Test func `a client keeps its place by sending speech, but not by sending occasional samples`()
    async throws
  {
    let (speaking, trickling) = (try await served(), try await served())
    for _ in 0..<20 {
      await clock.advance(by: .milliseconds(100))
      speaking.watch.credit(audio: .milliseconds(100))
      trickling.watch.credit(audio: .microseconds(62.5))
    }
    _ = try await served()
    await trickling.watch.untilReplaced()
    #expect(speaking.watch.idleTime == .zero)
  }

  @Test func `the idle time begins with the place, not with the connection`() async throws {
    let late = try #require(table.connect(from: nil))
    let watch = PeerWatch(limit: nil, clock: clock)
    await clock.advance(by: .seconds(20))
    try await table.enter(late, watch)
    #expect(watch.idleTime == .zero)
    // A second request for the place does not count as audio.
    await clock.advance(by: .milliseconds(10))
    try await table.enter(late, watch)
    #expect(watch.idleTime == .milliseconds(10))
  }

  @Test func `the limit per address leaves places for clients of other addresses`() async throws {
    for number in 1...18 {
      let client = try client(from: "10.0.0.1")
      if number > 2 { await clock.sleepers(atLeast: number - 2) }
      if number <= 2 { #expect(await client.hasPlace.value) }
    }
    #expect(try await !client(from: "10.0.0.1").hasPlace.value)
    _ = try client(from: "10.0.0.2")
    await clock.sleepers(atLeast: 17)
    let limited = Self.table(places: 4, perAddress: 1)
    #expect(try await client(of: limited, from: "10.0.0.1").hasPlace.value)
    #expect(try await !client(of: limited, from: "10.0.0.1").hasPlace.value)
    #expect(try await client(of: limited, from: "10.0.0.2").hasPlace.value)
    // Clients of a Unix socket have no address, so the limit per address does not apply to them.
    for _ in 0..<2 { #expect(try await client(of: limited).hasPlace.value) }
  }

  @Test func `at most 64 clients wait`() async throws {
    _ = (try await served(), try await served())
    for others in 0..<64 { _ = try await waiting(after: others) }
    #expect(try await !client().hasPlace.value)
  }

  @Test func `the number of connections is limited, and that of one address leaves some to others`()
    throws
  {
    for _ in 0..<400 { #expect(table.connect(from: "10.0.0.1") != nil) }
    #expect(table.connect(from: "10.0.0.1") == nil)
    for _ in 0..<100 { #expect(table.connect(from: nil) != nil) }
    #expect(table.connect(from: "10.0.0.2") == nil)
    table.disconnect(1)
    #expect(table.connect(from: "10.0.0.2") == 501)
    #expect(table.isEmpty)
  }

  @Test func `the uploads of one address leave room for those of others`() throws {
    let numbers = try (0..<18).map { _ in try #require(table.connect(from: "10.0.0.1")) }
    for number in numbers { try table.beginUpload(number) }
    let surplus = try #require(table.connect(from: "10.0.0.1"))
    #expect(throws: ServerFault.busy) { try table.beginUpload(surplus) }
    try table.beginUpload(try #require(table.connect(from: "10.0.0.2")))
    table.endUpload(numbers[0])
    try table.beginUpload(surplus)
  }

  @Test func `the departure of the last client with a place is reported`() async throws {
    let client = try await served()
    table.leave(client.number)
    var emptied = table.emptied.stream.makeAsyncIterator()
    #expect(await emptied.next() != nil)
    #expect(table.isEmpty)
  }
}
