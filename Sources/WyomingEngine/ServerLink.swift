import AudioThreads
import SpeechEngine
import Wyoming

/// A connection to a server that carries events; every call has a timeout.
///
/// Thread safety: none; one thread at a time uses it.
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
  ///
  /// - Throws: `.unreachable`; `.interrupted` once the interruption is signaled.
  init(
    server: WyomingAddress, options: WyomingEngineOptions, until interruption: WakeUp? = nil
  ) throws(SpeechEngineError) {
    (self.server, self.options) = (server, options)
    reader = FrameReader(limits: options.limits)
    do throws(LinkTrouble) {
      switch server {
      case .tcp(let host, let port):
        bytes = try .connected(
          host: host, port: port, within: TimeBudget(options.connectTimeout), until: interruption)
        child = nil
      case .unix(let path):
        bytes = try .connected(
          path: path, within: TimeBudget(options.connectTimeout), until: interruption)
        child = nil
      case .stdio(let command):
        guard let command else { throw .noCommand }
        let child = try ChildProcess(command: command)
        child.bytes.interruption = interruption
        bytes = child.bytes
        self.child = child
      }
    } catch {
      if error == .interrupted { throw .interrupted }
      throw .unreachable(address: server.description, reason: error.description)
    }
  }

  /// Ends the current call and every later one once it is signaled; nil for an idle link.
  var interruption: WakeUp? {
    get { bytes.interruption }
    set { bytes.interruption = newValue }
  }

  /// Closes the connection and ends the child.
  deinit {
    bytes.close()
    child?.end()
  }

  /// Whether the connection is open, as far as the system reports.
  var isOpen: Bool {
    readArrived()
    return trouble == nil
  }

  /// Whether the server still answers; earlier events are dropped.
  var answers: Bool {
    guard isOpen else { return false }
    do throws(LinkTrouble) {
      info = try ask()
      return true
    } catch {
      return false
    }
  }

  /// The server's description, which is requested once per connection.
  func describe() throws(SpeechEngineError) -> WyomingInfo {
    if let info { return info }
    do throws(LinkTrouble) {
      let info = try ask()
      self.info = info
      return info
    } catch {
      if error == .interrupted { throw .interrupted }
      throw .unreachable(address: server.description, reason: explained(error))
    }
  }

  private func ask() throws(LinkTrouble) -> WyomingInfo {
    let isStarting = child != nil && info == nil
    let budget = TimeBudget(isStarting ? options.startTimeout : options.describeTimeout)
    do throws(LinkTrouble) {
      try write(WyomingEvent("describe"), budget)
    } catch {
      // The server's last messages explain more than the end of the connection.
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

  /// Waits for the next event.
  func receive(within budget: TimeBudget) throws(SpeechEngineError) -> WyomingEvent {
    do throws(LinkTrouble) { return try read(budget) } catch { throw failure(error) }
  }

  /// The events that have arrived, without waiting.
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

  /// For a child, the exit status explains more than the end of the connection.
  private func explained(_ trouble: LinkTrouble) -> String {
    guard trouble.isEnd, let child else { return trouble.description }
    return child.ending(within: .seconds(2), until: interruption) ?? trouble.description
  }

  private func write(_ event: WyomingEvent, _ budget: TimeBudget) throws(LinkTrouble) {
    var rest = event.bytes[...]
    while !rest.isEmpty {
      let readiness = try bytes.wait(toWrite: true, within: budget)
      // A server whose output is not read may stop reading.
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

  /// Reads the next bytes, or stores why there will be none.
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
