/// What no source may hold.
enum SourceRule: String, CaseIterable {
  /// A path that exists only on its author's machine.
  case machinePath
  case unfinishedWork
  case fatalError
  case forcedTry
  /// A test with numbers that cannot be reproduced.
  case unseededRandom
  /// Foundation's way with paths: that of a URL which is not UTF-8 is empty, and `~` is a folder.
  /// `FilePath` has bytes.
  case foundationPath
  /// A child process that `startProcess` did not start inherits what other threads open meanwhile.
  case spawning
  /// `Int(_: Double)` ends the process on a number that no `Int` holds: files, servers, clocks, and
  /// users have such numbers. `Int(clamping:)` takes any.
  case trappingNumber

  /// Files that may break a rule, each with its reason.
  var exceptions: Set<String> {
    switch self {
    case .machinePath, .unfinishedWork, .forcedTry, .trappingNumber: []
    // A value of `Never` cannot be returned, so it cannot be called by accident and needs no use.
    case .fatalError: ["Sources/Reducers/Reducer.swift"]
    case .unseededRandom:
      // Its own `shuffled()` takes its numbers from a dependency.
      ["Tests/DocumentationTests/Snippets/BuiltInValues.swift"]
    case .foundationPath:
      [
        // It is the other way.
        "Sources/FilePaths/FilePath.swift",
        // Its file is in the temporary folder.
        "Sources/SoundFile/Decoding/StreamInput.swift",
        // It looks for a program.
        "Sources/ClientDependencies/Values/OpenURL.swift",
        // Its paths are key paths.
        "Sources/Reducers/Stores/Store.swift",
        // It writes what a developer records for tests.
        "Sources/SyrinxTestSupport/Recordings/RecordingJournal.swift",
      ]
    case .spawning:
      [
        // It is `startProcess`.
        "Sources/AudioThreads/Processes.swift",
        // Its module imports no other of this package.
        "Sources/ClientDependencies/Values/OpenURL.swift",
      ]
    }
  }

  func isBroken(by file: SourceFile) -> Bool {
    guard !exceptions.contains(file.path) else { return false }
    return switch self {
    case .machinePath: Self.machineRoots.contains { file.text.contains($0) }
    case .unfinishedWork: ["TODO", "FIXME"].contains { file.text.contains($0) }
    case .fatalError: calls("fatalError", file)
    // With no space between: `try !isReady()` is something else.
    case .forcedTry: file.text.contains("try!")
    case .unseededRandom: file.path.hasPrefix("Tests/") && callsUnseededRandom(file)
    case .foundationPath:
      file.path.hasPrefix("Sources/")
        && code(of: file).contains { line in
          Self.foundationPaths.contains { line.contains($0) }
        }
    case .spawning:
      file.path.hasPrefix("Sources/")
        && ["posix_spawn", "posix_spawnp", "popen", "Process"].contains { calls($0, file) }
    case .trappingNumber: file.path.hasPrefix("Sources/") && convertsAnyNumber(file)
    }
  }

  /// Whether an integer is made of a rounded number or a time without a label.
  private func convertsAnyNumber(_ file: SourceFile) -> Bool {
    let tokens = SwiftTokenizer.tokens(of: file.text)
    let integers = ["Int", "Int64", "Int32", "UInt", "UInt64", "UInt32"].map { SwiftToken.word($0) }
    return tokens.indices.dropLast(2).contains { index in
      guard integers.contains(tokens[index]), tokens[index + 1] == .mark("(") else { return false }
      let labels = ["clamping", "exactly"].map { SwiftToken.word($0) }
      guard !labels.contains(tokens[index + 2]) else { return false }
      let arguments = arguments(tokens[(index + 1)...])
      return ["rounded", "inSeconds"].contains { arguments.contains(.word($0)) }
    }
  }

  private static let foundationPaths = [
    "URL(filePath:", "fileURLWithPath", "url.path", ".lastPathComponent", ".deletingPathExtension",
    ".deletingLastPathComponent", ".appending(path:", ".appendingPathComponent",
    "temporaryDirectory", "FileHandle(for", "(contentsOf: url", ".write(to:", "ofItem(atPath",
  ]

  /// The lines that are no comments.
  private func code(of file: SourceFile) -> [Substring] {
    file.text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
  }

  private static let machineRoots = ["/home/", "/root/", "/Users/", "/work/", "/opt/swift"]

  private func callsUnseededRandom(_ file: SourceFile) -> Bool {
    let tokens = SwiftTokenizer.tokens(of: file.text)
    let choosing = ["random", "randomElement", "shuffle", "shuffled"].map { SwiftToken.word($0) }
    return tokens.indices.dropLast().contains { index in
      let isCall = tokens[index + 1] == .mark("(")
      let isDeclared = index > 0 && tokens[index - 1] == .word("func")
      guard isCall, !isDeclared, choosing.contains(tokens[index]) else { return false }
      return !arguments(tokens[(index + 1)...]).contains(.word("using"))
    }
  }

  /// The text between the first parenthesis and its partner.
  private func arguments(_ tokens: ArraySlice<SwiftToken>) -> ArraySlice<SwiftToken> {
    var depth = 0
    return tokens.prefix { token in
      if token == .mark("(") { depth += 1 }
      if token == .mark(")") { depth -= 1 }
      return depth > 0
    }
  }

  private func calls(_ function: String, _ file: SourceFile) -> Bool {
    let tokens = SwiftTokenizer.tokens(of: file.text)
    return zip(tokens, tokens.dropFirst()).contains {
      $0 == .word(function) && $1 == .mark("(")
    }
  }
}
