import AudioThreads
import Synchronization

/// The clients of a listener: those that are served, wait for a place, or are leaving.
///
/// A client that sends audio or requests the models replaces a client that keeps the server
/// waiting, so idle connections do not block others.
final class ClientTable: Sendable {
  /// The stage of a client.
  enum Stage {
    case served
    case waiting
    /// The client gets an error, and some time to disconnect.
    case leaving
  }

  private struct Client {
    var stage: Stage
    /// The client's IP address; nil on a Unix socket.
    let address: String?
    /// Opened when the client's wait ends.
    let turn = Gate()
    var hasRequest = false
    /// Measures the client's idle time; nil until it is served.
    var watch: PeerWatch?
  }

  /// The maximum number of waiting clients.
  private static let mostWaiting = 64
  /// The maximum number of clients that are leaving; any further client is disconnected without an
  /// event.
  private static let mostLeaving = 256
  /// The idle time after which a served client may be replaced by a waiting client.
  private static let grace = Duration.seconds(1)

  private let mostServed: Int
  private let mostPerAddress: Int?
  // The lock is held to find or change an entry; gates and watches are signaled after its release.
  private let clients = Mutex<[Int: Client]>([:])
  /// A stream with an element each time the last client has left.
  let emptied = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// - Parameters:
  ///   - mostServed: the maximum number of clients served at once.
  ///   - mostPerAddress: the maximum number of served and waiting clients of one address; nil for
  ///     16 more than `mostServed`.
  init(mostServed: Int, mostPerAddress: Int?) {
    (self.mostServed, self.mostPerAddress) = (mostServed, mostPerAddress)
  }

  /// Whether no client is connected.
  var isEmpty: Bool { clients.withLock { $0.isEmpty } }

  /// Adds a client; returns nil if the caller must disconnect the client, because too many clients
  /// are leaving.
  ///
  /// `number` is greater than those of earlier clients.
  func add(_ number: Int, from address: String?) -> Stage? {
    clients.withLock { clients in
      func count(_ stage: Stage) -> Int { clients.values.count { $0.stage == stage } }
      let neighbors = clients.values.count { $0.address == address && $0.stage != .leaving }
      let isCrowded = mostPerAddress.map { neighbors >= $0 } ?? (neighbors - mostServed >= 16)
      let stage: Stage =
        if address != nil, isCrowded {
          .leaving
        } else if count(.served) < mostServed {
          .served
        } else {
          count(.waiting) < Self.mostWaiting ? .waiting : .leaving
        }
      guard stage != .leaving || count(.leaving) < Self.mostLeaving else { return nil }
      clients[number] = Client(stage: stage, address: address)
      return stage
    }
  }

  /// Waits until a client is assigned a place among the served clients; returns false if it gets
  /// none within `limit`.
  func wait(_ number: Int, within limit: Duration, on clock: any Clock<Duration>) async -> Bool {
    guard let turn = clients.withLock({ $0[number]?.turn }) else { return false }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // If the task is canceled, `sleep` throws, and the wait ends, too.
        try? await clock.sleep(for: limit)
        turn.open()
      }
      await turn.wait()
      group.cancelAll()
    }
    // During the wait, a served client may have become idle for long enough to be replaced.
    assignPlace(for: number)
    return clients.withLock { clients in
      if clients[number]?.stage == .waiting { clients[number]?.stage = .leaving }
      return clients[number]?.stage == .served
    }
  }

  /// Records that a waiting client sends audio or requests the models.
  func reportRequest(from number: Int) {
    clients.withLock { $0[number]?.hasRequest = true }
    assignPlace(for: number)
  }

  /// Records that a client's conversation begins; until then, no other client can replace it.
  func begin(_ number: Int, _ watch: PeerWatch) {
    clients.withLock { $0[number]?.watch = watch }
  }

  /// Removes a client; its place goes to the first waiting client that has sent a request, or else
  /// to the first waiting client.
  func remove(_ number: Int) {
    let (turn, isEmpty) = clients.withLock { clients in
      let wasServed = clients.removeValue(forKey: number)?.stage == .served
      let waiting = clients.filter { $0.value.stage == .waiting }
      let next = waiting.filter(\.value.hasRequest).keys.min() ?? waiting.keys.min()
      guard wasServed, let next else { return (nil as Gate?, clients.isEmpty) }
      clients[next]?.stage = .served
      return (clients[next]?.turn, false)
    }
    turn?.open()
    if isEmpty { emptied.continuation.yield() }
  }

  /// Gives the waiting client `number` the place of the served client with the longest idle time.
  ///
  /// Does nothing unless the waiting client has sent a request and that idle time is at least
  /// `grace`.
  private func assignPlace(for number: Int) {
    let (turn, loser) = clients.withLock { clients in
      guard let client = clients[number], client.stage == .waiting, client.hasRequest,
        let idlest = Self.idlest(of: clients), idlest.time >= Self.grace
      else { return (nil as Gate?, nil as PeerWatch?) }
      clients[idlest.number]?.stage = .leaving
      clients[number]?.stage = .served
      return (client.turn, clients[idlest.number]?.watch)
    }
    turn?.open()
    loser?.replace()
  }

  /// Returns the served client with the longest idle time.
  private static func idlest(of clients: [Int: Client]) -> (number: Int, time: Duration)? {
    clients.compactMap { number, client in
      let time = client.stage == .served ? client.watch?.idleTime : nil
      return time.map { (number, $0) }
    }.max { $0.1 < $1.1 }
  }
}
