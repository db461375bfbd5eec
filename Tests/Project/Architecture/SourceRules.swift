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
  /// A child process that `ChildProcess` did not start inherits what other threads open meanwhile.
  case spawning
  /// `Int(_: Double)` ends the process on a number that no `Int` holds: files, servers, clocks, and
  /// users have such numbers. `Int(clamping:)` takes any.
  case trappingNumber
  /// A lock whose value is a closure, or a tuple with one: each `withLock` wraps the closure in
  /// another, until its call or its release overflows the stack. A struct holds it as it is.
  case closureInLock
  /// A comment or test name that an engineer reads twice.
  case riddle

  /// Files that may break a rule, each with its reason.
  var exceptions: Set<String> {
    switch self {
    case .machinePath, .unfinishedWork, .forcedTry, .trappingNumber, .closureInLock, .riddle: []
    // A value of `Never` cannot be returned, so it cannot be called by accident and needs no use.
    // The texts of tests for a macro are Swift, too.
    case .fatalError:
      [
        "Sources/Features/Reducers/Reducer.swift",
        "Tests/Dependencies/ClientDependenciesMacrosPlugin/EndpointFormsTests.swift",
        "Tests/Dependencies/ClientDependenciesMacrosPlugin/EndpointProblemsTests.swift",
      ]
    case .unseededRandom:
      // Its own `shuffled()` takes its numbers from a dependency.
      ["Tests/Project/Documentation/Snippets/BuiltInValues.swift"]
    case .foundationPath:
      [
        // It is the other way.
        "Sources/Audio/FilePaths/FilePath.swift",
        // Its file is in the temporary folder.
        "Sources/Audio/SoundFile/Decoding/StreamInput.swift",
        // It looks for a program.
        "Sources/Dependencies/ClientDependencies/Values/OpenURL.swift",
        // Its users name a file by a URL, as with swift-sharing.
        "Sources/Features/Reducers/Sharing/FileStorageKey.swift",
        // Its paths are key paths.
        "Sources/Features/Reducers/Stores/Store.swift",
        // It writes what a developer records for tests.
        "Sources/SyrinxTestSupport/Recordings/RecordingJournal.swift",
      ]
    case .spawning:
      [
        // It is `ChildProcess`.
        "Sources/Devices/AudioThreads/ChildProcess.swift",
        // Its module imports no other of this package.
        "Sources/Dependencies/ClientDependencies/Values/OpenURL.swift",
      ]
    }
  }

  func isBroken(by file: SourceFile) -> Bool {
    guard !exceptions.contains(file.path) else { return false }
    let isSource = file.path.hasPrefix("Sources/")
    return switch self {
    case .machinePath: Self.machineRoots.contains { file.text.contains($0) }
    case .unfinishedWork: file.text.contains(/TODO|FIXME/)
    // A name with a module before it is only in the texts of macros.
    case .fatalError: hasCall(/[^\w.]fatalError *\(/, file)
    // With no space between: `try !isReady()` is something else.
    case .forcedTry: file.text.contains("try!")
    case .unseededRandom:
      file.path.hasPrefix("Tests/")
        && hasCall(/\.(?:random|randomElement|shuffle|shuffled)\(/, file) { !$0.contains("using:") }
    case .foundationPath:
      isSource && file.code.contains { line in Self.foundationPaths.contains { line.contains($0) } }
    case .spawning: isSource && hasCall(/[^\w](?:posix_spawnp?|popen|Process)\(/, file)
    case .trappingNumber:
      isSource
        && hasCall(/[^\w]U?Int(?:64|32)?\((?!clamping:|exactly:)/, file) {
          $0.contains("rounded") || $0.contains("inSeconds")
        }
    case .closureInLock:
      isSource && file.code.contains { $0.contains(/(?:Mutex|Lock|LockIsolated)<[(@][^<>\[]*->/) }
    case .riddle:
      (isSource ? [file.comments] : file.testNames).contains { text in
        Self.riddles.contains { text.contains($0) }
      }
    }
  }

  /// Whether the file has a call that begins with the pattern, and whose arguments are such.
  private func hasCall(
    _ beginning: Regex<Substring>, _ file: SourceFile,
    with areSuch: (Substring) -> Bool = { _ in true }
  ) -> Bool {
    // A line break first, so that every name has a character before it.
    let code = "\n" + file.code.joined(separator: "\n")
    return code.ranges(of: beginning).contains { range in
      var depth = 1
      return areSuch(
        code[range.upperBound...].prefix { character in
          if character == "(" { depth += 1 }
          if character == ")" { depth -= 1 }
          return depth > 0
        })
    }
  }

  private static let foundationPaths = [
    "URL(filePath:", "fileURLWithPath", "url.path", ".lastPathComponent", ".deletingPathExtension",
    ".deletingLastPathComponent", ".appending(path:", ".appendingPathComponent",
    "temporaryDirectory", "FileHandle(for", "(contentsOf: url", ".write(to:", "ofItem(atPath",
  ]

  /// Each has a plain replacement: "even if", the parameter's name, "should repeat", the subject.
  private static let riddles = [
    "also if ", "also when ", "also while ", "so many ", " is to be ", " are to be ", "whoever ",
    "what is available ", "what is left ", "believes ", "believed ", " in vain",
    " for good", "so that not ", "lives on",
  ]

  private static let machineRoots = ["/home/", "/root/", "/Users/", "/work/", "/opt/swift"]
}
