import AudioThreads
import Glibc
import Synchronization
import Wyoming

/// A server on a local port that runs a test's script for each connection.
final class ScriptedServer: Sendable {
  let address: WyomingAddress
  private let listener: Int32

  /// - Parameter script: runs once for each connection, on its own thread; the connection ends when
  ///   the script ends.
  init(_ script: @escaping @Sendable (ServerSide) -> Void) throws {
    let (listener, name) = listening(backlog: 8)
    self.listener = listener
    address = name.address
    _ = try DedicatedThread.start(name: "test-accept") {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        _ = try? DedicatedThread.start(name: "test-serve") {
          script(ServerSide(descriptor: connection))
          close(connection)
        }
      }
      // Only this thread closes the socket: otherwise the socket's number could already belong to
      // another server while this thread accepts connections.
      close(listener)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }
}

/// The server's end of a connection.
struct ServerSide: Sendable {
  let descriptor: Int32

  func write(_ bytes: [UInt8]) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func write(_ text: String) { write(Array(text.utf8)) }
  func write(_ event: WyomingEvent) { write(event.bytes) }

  func info(languages: [JSONValue] = ["en"]) {
    write(
      WyomingEvent(
        "info",
        ["asr": [["name": "test", "models": [["name": "m", "languages": .array(languages)]]]]]))
  }

  /// Reads and returns events up to and including the first of this type, or up to the end of the
  /// connection.
  @discardableResult
  func read(until type: String) -> [WyomingEvent] {
    var reader = FrameReader()
    var events: [WyomingEvent] = []
    while true {
      while let event = try? reader.next() {
        events.append(event)
        if event.type == type { return events }
      }
      let bytes = receive()
      guard !bytes.isEmpty else { return events }
      reader.add(bytes)
    }
  }

  /// Waits until the client is gone.
  func waitForEnd() { read(until: "never") }

  /// Answers a first event of type `describe`; calls `body` with any other first event.
  ///
  /// The client sends `describe` on a separate connection.
  func describing(_ body: (WyomingEvent) -> Void) {
    guard let first = readOne() else { return }
    guard first.type == "describe" else { return body(first) }
    info()
  }

  /// Serves like a recognizer that finds the same text in all audio.
  func transcribe(as text: String, endsAfterText: Bool = false) {
    answerEach { event in
      if event.type == "describe" { info() }
      guard event.type == "audio-stop" else { return true }
      write(WyomingEvent("transcript", ["text": .string(text)]))
      return !endsAfterText
    }
  }

  /// Calls `body` with each event until `body` returns false or the client disconnects.
  func answerEach(_ body: (WyomingEvent) -> Bool) {
    var reader = FrameReader()
    while true {
      while let event = try? reader.next() {
        if !body(event) { return }
      }
      let bytes = receive()
      guard !bytes.isEmpty else { return }
      reader.add(bytes)
    }
  }

  /// Returns the next bytes; empty at the end.
  private func receive() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
  }

  private func readOne() -> WyomingEvent? {
    var reader = FrameReader()
    while true {
      if let event = try? reader.next() { return event }
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      reader.add([byte])
    }
  }
}

/// A server whose queue of connections is full, so further connections wait.
final class BusyServer {
  let address: WyomingAddress
  private let descriptors: [Int32]

  init() throws {
    let (listener, name) = listening(backlog: 0)
    address = name.address
    let waiting = (0..<4).map { _ in
      let connection = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      name.withPointer { _ = connect(connection, $0, $1) }
      return connection
    }
    descriptors = waiting + [listener]
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}

/// Returns a socket that listens on a free local port, and its address.
private func listening(backlog: Int32) -> (listener: Int32, name: sockaddr_in) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var name = sockaddr_in()
  name.sin_family = sa_family_t(AF_INET)
  name.sin_addr.s_addr = inet_addr("127.0.0.1")
  name.withPointer { _ = bind(listener, $0, $1) }
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &name) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = getsockname(listener, $0, &length)
    }
  }
  listen(listener, backlog)
  return (listener, name)
}

extension sockaddr_in {
  fileprivate var address: WyomingAddress {
    .tcp(host: "127.0.0.1", port: Int(sin_port.bigEndian))
  }

  fileprivate func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    withUnsafePointer(to: self) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
