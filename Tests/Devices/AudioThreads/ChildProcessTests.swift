import Glibc
import Testing

@testable import AudioThreads

@Suite struct ChildProcessTests {
  @Test func `a pipe carries bytes and is closed in child processes`() throws {
    let (outlet, inlet) = try #require(Descriptor.pipe())
    #expect([outlet, inlet].map { fcntl($0.number, F_GETFD) } == [FD_CLOEXEC, FD_CLOEXEC])
    #expect(write(inlet.number, [7], 1) == 1)
    var byte: UInt8 = 0
    #expect(read(outlet.number, &byte, 1) == 1)
    #expect(byte == 7)
  }

  /// This runs in a separate process, because a program started by another test could inherit the
  /// inlet.
  @Test func `a descriptor is closed when its last reference is released`() async {
    await #expect(processExitsWith: .success) {
      var pipe = Descriptor.pipe()
      let copy = dup(try #require(pipe?.outlet.number))
      #expect(fcntl(copy, F_SETFL, O_NONBLOCK) == 0)
      var byte: UInt8 = 0
      #expect(read(copy, &byte, 1) == -1 && errno == EAGAIN)
      pipe = nil
      // The pipe has lost its only inlet, so the read returns the end of the file.
      #expect(read(copy, &byte, 1) == 0)
    }
  }

  /// Returns the output of a shell that was started while one of our descriptors was open.
  private func output(
    of script: [UInt8], variables: [String: [UInt8]] = [:]
  ) throws -> [UInt8] {
    let nothing = Descriptor(owning: open("/dev/null", O_RDWR))
    func start() throws -> (child: ChildProcess, outlet: Descriptor) {
      let (outlet, inlet) = try #require(Descriptor.pipe())
      let child = try ChildProcess(
        [Array("sh".utf8), Array("-c".utf8), script], input: nothing.number, output: inlet.number,
        errors: nothing.number, variables: variables)
      return (child, outlet)
    }
    let (child, outlet) = try start()
    var bytes = [UInt8](repeating: 0, count: 1_000)
    var count = 0
    while case let more = read(outlet.number, &bytes[count], bytes.count - count), more > 0 {
      count += more
    }
    #expect(child.wait() == 0)
    return Array(bytes.prefix(count))
  }

  @Test func `when a child process is released without a wait, its own children end, too`()
    throws
  {
    func start() throws -> Descriptor {
      let (outlet, inlet) = try #require(Descriptor.pipe())
      _ = try ChildProcess(
        [Array("sh".utf8), Array("-c".utf8), Array("sleep 1000 & wait".utf8)],
        input: 0, output: inlet.number, errors: inlet.number)
      return outlet
    }
    let outlet = try start()
    var byte: UInt8 = 0
    // The pipe ends when the last process that can write to it has ended.
    #expect(read(outlet.number, &byte, 1) == 0)
  }

  @Test func `a child's status is collected once, and no signal is sent afterward`() throws {
    let child = try ChildProcess(
      [Array("sh".utf8), Array("-c".utf8), Array("exit 3".utf8)], input: 0, output: 1, errors: 2)
    #expect(child.wait() == 3 << 8)
    child.kill(SIGKILL)
    #expect(child.wait() == 3 << 8 && child.status == 3 << 8)
    #expect(waitpid(child.identifier, nil, WNOHANG) == -1)
  }

  @Test func `a child process has only its standard descriptors and no blocked signal`() throws {
    // `exec` replaces the shell, because a waiting shell blocks signals itself.
    let listing = try output(of: Array("ls /proc/$$/fd; exec grep SigBlk /proc/self/status".utf8))
    #expect(String(decoding: listing, as: UTF8.self) == "0\n1\n2\nSigBlk:\t0000000000000000\n")
  }

  /// This runs in a separate process, because the children of other tests would inherit the
  /// descriptors.
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
        let listing = try ChildProcessTests().output(of: Array("ls /proc/$$/fd; :".utf8))
        #expect(String(decoding: listing, as: UTF8.self) == "0\n1\n2\n")
      }
      end.signal()
      await thread.join()
    }
  }

  @Test func `an argument that is not UTF-8 reaches the child unchanged`() throws {
    #expect(try output(of: Array("printf %s caf".utf8) + [0xE9]) == Array("caf".utf8) + [0xE9])
  }

  @Test func `a child has the given variables and the others of this process`() throws {
    let home = getenv("HOME").map { String(cString: $0) } ?? ""
    let text = try output(
      of: Array("printf %s: \"$LANG\" \"$NEW\" \"$HOME\"; env | grep -c ^LANG=".utf8),
      variables: ["LANG": Array("C".utf8), "NEW": [0xE9]])
    #expect(text == Array("C:".utf8) + [0xE9] + Array(":\(home):1\n".utf8))
  }

  @Test func `starting a missing program throws ENOENT`() {
    #expect(throws: SystemError(failure: "no program could be started", code: ENOENT)) {
      try ChildProcess([Array("no-such-program".utf8)], input: 0, output: 1, errors: 2)
    }
  }
}
