import ArgumentParser
import AudioCore
import AudioThreads
import ClientDependencies
import Glibc
import Synchronization

/// The options that run a command for each event.
struct ExecOptions: ParsableArguments {
  @Option(
    help: .value(
      "command",
      "Command to run for each final text, complete file, or rise of the level, without a shell."))
  var exec: String?

  @Flag(help: "Run the command of --exec in sh, for variables, pipes, and lists.")
  var execShell = false

  func validate() throws {
    try require(exec != nil || !execShell, "--exec-shell requires --exec.")
    guard exec != nil else { return }
    try require(
      words != nil, "--exec: the command ends inside quotation marks or after a backslash.")
    try require(words?.first?.isEmpty == false, "--exec needs a command, such as 'wtype -'.")
  }

  /// Returns the command; nil without `--exec`.
  ///
  /// A second stop signal kills it. `gracePeriod` is the time that it has at the end; nil for no
  /// limit.
  func command(
    gracePeriod: Duration? = EventCommand.gracePeriod, in context: CommandContext
  ) -> EventCommand? {
    guard let exec, let words else { return nil }
    let command = EventCommand(
      words: words, name: exec, gracePeriod: gracePeriod, console: context.console)
    context.signals.beforeExit { command.kill() }
    return command
  }

  private var words: [String]? {
    exec.flatMap { execShell ? ["/bin/sh", "-c", $0] : commandWords($0) }
  }

  /// The help on the command.
  ///
  /// `input` describes its standard input and its variables, and `end` its end.
  static func help(
    _ input: String, end: String = "At the end, a running command gets 5 s, then SIGTERM."
  ) -> String {
    """
    --exec runs a command for each \(input). Its output goes to standard error. Commands run one at \
    a time, and never delay the audio. At most \(EventCommand.queueLimit) events wait; beyond that, \
    the oldest are dropped. \(end)
    """
  }
}

/// Splits a command line into words, as a shell does without expanding anything; nil if the line
/// ends inside quotation marks or after a backslash.
func commandWords(_ line: String) -> [String]? {
  var (words, word) = ([String](), String?.none)
  var (quote, isEscaped) = (Character?.none, false)
  for character in line {
    if isEscaped {
      // Between double quotation marks, a backslash escapes only these characters.
      let isLiteral = quote != nil && !"$`\"\\\n".contains(character)
      word = (word ?? "") + (isLiteral ? "\\" : "") + String(character)
      isEscaped = false
    } else if character == "\\", quote != "'" {
      isEscaped = true
    } else if character == quote {
      quote = nil
    } else if quote == nil, character == "'" || character == "\"" {
      (quote, word) = (character, word ?? "")
    } else if quote == nil, character.isWhitespace {
      if let word { words.append(word) }
      word = nil
    } else {
      word = (word ?? "") + String(character)
    }
  }
  if let word { words.append(word) }
  return quote == nil && !isEscaped ? words : nil
}

/// Runs a command for each event, one at a time and in order, without delaying the events.
actor EventCommand {
  /// The maximum number of events that wait for the command.
  static let queueLimit = 32
  /// The time that a command usually has at the end before it is terminated.
  static let gracePeriod = Duration.seconds(5)
  /// The time after which a running command is reported.
  private static let reportDelay = Duration.seconds(10)
  /// The time between SIGTERM and SIGKILL.
  private static let killDelay = Duration.seconds(1)

  private typealias Event = (text: String, variables: [String: [UInt8]])

  private struct Running {
    var process: ChildProcess?
    /// Whether the command must end; a program that starts later is killed.
    var isEnding = false
  }

  private let words: [String]
  /// The command's name in messages.
  private let name: String
  private let gracePeriod: Duration?
  private let console: Console
  private let clock: any Clock<Duration>
  // The lock is held to change or read the state, and to send a signal.
  private nonisolated let running = Mutex(Running())
  private var waiting: [Event] = []
  private var droppedCount = 0
  /// The number of events for which the program could not be started.
  private var failedStartCount = 0
  private var work: Task<Void, Never>?
  /// Ends the command after the grace period; nil until `finish`.
  private var deadline: Task<Void, any Error>?

  /// Creates a runner for a program and its arguments; `name` is its name in messages.
  ///
  /// `gracePeriod` is the time that `finish` waits before it terminates the program; nil for no
  /// limit.
  init(
    words: [String], name: String, gracePeriod: Duration? = EventCommand.gracePeriod,
    console: Console
  ) {
    @Dependency(\.continuousClock) var clock
    (self.words, self.name, self.gracePeriod) = (words, name, gracePeriod)
    (self.console, self.clock) = (console, clock)
  }

  /// Runs the command for an event after those for earlier events; returns at once.
  ///
  /// - Parameters:
  ///   - text: the command's standard input.
  ///   - bytes: the value of the variables `names`; nil for the bytes of `text`.
  ///   - names: the names of environment variables.
  func run(for text: String, bytes: [UInt8]? = nil, as names: String...) async {
    let value = bytes ?? Array(text.utf8)
    waiting.append((text, Dictionary(uniqueKeysWithValues: names.map { ($0, value) })))
    let isFull = waiting.count > Self.queueLimit
    if isFull { waiting.removeFirst() }
    if work == nil { work = Task { await runWaiting() } }
    guard isFull else { return }
    droppedCount += 1
    if droppedCount == 1 { await report("cannot keep up; the oldest events are dropped") }
  }

  /// Waits for the command, and terminates it after the grace period.
  func finish() async {
    if let work {
      deadline = Task {
        guard let gracePeriod else {
          try await clock.sleep(for: Self.reportDelay)
          return await report("still runs; press Ctrl-C to end it")
        }
        try await clock.sleep(for: gracePeriod)
        await terminate()
      }
      await work.value
      deadline?.cancel()
    }
    guard failedStartCount > 1 else { return }
    await report("could not be run for \(failedStartCount.counted("event"))")
  }

  /// Terminates the command if `finish` waits for it; returns whether it does.
  func interrupt() -> Bool {
    guard deadline != nil else { return false }
    deadline?.cancel()
    deadline = Task { await terminate() }
    return true
  }

  /// Kills the command and its children; call it before this process exits.
  nonisolated func kill() {
    running.withLock { running in
      running.isEnding = true
      running.process?.kill(SIGKILL)
    }
  }

  private func runWaiting() async {
    while !waiting.isEmpty { await run(waiting.removeFirst()) }
    let count = droppedCount
    (work, droppedCount) = (nil, 0)
    if count > 0 { await report("did not run for \(count.counted("event"))") }
  }

  private func run(_ event: Event) async {
    let watch = Task {
      try await clock.sleep(for: Self.reportDelay)
      await report("still runs after \(Self.reportDelay.secondsText); later events wait")
    }
    defer { watch.cancel() }
    do {
      let status = try await DedicatedThread.run(name: "syrinx-exec") {
        try self.runToEnd(event.text, event.variables)
      }
      guard status != 0, !running.withLock(\.isEnding) else { return }
      await report(Self.sentence(onStatus: status))
    } catch {
      failedStartCount += 1
      if failedStartCount == 1 { await report("cannot be run: \(reason(of: error))") }
    }
  }

  /// Runs the program on this thread; returns its status from `waitpid`.
  private nonisolated func runToEnd(
    _ text: String, _ variables: [String: [UInt8]]
  ) throws -> Int32 {
    let input = try Self.pipe(containing: text)
    // The program's output must not mix with the data on standard output.
    let process = try withExtendedLifetime(input) {
      try ChildProcess(
        words.map { Array($0.utf8) }, input: input.number, output: 2, errors: 2,
        variables: variables)
    }
    running.withLock { running in
      running.process = process
      if running.isEnding { process.kill(SIGKILL) }
    }
    defer { running.withLock { $0.process = nil } }
    return process.wait()
  }

  /// The C constant `F_SETPIPE_SZ`, which Swift's Glibc module lacks.
  private static let setPipeSize: Int32 = 1_031

  /// Returns the outlet of a pipe that contains a text, followed by the end of the stream.
  ///
  /// A pipe contains up to 1 MiB, which exceeds the system's limit on a variable.
  private static func pipe(containing text: String) throws -> Descriptor {
    guard let pipe = Descriptor.pipe() else {
      throw CommandFailure("no pipe could be opened (errno \(errno))")
    }
    let bytes = Array(text.utf8)
    if bytes.count > 65_536 {
      _ = fcntl(pipe.inlet.number, setPipeSize, Int32(clamping: bytes.count))
    }
    // The command does not read yet, so a write must not wait for room.
    _ = fcntl(pipe.inlet.number, F_SETFL, O_NONBLOCK)
    withExtendedLifetime(pipe.inlet) {
      _ = bytes.withUnsafeBytes { write(pipe.inlet.number, $0.baseAddress, $0.count) }
    }
    return pipe.outlet
  }

  private func terminate() async {
    droppedCount += waiting.count
    waiting = []
    let process = running.withLock { running in
      running.isEnding = true
      return running.process
    }
    guard let process else { return }
    await report("still runs at the end and is terminated")
    process.kill(SIGTERM)
    try? await clock.sleep(for: Self.killDelay)
    process.kill(SIGKILL)
  }

  private func report(_ what: String) async {
    await console.report("the command \"\(name)\" \(what)")
  }

  private func reason(of error: any Error) -> String {
    switch (error as? SystemError)?.code {
    case ENOENT: "there is no such program" + (words[0].contains("/") ? "" : " on the PATH")
    case EACCES: "this user may not run it; check its permissions"
    default: "\(error)"
    }
  }

  private static func sentence(onStatus status: Int32) -> String {
    let signal = status & 0x7F
    return signal == 0
      ? "failed with status \(status >> 8 & 0xFF)" : "was ended by signal \(signal)"
  }
}

extension EventCommand? {
  /// Runs `body`, and then waits for the command, even if `body` throws.
  func finishing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      let result = try await body()
      await self?.finish()
      return result
    } catch {
      await self?.finish()
      throw error
    }
  }
}
