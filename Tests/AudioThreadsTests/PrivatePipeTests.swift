import Glibc
import Testing

@testable import AudioThreads

@Suite struct PrivatePipeTests {
  @Test func `a pipe carries bytes, and is closed in every program that is started`() throws {
    let (outlet, inlet) = try #require(makePrivatePipe())
    defer { for end in [outlet, inlet] { close(end) } }
    #expect([outlet, inlet].map { fcntl($0, F_GETFD) } == [FD_CLOEXEC, FD_CLOEXEC])
    #expect(write(inlet, [7], 1) == 1)
    var byte: UInt8 = 0
    #expect(read(outlet, &byte, 1) == 1)
    #expect(byte == 7)
  }
}
