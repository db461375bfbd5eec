import Foundation
import Glibc
import Testing

@testable import AudioThreads

@Suite struct PrivateDescriptorsTests {
  @Test func `a pipe carries bytes, and is closed in every program that is started`() throws {
    let (outlet, inlet) = try #require(makePrivatePipe())
    defer { for end in [outlet, inlet] { close(end) } }
    #expect([outlet, inlet].map { fcntl($0, F_GETFD) } == [FD_CLOEXEC, FD_CLOEXEC])
    #expect(write(inlet, [7], 1) == 1)
    var byte: UInt8 = 0
    #expect(read(outlet, &byte, 1) == 1)
    #expect(byte == 7)
  }

  @Test func `a file has no name, and is closed in every program that is started`() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let descriptor = makePrivateFile(in: folder.path)
    #expect(descriptor >= 0)
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    #expect(makePrivateFile(in: folder.appending(path: "missing").path) < 0)
  }
}
