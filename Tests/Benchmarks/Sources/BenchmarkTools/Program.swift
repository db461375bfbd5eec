import Foundation

/// A program that was started.
package struct Program: Sendable {
  /// The resources that a program has used.
  package struct Cost: Sendable {
    /// The CPU time in seconds, in user mode and in the kernel.
    package var seconds: Double
    package var status: Int32
    /// The peak resident memory in bytes; at least the resident memory that this process had when
    /// it started the program.
    package var peakBytes: Int
  }

  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
      self.description = description
    }
  }

  /// The path of the measured command, built by `Packaging/build.sh`.
  package static let syrinx =
    (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    .appending(path: ".build/small/release/syrinx").path

  package let arguments: [String]
  private let id: pid_t

  /// Starts a program by its name or path, with additional environment variables.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - variables: the additional variables, which override those of this process.
  ///   - isSilent: whether to discard standard output.
  package init(
    _ arguments: [String], variables: [String: String] = [:], isSilent: Bool = false
  ) throws {
    self.arguments = arguments
    let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    let words = arguments.map { strdup($0) } + [nil]
    let settings = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + settings { free(word) } }
    var id = pid_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if isSilent { posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) }
    let code = posix_spawnp(&id, arguments[0], &actions, nil, words, settings)
    guard code == 0 else {
      throw Failure(description: "\(arguments[0]): \(String(cString: strerror(code)))")
    }
    self.id = id
  }

  /// Waits for the end of the program and returns its cost; blocks the thread.
  package func cost() throws -> Cost {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0 {
      guard errno == EINTR else {
        throw Failure(description: "\(arguments[0]) cannot be waited for")
      }
    }
    return Cost(
      seconds: usage.ru_utime.inSeconds + usage.ru_stime.inSeconds, status: status,
      peakBytes: usage.ru_maxrss * 1_024)
  }

  /// Asks the program to end.
  package func interrupt() {
    kill(id, SIGINT)
  }

  /// Returns the number of resident bytes now, including those of libraries.
  package func residentBytes() throws -> Int { try Self.residentBytes(of: "\(id)") }

  /// A kind of memory of a process, named as in `/proc`.
  package enum Memory: String {
    /// The peak resident memory so far, including mapped files.
    case peak = "VmHWM"
    /// The resident memory that the process has allocated itself.
    case allocated = "RssAnon"
    /// The resident memory, including that of libraries.
    case resident = "VmRSS"
  }

  /// Returns the size of this kind of memory in bytes now.
  package func bytes(of memory: Memory) throws -> Int {
    try Self.bytes(memory.rawValue, of: "\(id)")
  }

  /// Makes the resident memory of now the peak so far.
  package func forgetPeak() throws {
    try "5".write(toFile: "/proc/\(id)/clear_refs", atomically: false, encoding: .utf8)
  }

  /// Returns the CPU time so far in seconds, in user mode and in the kernel.
  package func processorSeconds() throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    // The name, in parentheses, may contain spaces. The times are the 14th and 15th fields.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw Failure(description: "/proc/\(id)/stat has no times")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Returns the sizes of this kind of memory in bytes, read five times per second.
  ///
  /// The call blocks the thread until the program ends.
  package func history(of memory: Memory) -> [Int] {
    var figures: [Int] = []
    while let bytes = try? Self.bytes(memory.rawValue, of: "\(id)") {
      figures.append(bytes)
      usleep(200_000)
    }
    return figures
  }

  /// Starts a program and waits for its end.
  @discardableResult
  package static func run(
    _ arguments: [String], variables: [String: String] = [:], isSilent: Bool = false
  ) throws -> Cost {
    let cost = try Program(arguments, variables: variables, isSilent: isSilent).cost()
    guard cost.status == 0 else {
      throw Failure(description: "\(arguments.joined(separator: " ")) failed (\(cost.status))")
    }
    return cost
  }

  /// Runs a program to its end and returns its standard output.
  package static func output(_ arguments: [String]) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(arguments.joined(separator: " ")) failed")
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the resident bytes of a process, named as in `/proc`.
  package static func residentBytes(of process: String) throws -> Int {
    try bytes("VmRSS", of: process)
  }

  private static func bytes(_ field: String, of process: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
    let words = line?.split(whereSeparator: \.isWhitespace) ?? []
    guard words.count > 1, let kibibytes = Int(words[1]) else {
      throw Failure(description: "/proc/\(process)/status has no \(field)")
    }
    return kibibytes * 1_024
  }
}

extension timeval {
  fileprivate var inSeconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
