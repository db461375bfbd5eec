/// What takes a transcript line by line.
protocol LineOutput: Sendable {
  /// Writes a line and a line feed.
  func print(_ line: String) async throws
}

extension Console: LineOutput {}
