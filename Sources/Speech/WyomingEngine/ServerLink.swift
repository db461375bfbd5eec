import AudioThreads
import FilePaths
import Glibc
import SpeechEngine
import Wyoming

/// A connection to a server that carries events; every call has a timeout.
///
/// Thread safety: none; one thread at a time uses it.
final class ServerLink {
  private let server: WyomingAddress
  private let options: WyomingEngineOptions
  private let bytes: ByteLink
  private let child: ServerProcess?
  private var reader: FrameReader
  private var waiting: [WyomingEvent] = []
  /// The size of the events in `waiting`, in bytes as received.
  private var waitingSize = 0
  private var linkError: LinkError?
  private var info: WyomingInfo?
  /// Whether an earlier utterance was sent on this connection, so that a text of that utterance may
  /// still arrive.
  private(set) var isReused = false
  private var hasUtterance = false

  /// Opens a connection, or starts a child.
  ///
  /// - Throws: `.unreachable`; `.interrupted` once the interruption is signaled.
  init(
    server: WyomingAddress, options: WyomingEngineOptions, until interruption: WakeUp? = nil
  ) throws(SpeechEngineError) {
    (self.server, self.options) = (server, options)
    reader = FrameReader(limits: options.limits)
    do throws(LinkError) {
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
        let (child, bytes) = try ServerProcess.start(command)
        bytes.interruption = interruption
        (self.child, self.bytes) = (child, bytes)
      }
    } catch {
      if error == .interrupted { throw .interrupted }
      throw .unreachable(address: server.description, reason: error.description)
    }
  }

  /// Once signaled, ends the current call and every later call; nil for an idle link.
  var interruption: WakeUp? {
    get { bytes.interruption }
    set { bytes.interruption = newValue }
  }

  /// Closes the connection, and ends the child process if there is one.
  deinit {
    bytes.close()
    child?.end()
  }

  /// Whether a call has failed; every later call then fails, too.
  var hasFailed: Bool { linkError != nil }

  /// Whether the connection is open, as far as the system reports.
  var isOpen: Bool {
    readArrived()
    return linkError == nil
  }

  /// Returns whether the server responds to a `describe` in time; earlier events are dropped.
  func answers(within timeout: Duration) -> Bool {
    guard isOpen, let info = try? ask(within: timeout) else { return false }
    self.info = info
    return true
  }

  /// Returns the server's description, which is requested once per connection.
  func describe() throws(SpeechEngineError) -> WyomingInfo {
    if let info { return info }
    do throws(LinkError) {
      let info = try ask(within: child == nil ? options.describeTimeout : options.startTimeout)
      self.info = info
      return info
    } catch {
      if error == .interrupted { throw .interrupted }
      throw .unreachable(address: server.description, reason: explained(error))
    }
  }

  private func ask(within timeout: Duration) throws(LinkError) -> WyomingInfo {
    let budget = TimeBudget(timeout)
    do throws(LinkError) {
      try write(WyomingEvent("describe"), budget)
    } catch {
      // The server's last messages may contain the reason that it closed the connection.
      for event in lastWords { try Self.check(event) }
      throw error
    }
    var info: WyomingInfo?
    try read(within: budget) { event throws(LinkError) in
      try Self.check(event)
      if event.type == "info" { info = WyomingInfo(event.data) }
      return info != nil
    }
    guard let info else { throw .ended }
    return info
  }

  private static func check(_ event: WyomingEvent) throws(LinkError) {
    guard event.type != "error" else { throw .refused(event.data["text"]?.string ?? "error") }
  }

  /// Records that an utterance begins.
  func beginUtterance() {
    (isReused, hasUtterance) = (hasUtterance, true)
  }

  func send(_ event: WyomingEvent, within budget: TimeBudget) throws(SpeechEngineError) {
    do throws(LinkError) {
      try write(event, budget)
    } catch {
      // The event may have been sent in part, so the connection cannot be used again.
      if case .timedOut = error { linkError = error }
      throw failure(error)
    }
  }

  /// Waits for events until `isLast` returns true for an event; later events are dropped.
  func receive(
    within budget: TimeBudget, until isLast: (WyomingEvent) -> Bool
  ) throws(SpeechEngineError) {
    do throws(LinkError) {
      try read(within: budget) { event throws(LinkError) in isLast(event) }
    } catch {
      throw failure(error)
    }
  }

  /// The events that have arrived, without waiting for more.
  var arrived: [WyomingEvent] {
    readArrived()
    return popWaiting()
  }

  /// Removes and returns the events that were read during earlier calls.
  func popWaiting() -> [WyomingEvent] {
    defer { (waiting, waitingSize) = ([], 0) }
    return waiting
  }

  /// The remaining events of a connection that is ending; waits up to a second for the end.
  var lastWords: [WyomingEvent] {
    let budget = TimeBudget(.seconds(1))
    while linkError == nil, budget.left > .zero { readMore(within: budget) }
    return popWaiting()
  }

  private func failure(_ failure: LinkError) -> SpeechEngineError {
    if failure == .interrupted { return .interrupted }
    return .failed(reason: "\(server): \(explained(failure))")
  }

  /// Returns the description of a failure.
  ///
  /// If a child closed the connection, the description contains the child's exit status.
  private func explained(_ failure: LinkError) -> String {
    guard failure.isEnd, let child else { return failure.description }
    return child.ending(within: .seconds(2), until: interruption) ?? failure.description
  }

  private func write(_ event: WyomingEvent, _ budget: TimeBudget) throws(LinkError) {
    if let linkError { throw linkError }
    var rest = event.bytes[...]
    while !rest.isEmpty {
      let readiness = try bytes.wait(toWrite: true, within: budget)
      // Reads while writing, because a server whose output is not read may stop reading.
      if readiness.canRead { readMore(within: budget) }
      if !readiness.canWrite { try budget.check() }
      if let linkError { throw linkError }
      if readiness.canWrite { rest = rest.dropFirst(try bytes.write(rest)) }
    }
  }

  private func read(
    within budget: TimeBudget, until isLast: (WyomingEvent) throws(LinkError) -> Bool
  ) throws(LinkError) {
    var hasRead = false
    while true {
      for event in popWaiting() {
        if try isLast(event) { return }
      }
      if let linkError { throw linkError }
      // From the second read on, the deadline is checked, because a server may send other events
      // forever.
      if hasRead { try budget.check() }
      readMore(within: budget)
      hasRead = true
    }
  }

  /// Reads the received bytes, but at most 1 MiB, because a server may never stop sending.
  private func readArrived() {
    let now = TimeBudget(.zero)
    for _ in 0..<16 {
      guard linkError == nil, (try? bytes.wait(toWrite: false, within: now))?.canRead == true else {
        return
      }
      readMore(within: now)
    }
  }

  /// Reads the next bytes; after a failure, stores the error in `linkError`.
  private func readMore(within budget: TimeBudget) {
    do throws(LinkError) {
      guard try bytes.wait(toWrite: false, within: budget).canRead,
        let piece = try bytes.read()
      else { return }
      guard !piece.isEmpty else { throw .ended }
      reader.add(piece)
      waitingSize += piece.count
      try readEvents()
    } catch {
      linkError = error
    }
  }

  private func readEvents() throws(LinkError) {
    do throws(FrameError) {
      while let event = try reader.next() { waiting.append(event) }
    } catch {
      throw .noFrames(error)
    }
    if waiting.isEmpty { waitingSize = 0 }
    guard waitingSize <= largestBacklog, waiting.count <= Self.mostWaiting else { throw .flooded }
  }

  /// The maximum number of events that were received and not yet processed.
  private static let mostWaiting = 10_000

  /// The maximum size of the waiting events and the following frame: twice the largest frame.
  private var largestBacklog: Int {
    [options.limits.header, options.limits.data, options.limits.payload]
      .reduce(1 << 20) { sum, limit in
        let (longer, overflows) = sum.addingReportingOverflow(max(0, min(limit, .max / 8)) * 2)
        return overflows ? .max : longer
      }
  }
}

/// The reason that a connection cannot be made or used.
enum LinkError: Error, Equatable {
  /// The other end closed the connection.
  case ended
  case timedOut(Duration)
  case interrupted
  case noFrames(FrameError)
  case refused(String)
  /// The server sends far more events than the protocol expects.
  case flooded
  case hostUnknown(host: String, reason: String)
  case pathTooLong
  case noCommand
  /// A system call failed, with this `errno`.
  case system(Int32)

  /// Whether the error only means that the other end closed the connection.
  var isEnd: Bool {
    switch self {
    case .ended, .system(EPIPE), .system(ECONNRESET): true
    default: false
    }
  }
}

extension LinkError: CustomStringConvertible {
  var description: String {
    switch self {
    case .ended: "the server closed the connection"
    case .timedOut(let time): "the server did not answer within \(time)"
    case .interrupted: "it was interrupted"
    case .noFrames(let error): "the server does not speak the Wyoming protocol: \(error)"
    case .refused(let text): text.saidByServer
    case .flooded: "the server sent far more events than were requested"
    case .hostUnknown(let host, let reason): "the host \(host) was not found: \(reason)"
    case .pathTooLong: "the path of a socket has at most 107 bytes"
    case .noCommand: "there is no command to start; give one as stdio:COMMAND"
    case .system(let code): "\(String(cString: strerror(code))) (errno \(code))"
    }
  }
}

extension String {
  /// The maximum number of characters of a server's text in a message.
  private static var longest: Int { 200 }

  /// The message that quotes a server's error.
  var saidByServer: String { "the server says: \(inMessage)" }

  /// A server's text, shortened to one line for a message.
  var inMessage: String { printableLine(atMost: Self.longest) }
}
