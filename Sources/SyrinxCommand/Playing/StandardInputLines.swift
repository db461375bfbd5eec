import AudioThreads

/// The lines of standard input, read on a thread of their own.
enum StandardInputLines {
  /// The lines as they come, until the end of the input.
  ///
  /// The thread ends with the input or with the process: nothing else ends a read of a terminal.
  static func start() throws(ThreadError) -> AsyncStream<String> {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    _ = try DedicatedThread.start(name: "syrinx-control") {
      while let text = readLine() { line.yield(text) }
      line.finish()
    }
    return lines
  }
}
