/// What no source may hold.
enum SourceRule: String, CaseIterable {
  /// A path that exists only on the machine of whoever wrote it.
  case machinePath
  case unfinishedWork
  case fatalError
  case forcedTry

  /// Files that may break a rule, each with its reason.
  var exceptions: Set<String> {
    switch self {
    case .machinePath, .unfinishedWork, .fatalError, .forcedTry: []
    }
  }

  func isBroken(by file: SourceFile) -> Bool {
    guard !exceptions.contains(file.path) else { return false }
    return switch self {
    case .machinePath: Self.machineRoots.contains { file.text.contains($0) }
    case .unfinishedWork: ["TODO", "FIXME"].contains { file.text.contains($0) }
    case .fatalError: holds([.word("fatalError"), .mark("(")], file)
    // With no space between: `try !isReady()` is something else.
    case .forcedTry: file.text.contains("try!")
    }
  }

  private static let machineRoots = ["/home/", "/root/", "/Users/", "/work/", "/opt/swift"]

  private func holds(_ pair: [SwiftToken], _ file: SourceFile) -> Bool {
    let tokens = SwiftTokenizer.tokens(of: file.text)
    return zip(tokens, tokens.dropFirst()).contains { [$0, $1] == pair }
  }
}
