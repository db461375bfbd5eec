import ClientDependencies
import Testing
import Wyoming

@testable import SpeechServer
@testable import WyomingEngine

@Suite(.timeLimit(.minutes(1))) struct ListenerTests {
  @Test func `a connection over the maximum is closed, and a connection that ends makes room`()
    async throws
  {
    let options = SpeechServerOptions()
    let clients = ClientTable(options)
    for _ in 0..<400 { _ = clients.connect(from: "127.0.0.1") }
    try await withDependencies {
      $0.continuousClock = TestClock()
    } operation: {
      try await withEventLoop { group in
        let listener = try await Listener(.tcp(host: "127.0.0.1", port: 0), allowsRemote: false)
        let (addresses, listening) = AsyncStream.makeStream(of: WyomingAddress.self)
        let serving = Task {
          try await listener.run(
            WyomingProtocol(options: options, clients: clients), numberedBy: clients, in: group
          ) { listening.yield($0) }
        }
        let address = try #require(await addresses.first { _ in true })
        let isServed = try await onThread {
          let refused = try connect(address)
          _ = try refused.wait(toWrite: false, within: TimeBudget(.seconds(60)))
          #expect(try refused.read() == [])
          clients.disconnect(1)
          return try exchange(WyomingEvent("ping"), over: connect(address), until: "pong").type
        }
        #expect(isServed == "pong")
        serving.cancel()
        _ = await serving.result
      }
    }
  }
}
