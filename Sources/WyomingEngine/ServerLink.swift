import AudioThreads
import SpeechEngine
import Wyoming

/// A connection to a server that carries events; every call is over within the time it is given.
///
/// Thread safety: none; it moves from thread to thread only while nobody uses it.
final class ServerLink {
  private let server: WyomingAddress
  private let options: WyomingEngineOptions
  private let bytes: ByteLink
  private let child: ChildProcess?
  private var reader: FrameReader
  private var waiting: [WyomingEvent] = []
  private var trouble: LinkTrouble?
  private var info: WyomingInfo?

  /// Opens a connection, or starts a child.
  init(server: WyomingAddress, options: WyomingEngineOptions) throws(SpeechEngineError) {
    (self.server, self.options) = (server, options)
    reader = FrameReader(limits: options.limits)
    do throws(LinkTrouble) {
      switch server {
      case .tcp(let host, let port):
        bytes = try .connected(host: host, port: port, within: TimeBudget(options.connectTimeout))
        child = nil
      case .unix(let path):
        bytes = try .connected(path: path, within: TimeBudget(options.connectTimeout))
        child = nil
      case .stdio(let command):
        guard let command else { throw .noCommand }
        let child = try ChildProcess(command: command)
        bytes = child.bytes
        self.child = child
      }
    } catch {
      throw .unreachable(address: server.description, reason: error.description)
    }
  }

  /// Ends every call, now and later, once it is signaled; nil for a link that nobody uses.
  var interruption: WakeUp? {
    get { bytes.interruption }
    set { bytes.interruption = newValue }
  }

  /// Closes the connection, and sees to the end of a child.
  deinit {
    bytes.close()
    child?.end()
  }

  /// Whether the server still listens, as far as one can see from here.
  var isOpen: Bool {
    readArrived()
    return trouble == nil
  }

  /// Whether the server still describes itself; what it had to say before that is forgotten.
  var answers: Bool {
    guard isOpen else { return false }
    do throws(LinkTrouble) {
      info = try ask()
      return true
    } catch {
      return false
    }
  }

  /// What the server says of itself; asked once for each connection.
  func describe() throws(SpeechEngineError) -> WyomingInfo {
    if let info { return info }
    do throws(LinkTrouble) {
      let info = try ask()
      self.info = info
      return info
    } catch {
      throw .unreachable(address: server.description, reason: explained(error))
    }
  }

  private func ask() throws(LinkTrouble) -> WyomingInfo {
    let isStarting = child != nil && info == nil
    let budget = TimeBudget(isStarting ? options.startTimeout : options.describeTimeout)
    do throws(LinkTrouble) {
      try write(WyomingEvent("describe"), budget)
    } catch {
      // What the server said before it went explains more than that it went.
      for event in lastWords { try Self.check(event) }
      throw error
    }
    while true {
      let event = try read(budget)
      try Self.check(event)
      if event.type == "info" { return WyomingInfo(event.data) }
    }
  }

  private static func check(_ event: WyomingEvent) throws(LinkTrouble) {
    guard event.type != "error" else { throw .refused(event.data["text"]?.string ?? "error") }
  }

  func send(_ event: WyomingEvent, within budget: TimeBudget) throws(SpeechEngineError) {
    do throws(LinkTrouble) { try write(event, budget) } catch { throw failure(error) }
  }

  /// The next event, waited for.
  func receive(within budget: TimeBudget) throws(SpeechEngineError) -> WyomingEvent {
    do throws(LinkTrouble) { return try read(budget) } catch { throw failure(error) }
  }

  /// The events that are there already; it does not wait.
  var arrived: [WyomingEvent] {
    readArrived()
    defer { waiting = [] }
    return waiting
  }

  /// The events that came before the connection broke.
  var lastWords: [WyomingEvent] {
    let budget = TimeBudget(.seconds(1))
    while trouble == nil, budget.left > .zero { readMore(within: budget) }
    defer { waiting = [] }
    return waiting
  }

  private func failure(_ trouble: LinkTrouble) -> SpeechEngineError {
    if trouble == .interrupted { return .interrupted }
    return .failed(reason: "\(server): \(explained(trouble))")
  }

  /// The end of a connection to a child is better told by how the child ended.
  private func explained(_ trouble: LinkTrouble) -> String {
    guard trouble.isEnd, let child else { return trouble.description }
    return child.ending(within: .seconds(2)) ?? trouble.description
  }

  private func write(_ event: WyomingEvent, _ budget: TimeBudget) throws(LinkTrouble) {
    var rest = event.bytes[...]
    while !rest.isEmpty {
      let readiness = try bytes.wait(toWrite: true, within: budget)
      // A server that writes while nobody reads may not read either.
      if readiness.canRead { readMore(within: budget) }
      if let trouble { throw trouble }
      if readiness.canWrite { rest = rest.dropFirst(try bytes.write(rest)) }
    }
  }

  private func read(_ budget: TimeBudget) throws(LinkTrouble) -> WyomingEvent {
    while waiting.isEmpty {
      if let trouble { throw trouble }
      readMore(within: budget)
    }
    return waiting.removeFirst()
  }

  private func readArrived() {
    var hasMore = trouble == nil
    while hasMore {
      do throws(LinkTrouble) {
        hasMore = try bytes.wait(toWrite: false, within: TimeBudget(.zero)).canRead
      } catch {
        return
      }
      if hasMore { readMore(within: TimeBudget(.zero)) }
      hasMore = hasMore && trouble == nil
    }
  }

  /// Reads what comes next, or notes why nothing more will.
  private func readMore(within budget: TimeBudget) {
    do throws(LinkTrouble) {
      guard try bytes.wait(toWrite: false, within: budget).canRead,
        let piece = try bytes.read()
      else { return }
      guard !piece.isEmpty else { throw .ended }
      reader.add(piece)
      try takeEvents()
    } catch {
      trouble = error
    }
  }

  private func takeEvents() throws(LinkTrouble) {
    do throws(FrameError) {
      while let event = try reader.next() { waiting.append(event) }
    } catch {
      throw .noFrames(error)
    }
  }
}
