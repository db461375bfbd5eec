import AudioThreads
import Glibc
import Synchronization
import Wyoming

/// A server on a local port that does to each connection what a test says.
final class ScriptedServer: Sendable {
  let address: WyomingAddress
  private let listener: Int32

  /// - Parameter script: runs once for each connection, on a thread of its own; the connection ends
  ///   with it.
  init(_ script: @escaping @Sendable (ServerSide) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = bind(listener, pointer, length)
        _ = getsockname(listener, pointer, &length)
      }
    }
    listen(listener, 8)
    address = .tcp(host: "127.0.0.1", port: Int(name.sin_port.bigEndian))
    _ = try DedicatedThread.start(name: "test-accept") {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        _ = try? DedicatedThread.start(name: "test-serve") {
          script(ServerSide(descriptor: connection))
          close(connection)
        }
      }
      // Closed here alone: its number could be another server's while this thread still accepts.
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

  /// Reads events until one is of this type, and gives all of them; fewer where the client goes.
  @discardableResult
  func read(until type: String) -> [WyomingEvent] {
    var reader = FrameReader()
    var events: [WyomingEvent] = []
    while true {
      while let event = try? reader.next() {
        events.append(event)
        if event.type == type { return events }
      }
      let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
      }
      guard !bytes.isEmpty else { return events }
      reader.add(bytes)
    }
  }

  /// Waits until the client has gone.
  func waitForEnd() { read(until: "never") }

  /// Answers `describe` on a connection that is for that alone; else leaves all to `body`, which
  /// gets the first event.
  func describing(_ body: (WyomingEvent) -> Void) {
    guard let first = readOne() else { return }
    guard first.type == "describe" else { return body(first) }
    info()
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
