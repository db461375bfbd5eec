import FilePaths
import Foundation
import Glibc
import TestTools
import Testing

@testable import AudioThreads

/// Tests requests to RTKit on a fake system bus.
@Suite(.serialized) struct RTKitTests {
  @Test func `a thread gets the priority that RTKit allows, and RLIMIT_RTTIME is lowered`() throws {
    let bus = try FakeBus(highestPriority: 7, longestTime: 3_600_000_000)
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(bus.path)", 1)
    defer { unsetenv("DBUS_SYSTEM_BUS_ADDRESS") }
    let priority = try RTKit().grant(4_711, atMost: 10)
    #expect(priority == 7)
    #expect(bus.granted() == FakeBus.Grant(thread: 4_711, priority: 7))
    var limit = rlimit()
    getrlimit(CInt(__RLIMIT_RTTIME.rawValue), &limit)
    #expect(limit.rlim_max <= 3_600_000_000 && limit.rlim_cur <= limit.rlim_max)
  }

  @Test func `the error for a missing system bus contains the reason`() {
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
    defer { unsetenv("DBUS_SYSTEM_BUS_ADDRESS") }
    #expect(throws: SystemError(failure: "no system bus", code: ENOENT)) {
      try RTKit().grant(1, atMost: 10)
    }
  }

  @Test func `opening fails if libsystemd returns neither a bus nor an error`() throws {
    let folder = try TestFolder()
    let (source, library) = (folder.file("bus.c"), folder.file("bus.so"))
    try """
    int sd_bus_open_system(void **bus) { return 0; }
    void *sd_bus_flush_close_unref(void *bus) { return 0; }
    int sd_bus_set_method_call_timeout(void *bus, unsigned long long time) { return 0; }
    """.write(to: source, atomically: true, encoding: .utf8)
    try Tool.run("cc", package: "gcc", ["-shared", "-fPIC", "-o", library.path, source.path])
    #expect(throws: SystemError(failure: "no system bus", code: ENOTCONN)) {
      _ = try RTKit(library: FilePath(library))
    }
  }

  @Test func `the error for a missing libsystemd names the library`() throws {
    let error = try #require(throws: (any Error).self) { _ = try RTKit(library: "libnone.so.0") }
    #expect("\(error)".hasPrefix("the library cannot be loaded: libnone.so.0: "))
  }

  @Test func `the error for a missing function of libsystemd names the function`() throws {
    let error = try #require(throws: (any Error).self) { _ = try RTKit(library: "libc.so.6") }
    #expect("\(error)" == "the library is too old: it has no sd_bus_open_system")
  }
}

/// A system bus with RTKit for one client; it implements only the needed part of D-Bus.
private final class FakeBus: @unchecked Sendable {
  // `@unchecked Sendable` is safe because only the thread writes `grant`, before it signals
  // `ended`, and the test reads `grant` afterward.
  struct Grant: Equatable {
    var thread: UInt64
    var priority: UInt32
  }

  let path: String
  private let listener: CInt
  private let ended: WakeUp
  private var grant: Grant?

  init(highestPriority: Int32, longestTime: Int64) throws {
    path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    ended = try WakeUp()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
    }
    guard code == 0, listen(listener, 1) == 0 else { throw POSIXError(.EIO) }
    _ = try DedicatedThread.start(name: "fake-bus") { [self] in
      let client = accept(listener, nil, nil)
      serve(client, highestPriority, longestTime)
      close(client)
      ended.signal()
    }
  }

  deinit {
    close(listener)
    unlink(path)
  }

  /// Returns the grant once the client has disconnected.
  func granted() -> Grant? {
    ended.wait()
    return grant
  }

  private func serve(_ client: CInt, _ highestPriority: Int32, _ longestTime: Int64) {
    var input: [UInt8] = []
    let begin = Array("BEGIN\r\n".utf8)
    while input.firstRange(of: begin) == nil { guard receive(client, &input) else { return } }
    if let range = input.firstRange(of: begin) { input.removeSubrange(..<range.upperBound) }
    let guid = String(repeating: "0", count: 32)
    reply(client, Array("DATA\r\nOK \(guid)\r\nAGREE_UNIX_FD\r\n".utf8))
    while let message = next(client, &input) {
      let serial = message.integer(at: 8, as: UInt32.self)
      let text = String(decoding: message, as: UTF8.self)
      if text.contains("Hello") {
        reply(client, answer(to: serial, "s", bytes(UInt32(4)) + Array(":1.1\0".utf8)))
      } else if text.contains("RTTimeUSecMax") {
        let body = [1, UInt8(ascii: "x"), 0, 0, 0, 0, 0, 0] + bytes(longestTime)
        reply(client, answer(to: serial, "v", body))
      } else if text.contains("MaxRealtimePriority") {
        reply(
          client, answer(to: serial, "v", [1, UInt8(ascii: "i"), 0, 0] + bytes(highestPriority)))
      } else if text.contains("MakeThreadRealtime") {
        let body = Array(message.suffix(12))
        grant = Grant(
          thread: body.integer(at: 0, as: UInt64.self),
          priority: body.integer(at: 8, as: UInt32.self))
        reply(client, answer(to: serial, "", []))
      }
    }
  }

  /// Returns a reply to a message.
  private func answer(to serial: UInt32, _ signature: String, _ body: [UInt8]) -> [UInt8] {
    var fields = [5, 1, UInt8(ascii: "u"), 0] + bytes(serial)
    if !signature.isEmpty {
      fields += [8, 1, UInt8(ascii: "g"), 0, UInt8(signature.utf8.count)] + signature.utf8 + [0]
    }
    let head = [UInt8(ascii: "l"), 2, 1, 1] + bytes(UInt32(body.count)) + bytes(serial)
    let header = head + bytes(UInt32(fields.count)) + fields
    return header + [UInt8](repeating: 0, count: -header.count & 7) + body
  }

  private func next(_ client: CInt, _ input: inout [UInt8]) -> [UInt8]? {
    while true {
      if input.count >= 16 {
        let fields = Int(input.integer(at: 12, as: UInt32.self))
        let size = (16 + fields + 7) & ~7 + Int(input.integer(at: 4, as: UInt32.self))
        if input.count >= size {
          defer { input.removeFirst(size) }
          return Array(input[..<size])
        }
      }
      guard receive(client, &input) else { return nil }
    }
  }

  private func receive(_ client: CInt, _ input: inout [UInt8]) -> Bool {
    var block = [UInt8](repeating: 0, count: 4_096)
    let count = read(client, &block, block.count)
    input += block.prefix(max(0, count))
    return count > 0
  }

  private func reply(_ client: CInt, _ bytes: [UInt8]) {
    _ = write(client, bytes, bytes.count)
  }

  private func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}

extension [UInt8] {
  fileprivate func integer<Value: FixedWidthInteger>(at offset: Int, as: Value.Type) -> Value {
    withUnsafeBytes {
      Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
  }
}
