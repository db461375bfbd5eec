import Glibc
import Testing

@testable import AudioThreads

@Suite struct ProcessesTests {
  @Test func `a pipe carries bytes and is closed in child processes`() throws {
    let (outlet, inlet) = try #require(makePrivatePipe())
    defer { for end in [outlet, inlet] { close(end) } }
    #expect([outlet, inlet].map { fcntl($0, F_GETFD) } == [FD_CLOEXEC, FD_CLOEXEC])
    #expect(write(inlet, [7], 1) == 1)
    var byte: UInt8 = 0
    #expect(read(outlet, &byte, 1) == 1)
    #expect(byte == 7)
  }

  /// The output of a shell that was started while one of our descriptors was open.
  private func output(of script: [UInt8]) throws -> [UInt8] {
    let (outlet, inlet) = try #require(makePrivatePipe())
    let nothing = open("/dev/null", O_RDWR)
    defer { for descriptor in [outlet, nothing] { close(descriptor) } }
    let identifier = try startProcess(
      [Array("sh".utf8), Array("-c".utf8), script], input: nothing, output: inlet, errors: nothing)
    close(inlet)
    var bytes = [UInt8](repeating: 0, count: 1_000)
    var count = 0
    while case let more = read(outlet, &bytes[count], bytes.count - count), more > 0 {
      count += more
    }
    #expect(waitpid(identifier, nil, 0) == identifier)
    return Array(bytes.prefix(count))
  }

  @Test func `a child process has only its standard descriptors and no blocked signal`() throws {
    // A waiting shell blocks signals itself.
    let listing = try output(of: Array("ls /proc/$$/fd; exec grep SigBlk /proc/self/status".utf8))
    #expect(String(decoding: listing, as: UTF8.self) == "0\n1\n2\nSigBlk:\t0000000000000000\n")
  }

  /// Runs in its own process, because the children of other tests would inherit the descriptors.
  @Test func `a child process inherits nothing that another thread opens meanwhile`() async {
    await #expect(processExitsWith: .success) {
      let end = try WakeUp()
      let thread = try DedicatedThread.start(name: "opener") {
        while !end.isSignaled(within: 0) {
          let inherited = (0..<100).map { _ in open("/dev/null", O_RDONLY) }
          for descriptor in inherited { close(descriptor) }
        }
      }
      for _ in 0..<100 {
        let listing = try ProcessesTests().output(of: Array("ls /proc/$$/fd; :".utf8))
        #expect(String(decoding: listing, as: UTF8.self) == "0\n1\n2\n")
      }
      end.signal()
      await thread.join()
    }
  }

  @Test func `an argument that is not UTF-8 arrives as it is`() throws {
    #expect(try output(of: Array("printf %s caf".utf8) + [0xE9]) == Array("caf".utf8) + [0xE9])
  }

  @Test func `starting a missing program throws ENOENT`() {
    #expect(throws: ProcessError(code: ENOENT)) {
      try startProcess([Array("no-such-program".utf8)], input: 0, output: 1, errors: 2)
    }
  }
}
