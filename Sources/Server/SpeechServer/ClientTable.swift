import AudioCore
import AudioThreads
import ClientDependencies
import CoreMetrics
import Synchronization

/// The clients of a server: those that are connected, and those of them that have a place among the
/// recognizers or wait for one.
///
/// A waiting client replaces a client that keeps the server waiting, so idle clients do not block
/// others.
final class ClientTable: Sendable {
  private struct State {
    var lastNumber = 0
    /// The IP addresses of the connected clients; nil for clients on a Unix socket.
    var addresses: [Int: String?] = [:]
    /// The waiting clients in the order of their arrival, with gates that open when their waits end.
    var waiting: [(number: Int, watch: PeerWatch, turn: Gate)] = []
    /// The clients that have a place; their watches measure their idle times.
    var served: [Int: PeerWatch] = [:]
    /// The clients that upload a file or wait with one.
    var uploading: Set<Int> = []
  }

  /// The maximum number of connected clients, over all protocols.
  private static let mostConnected = 500
  /// The maximum number of connected clients of one address, which leaves connections to others.
  private static let mostConnectedPerAddress = 400
  /// The maximum number of waiting clients.
  private static let mostWaiting = 64
  /// The idle time after which a client may be replaced by a waiting client.
  private static let grace = Duration.seconds(1)

  private let mostServed: Int
  private let mostPerAddress: Int?
  private let meters: ServerMetrics
  // The lock is held to find or change entries; gates and watches are signaled after its release.
  private let state = Mutex(State())
  /// A stream with an element each time the last client with a place has left.
  let emptied = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(_ options: SpeechServerOptions) {
    mostServed = max(1, options.maximumConnections)
    mostPerAddress = options.maximumConnectionsPerAddress
    meters = options.meters
  }

  /// Whether no client has a place.
  var isEmpty: Bool { state.withLock { $0.served.isEmpty } }

  /// Returns the number of a new client, greater than those of earlier clients; nil if the caller
  /// must disconnect the client, because too many clients are connected.
  ///
  /// - Parameter address: the client's IP address; nil on a Unix socket.
  func connect(from address: String?) -> Int? {
    let number = state.withLock { state -> Int? in
      let neighbors = state.addresses.values.count { $0 == address }
      guard state.addresses.count < Self.mostConnected,
        address == nil || neighbors < Self.mostConnectedPerAddress
      else { return nil }
      state.lastNumber += 1
      state.addresses.updateValue(address, forKey: state.lastNumber)
      return state.lastNumber
    }
    if number == nil { meters.refusals.increment() }
    return number
  }

  /// Removes a client.
  func disconnect(_ number: Int) {
    leave(number)
    state.withLock { _ = $0.addresses.removeValue(forKey: number) }
  }

  /// Waits until a client has a place, which it keeps until it leaves or is replaced.
  ///
  /// Does nothing if the client has a place.
  ///
  /// - Parameters:
  ///   - number: the client.
  ///   - limit: the time to wait. For a client that speaks, it is short. The system may report a new
  ///     client before it reports the end of an earlier connection.
  ///   - watch: measures the client's idle time, which begins now.
  /// - Throws: `ServerFault.busy` if no place becomes free in time.
  func enter(
    _ number: Int, within limit: Duration = .milliseconds(500), _ watch: PeerWatch
  ) async throws {
    guard state.withLock({ $0.served[number] == nil }) else { return }
    watch.credit(audio: .seconds(1))
    // A client is not replaced before this function returns.
    guard await watch.recognizing({ await hasPlace(number, within: limit, watch) }) else {
      try Task.checkCancellation()
      meters.refusals.increment()
      throw ServerFault.busy
    }
    meters.clients.increment()
  }

  /// Removes a client's place, if it has one; the place goes to the first waiting client.
  func leave(_ number: Int) {
    let (hasLeft, turn, isEmpty) = state.withLock { state in
      guard state.served.removeValue(forKey: number) != nil else {
        return (false, nil as Gate?, false)
      }
      guard !state.waiting.isEmpty else { return (true, nil, state.served.isEmpty) }
      let next = state.waiting.removeFirst()
      state.served[next.number] = next.watch
      return (true, next.turn, false)
    }
    if hasLeft { meters.clients.decrement() }
    turn?.open()
    if isEmpty { emptied.continuation.yield() }
  }

  /// Runs `body` while a client has a place.
  ///
  /// - Throws: `ServerFault.busy` if no place becomes free in time, or the error of `body`.
  func serving<Result>(
    _ number: Int, within limit: Duration, _ watch: PeerWatch, _ body: () async throws -> Result
  ) async throws -> Result {
    try await enter(number, within: limit, watch)
    defer { leave(number) }
    return try await body()
  }

  /// Records that a client uploads a file, because the files of many clients could fill the disk.
  ///
  /// - Throws: `ServerFault.busy` if too many clients do, or too many of its address.
  func beginUpload(_ number: Int) throws(ServerFault) {
    let isAdmitted = state.withLock { state in
      let address = state.addresses[number]
      let neighbors = state.uploading.count { state.addresses[$0] == address }
      guard neighbors < mostPerAddress ?? (mostServed + 16),
        state.uploading.count < mostServed + Self.mostWaiting
      else { return false }
      return state.uploading.insert(number).inserted
    }
    guard isAdmitted else {
      meters.refusals.increment()
      throw .busy
    }
  }

  /// Records that a client no longer uploads a file.
  func endUpload(_ number: Int) {
    state.withLock { _ = $0.uploading.remove(number) }
  }

  /// Returns whether a client gets a place in time.
  private func hasPlace(_ number: Int, within limit: Duration, _ watch: PeerWatch) async -> Bool {
    @Dependency(\.continuousClock) var clock
    let turn = Gate()
    let mayWait = state.withLock { state in
      let address = state.addresses[number] ?? nil
      let neighbors = (state.served.keys + state.waiting.map(\.number))
        .count { state.addresses[$0] == .some(address) }
      let isCrowded = mostPerAddress.map { neighbors >= $0 } ?? (neighbors - mostServed >= 16)
      guard address == nil || !isCrowded else { return false }
      if state.served.count < mostServed {
        state.served[number] = watch
      } else if state.waiting.count < Self.mostWaiting {
        state.waiting.append((number, watch, turn))
        return true
      }
      return false
    }
    if mayWait {
      let stopwatch = Stopwatch(clock)
      replaceIdle()
      await withTaskGroup(of: Void.self) { [clock] group in
        group.addTask { [self] in
          // A client is idle for long enough after `grace` at the earliest. If the task is canceled,
          // `sleep` throws, and the wait ends, too.
          var left = limit
          while left > .zero, (try? await clock.sleep(for: min(left, Self.grace))) != nil {
            left -= Self.grace
            replaceIdle()
          }
          turn.open()
        }
        await turn.wait()
        group.cancelAll()
      }
      meters.wait.recordNanoseconds(stopwatch.elapsed().inNanoseconds)
    }
    return state.withLock { state in
      state.waiting.removeAll { $0.number == number }
      return state.served[number] != nil
    }
  }

  /// Gives the places of clients that have been idle for at least `grace` to waiting clients: the
  /// place of the idlest client to the first waiting client, and so on.
  private func replaceIdle() {
    while let (turn, loser) = state.withLock({ state -> (Gate, PeerWatch?)? in
      let idle = state.served.compactMap { number, watch in
        watch.idleTime.map { (number: number, time: $0) }
      }
      guard !state.waiting.isEmpty, let idlest = idle.max(by: { $0.time < $1.time }),
        idlest.time >= Self.grace
      else { return nil }
      let next = state.waiting.removeFirst()
      state.served[next.number] = next.watch
      return (next.turn, state.served.removeValue(forKey: idlest.number))
    }) {
      meters.clients.decrement()
      turn.open()
      loser?.replace()
    }
  }
}
