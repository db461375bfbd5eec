/// A rule for sources, named after what it forbids.
enum SourceRule: String, CaseIterable {
  /// A path that exists only on one developer's machine.
  case machinePath
  case unfinishedWork
  case fatalError
  case forcedTry
  /// A test with random numbers that cannot be reproduced.
  case unseededRandom
  /// A path made with Foundation, which returns an empty path for a URL that is not UTF-8, and
  /// expands `~`.
  ///
  /// `FilePath` keeps the bytes.
  case foundationPath
  /// A child process that `ChildProcess` did not start, so it may inherit other threads' files.
  case spawning
  /// A conversion with `Int(_: Double)`, which ends the process if the number is too large for
  /// `Int`.
  ///
  /// Such numbers come from files, servers, clocks, and users. `Int(clamping:)` accepts all of
  /// them.
  case trappingNumber
  /// A lock whose value is a closure, or a tuple with a closure.
  ///
  /// Each `withLock` wraps the closure in another closure, until a call or the release overflows
  /// the stack. A closure in a struct is not wrapped.
  case closureInLock
  /// A name that `ClientDependencies` has only with the trait `Foundation`, in a module of the
  /// command, which is built without that trait.
  case foundationTrait
  /// A comment or test name that an engineer has to read twice.
  case riddle

  /// The files that may break a rule, with the reason for each.
  var exceptions: Set<String> {
    switch self {
    case .machinePath, .unfinishedWork, .forcedTry, .trappingNumber, .closureInLock,
      .foundationTrait, .riddle:
      []
    // In `Reducer.swift`, the call is never reached, because a body of type `Never` cannot exist.
    // The other files contain Swift source as strings, to test a macro.
    case .fatalError:
      [
        "Sources/Features/Reducers/Reducer.swift",
        "Tests/Dependencies/ClientDependenciesMacrosPlugin/EndpointFormsTests.swift",
        "Tests/Dependencies/ClientDependenciesMacrosPlugin/EndpointProblemsTests.swift",
      ]
    case .unseededRandom:
      // The file defines this `shuffled()` itself, with a dependency's random numbers.
      ["Tests/Project/Documentation/Snippets/BuiltInValues.swift"]
    case .foundationPath:
      [
        // Converts between `FilePath` and URLs.
        "Sources/Audio/FilePaths/FilePath.swift",
        // Creates a file in the temporary folder.
        "Sources/Audio/SoundFile/Decoding/StreamInput.swift",
        // Calls `write` of an audio stream, not of Foundation.
        "Sources/Audio/SoundFile/TeedAudio.swift",
        // Looks for a program.
        "Sources/Dependencies/ClientDependencies/Values/OpenURL.swift",
        // Takes a URL from its users, like swift-sharing.
        "Sources/Features/Reducers/Sharing/FileStorageKey.swift",
        // Uses key paths, not file paths.
        "Sources/Features/Reducers/Stores/Store.swift",
        // Writes what a developer records for tests.
        "Sources/SyrinxTestSupport/Recordings/RecordingJournal.swift",
      ]
    case .spawning:
      [
        // Implements `ChildProcess`.
        "Sources/Devices/AudioThreads/ChildProcess.swift",
        // Belongs to a module that imports no other module of this package.
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
    // `Swift.fatalError` does not match, because it occurs only in code that macros generate.
    case .fatalError: hasCall(/[^\w.]fatalError *\(/, file)
    // The space in `try !isReady()` distinguishes it from a forced try.
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
      isSource && Self.lockedTypes(file).contains { $0.contains("->") }
    case .foundationTrait:
      Self.commandAreas.contains { file.path.hasPrefix("Sources/\($0)/") }
        && file.code.contains { $0.contains(Self.foundationTraitName) }
    case .riddle:
      (isSource ? [file.comments] : file.testNames).contains { text in
        Self.riddles.contains { text.contains($0) }
      }
    }
  }

  /// Returns whether the file contains a call that begins with the pattern and whose arguments
  /// satisfy the predicate.
  private func hasCall(
    _ beginning: Regex<Substring>, _ file: SourceFile,
    with areSuch: (Substring) -> Bool = { _ in true }
  ) -> Bool {
    // Begins with a line break, so that a character precedes every name.
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

  /// Returns the types of the values of all locks, without the contents of nested brackets.
  private static func lockedTypes(_ file: SourceFile) -> [String] {
    let code = file.code.joined(separator: "\n")
    return code.ranges(of: /\b(?:Mutex|Lock|LockIsolated)</).map { range in
      var type = ""
      var depth = 1
      var previous: Character = " "
      for character in code[range.upperBound...] {
        let endsArrow = previous == "-" && character == ">"
        previous = character
        if "<[".contains(character) { depth += 1 }
        if character == "]" || character == ">" && !endsArrow { depth -= 1 }
        if depth == 0 { break }
        if depth == 1 { type.append(character) }
      }
      return type
    }
  }

  private static let commandAreas = [
    "Audio", "Command", "Devices", "Playing", "Recording", "Server", "Speech",
  ]

  private static var foundationTraitName: Regex<Substring> {
    /\b(?:LockIsolated|ActorIsolated)\b|\\\.(?:openURL|urlSession|notificationCenter|mainRunLoop)\b/
  }

  private static let foundationPaths = [
    "URL(filePath:", "fileURLWithPath", "url.path", ".lastPathComponent", ".deletingPathExtension",
    ".deletingLastPathComponent", ".appending(path:", ".appendingPathComponent",
    "temporaryDirectory", "FileHandle(for", "(contentsOf: url", ".write(to:", "ofItem(atPath",
  ]

  /// Phrases to replace, for example by "even if", a parameter's name, "should repeat", or the
  /// subject.
  private static let riddles = [
    "also if ", "also when ", "also while ", "so many ", " is to be ", " are to be ", "whoever ",
    "what is available ", "what is left ", "believes ", "believed ", " in vain",
    " for good", "so that not ", "lives on",
  ]

  private static let machineRoots = ["/home/", "/root/", "/Users/", "/work/", "/opt/swift"]
}
