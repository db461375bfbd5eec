import ArgumentParser
import AudioCore
import AudioThreads
import ClientDependencies
import Glibc

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
      words != nil, "--exec: a quotation mark or a backslash at the end of the command is open.")
    try require(words?.first?.isEmpty == false, "--exec needs a command, such as 'wtype -'.")
  }

  /// Returns the command; nil without `--exec`.
  func command(reportingTo console: Console) -> EventCommand? {
    words.map { EventCommand(words: $0, name: exec ?? $0[0], console: console) }
  }

  private var words: [String]? {
    exec.flatMap { execShell ? ["/bin/sh", "-c", $0] : commandWords($0) }
  }

  /// The help on the command; `input` describes its standard input and its variables.
  static func help(_ input: String) -> String {
    """
    --exec runs a command for each \(input). Quotation marks and backslashes group words, as in a \
    shell. Commands run one at a time, and never delay the audio: of more than \
    \(EventCommand.queueLimit) waiting events, the oldest are dropped. Failures, drops, and a command \
    that takes 10 s are reported. At the end, the command has 5 s; then it is terminated.
    """
  }
}

/// Splits a command line into words, as a shell does without expanding anything; nil if a quotation
/// mark or a backslash at the end is open.
func commandWords(_ line: String) -> [String]? {
  var (words, word) = ([String](), String?.none)
  var (quote, isEscaped) = (Character?.none, false)
  for character in line {
    if isEscaped {
      word = (word ?? "") + String(character)
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
  /// The time after which a running command is reported.
  private static let usualTime = Duration.seconds(10)
  /// The time that the command has at the end before it is terminated.
  private static let finalTime = Duration.seconds(5)
  /// The time between SIGTERM and SIGKILL.
  private static let killTime = Duration.seconds(1)

  private typealias Event = (text: String, variables: [String: [UInt8]])

  private let words: [String]
  /// The command's name in messages.
  private let name: String
  private let console: Console
  private let clock: any Clock<Duration>
  private var waiting: [Event] = []
  private var droppedCount = 0
  private var running: ChildProcess?
  private var work: Task<Void, Never>?

  /// Creates a runner for a program and its arguments; `name` is its name in messages.
  init(words: [String], name: String, console: Console) {
    @Dependency(\.continuousClock) var clock
    (self.words, self.name, self.console, self.clock) = (words, name, console, clock)
  }

  /// Runs the command for an event after those for earlier events; returns at once.
  ///
  /// - Parameters:
  ///   - text: the command's standard input, and the value of the variables `names`.
  ///   - names: the names of environment variables.
  func run(for text: String, as names: String...) async {
    await run(for: text, variables: names.map { ($0, Array(text.utf8)) })
  }

  /// Runs the command with `variables` in its environment.
  func run(for text: String, variables: [(name: String, value: [UInt8])]) async {
    waiting.append((text, Dictionary(variables) { $1 }))
    let isFull = waiting.count > Self.queueLimit
    if isFull { waiting.removeFirst() }
    if work == nil { work = Task { await runWaiting() } }
    guard isFull else { return }
    droppedCount += 1
    if droppedCount == 1 {
      await report("is slower than the events; the oldest are dropped")
    }
  }

  /// Waits for the command, or terminates it after a limited time.
  func finish() async {
    guard let work else { return }
    let deadline = Task {
      try await clock.sleep(for: Self.finalTime)
      await terminate()
    }
    await work.value
    deadline.cancel()
  }

  private func runWaiting() async {
    while !waiting.isEmpty { await run(waiting.removeFirst()) }
    let count = droppedCount
    (work, droppedCount) = (nil, 0)
    if count > 0 { await report("did not run for \(count.counted("event"))") }
  }

  private func run(_ event: Event) async {
    do {
      let process = try start(event)
      running = process
      let watch = Task {
        try await clock.sleep(for: Self.usualTime)
        await report("still runs after \(Self.usualTime.secondsText); later events wait")
      }
      defer { watch.cancel() }
      let status = try await DedicatedThread.run(name: "syrinx-exec") { process.wait() }
      running = nil
      if status != 0 { await report(Self.sentence(onStatus: status)) }
    } catch {
      running = nil
      await report("cannot be run: \(error)")
    }
  }

  private func start(_ event: Event) throws -> ChildProcess {
    guard let pipe = Descriptor.pipe() else {
      throw CommandFailure("no pipe could be opened (errno \(errno))")
    }
    let process = try ChildProcess(
      words.map { Array($0.utf8) }, input: pipe.outlet.number, output: 1, errors: 2,
      variables: event.variables)
    // The thread ends when the command reads the text, closes its standard input, or ends.
    _ = try DedicatedThread.start(name: "syrinx-exec-text") { [inlet = pipe.inlet] in
      _ = Array(event.text.utf8).withUnsafeBytes { writeAll($0, to: inlet.number) }
    }
    return process
  }

  private func terminate() async {
    droppedCount += waiting.count
    waiting = []
    running?.kill(SIGTERM)
    await report("still runs at the end and is terminated")
    try? await clock.sleep(for: Self.killTime)
    running?.kill(SIGKILL)
  }

  private func report(_ what: String) async {
    await console.report("the command \"\(name)\" \(what)")
  }

  private static func sentence(onStatus status: Int32) -> String {
    let signal = status & 0x7F
    return signal == 0
      ? "failed with status \(status >> 8 & 0xFF)" : "was ended by signal \(signal)"
  }
}
