import AudioThreads

/// Standard output for data, standard error for people; both are written on a thread of their own,
/// in the order of the calls.
actor Console {
  private let executor: ThreadExecutor
  private let output: StandardDescriptor
  private let error: StandardDescriptor
  private var status = StatusLine()

  /// Whether people watch standard error.
  nonisolated let isWatched: Bool

  /// Starts the thread.
  init(output: StandardDescriptor = .output, error: StandardDescriptor = .error) throws {
    executor = try ThreadExecutor(name: "syrinx-console")
    self.output = output
    self.error = error
    isWatched = error.isTerminal
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes a line of data; at once, also into a pipe.
  func print(_ line: String) throws(OutputError) {
    show(status.clear())
    try output.write(line + "\n")
  }

  /// Writes a sentence for people.
  func report(_ sentence: String) {
    show(status.clear() + "syrinx: \(sentence)\n")
  }

  /// Writes a line for people who watch; nobody else gets it.
  func mention(_ line: String) {
    guard isWatched else { return }
    show(status.clear() + line + "\n")
  }

  /// Rewrites the last line for people who watch; nobody else gets it.
  func showStatus(_ text: String) {
    guard isWatched else { return }
    show(status.show(text, columns: error.columns))
  }

  /// The same for a text whose end matters most.
  func showVolatile(_ text: String) {
    showStatus(String(text.suffix(max(1, error.columns - 1))))
  }

  /// Leaves nothing of the line that was rewritten.
  func clearStatus() {
    show(status.clear())
  }

  /// Leaves the last line as it is.
  func keepStatus() {
    show(status.keep())
  }

  private func show(_ text: String) {
    // Where nobody can read it there is nobody to tell that it failed.
    do throws(OutputError) { try error.write(text) } catch {}
  }
}
