import AudioThreads
import FilePaths

/// Standard output for data, standard error for people; both are written on a thread of their own,
/// in the order of the calls.
actor Console {
  private let executor: ThreadExecutor
  private let output: StandardDescriptor
  private let error: StandardDescriptor
  private let hurry: WakeUp?
  private var status: StatusLine

  /// Whether people watch standard error.
  nonisolated let isWatched: Bool

  /// Starts the thread.
  ///
  /// - Parameter hurry: once it is signalled, readers that take nothing for a second are waited for
  ///   no longer.
  init(
    output: StandardDescriptor = .output, error: StandardDescriptor = .error, hurry: WakeUp? = nil
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-console")
    self.output = output
    self.error = error
    self.hurry = hurry
    isWatched = error.isTerminal
    status = StatusLine(isStyled: error.isStyled)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes a line of data; at once, also into a pipe.
  func print(_ line: String) throws(OutputError) {
    show(status.clear())
    try output.write(line + "\n", hurry: hurry)
  }

  /// Writes a sentence for people.
  func report(_ sentence: String) {
    show(status.clear() + "syrinx: \(sentence.printable)\n")
  }

  /// Writes a line for people who watch; nobody else gets it, and nothing is waited for then.
  nonisolated func mention(_ line: String) async {
    if isWatched { await show(line: line) }
  }

  /// Rewrites the last line for people who watch; nobody else gets it, and nothing is waited for
  /// then.
  nonisolated func showStatus(_ text: String) async {
    if isWatched { await show(status: text) }
  }

  /// The same for a text whose end matters most, and of which the tail, dim, may still change.
  nonisolated func showVolatile(_ stable: String, tail: String = "") async {
    if isWatched { await show(stable, tail: tail) }
  }

  /// Leaves nothing of the line that was rewritten.
  func clearStatus() {
    show(status.clear())
  }

  /// Leaves the last line as it is.
  func keepStatus() {
    show(status.keep())
  }

  private func show(line: String) {
    show(status.clear() + line.printable + "\n")
  }

  private func show(status text: String) {
    show(status.show(text.printable, columns: error.columns))
  }

  private func show(_ stable: String, tail: String) {
    show(status.show(stable.printable, tail: tail.printable, columns: error.columns))
  }

  private func show(_ text: String) {
    // Where nobody can read it there is nobody to tell that it failed.
    do throws(OutputError) { try error.write(text, hurry: hurry) } catch {}
  }
}
