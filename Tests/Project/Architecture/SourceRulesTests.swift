import Testing

@Suite struct SourceRulesTests {
  @Test(arguments: SourceRule.allCases)
  func `no source file breaks the given rule`(rule: SourceRule) throws {
    let sources = try ["Sources", "Samples", "Tests"].flatMap(SourceFile.files)
      .filter { $0.path.hasSuffix(".swift") || $0.path.hasSuffix(".h") }
      // The tests of this folder contain the forbidden texts.
      .filter { !$0.path.hasPrefix("Tests/Project/Architecture/") }
    #expect(sources.filter(rule.isBroken).map(\.path) == [])
  }

  @Test(arguments: [
    (SourceRule.machinePath, "let model = \"/home/ada/model\""),
    (.machinePath, "// see /work/notes"),
    (.unfinishedWork, "// TODO: finish"),
    (.unfinishedWork, "/* FIXME */"),
    (.fatalError, "guard ready else { fatalError(\"no\") }"),
    (.fatalError, "fatalError  ()"),
    (.forcedTry, "let x = try! load()"),
    (.trappingNumber, "let x = Int((time.inSeconds * 10).rounded())"),
    (.trappingNumber, "let x = Int64(max(0, number.rounded()))"),
    (.unseededRandom, "let x = Int.random(in: 0..<max(1, 2)), y = using"),
    (.unseededRandom, "let x = [1, 2].randomElement()"),
    (.unseededRandom, "let x = [1, 2].shuffled()"),
    (.foundationPath, "let file = open(url.path, O_RDONLY)"),
    (.foundationPath, "  play(URL(filePath: name))"),
    (.spawning, "let process = Process()"),
    (.spawning, "posix_spawnp(&id, name, nil, nil, words, environ)"),
    (.closureInLock, "let reader = Mutex<(@Sendable () -> Void)?>(nil)"),
    (.closureInLock, "let state: Mutex<(store: () -> Int32, began: Duration?)>"),
    (
      .closureInLock,
      "let state = Mutex<\n  (names: [Int: [String]], stop: (() -> Void)?)\n>(([:], nil))"
    ),
    (.foundationTrait, "let volumes = LockIsolated<[Float]>([])"),
    (.foundationTrait, "@Dependency(\\.openURL) var openURL"),
    (.riddle, "/// Ends, also if it failed."),
    (.riddle, "  // Reads at most so\n  // many bytes."),
  ])
  func `a file that breaks the rule is reported`(rule: SourceRule, text: String) {
    #expect(rule.isBroken(by: file(rule, text)))
  }

  @Test(arguments: [
    (SourceRule.machinePath, "let model = \"/usr/share/pocketsphinx\""),
    (.trappingNumber, "let x = Int(clamping: time.inSeconds), y = Int(text)"),
    (.fatalError, "// no fatalError(here)"), (.fatalError, "let fatalError = 1"),
    (.unseededRandom, "let x = Int.random(in: 0..<max(1, 2), using: &numbers)"),
    (.forcedTry, "try load(); let a = !b"), (.unfinishedWork, "let todo = 1"),
    (.foundationPath, "  /// player.play(url: URL(filePath: name))"),
    (.foundationPath, "FilePath(url).pathExtension"),
    (.closureInLock, "let action: Lock<Box<() -> Void>?>"),
    (.closureInLock, "let calls = Mutex<(count: Int, interrupts: [Int: () -> Void])>((0, [:]))"),
    (.closureInLock, "func change(_ lock: Mutex<Int>, _ body: () -> Void)"),
    (.foundationTrait, "/// Like a `LockIsolated`."), (.foundationTrait, "var openURL = true"),
    (.riddle, "/// Ends even if it failed."), (.riddle, "let text = \"also if \""),
  ])
  func `a file that only resembles a violation is permitted`(rule: SourceRule, text: String) {
    #expect(!rule.isBroken(by: file(rule, text)))
  }

  /// Creates a file with this text in a folder that the rule covers.
  private func file(_ rule: SourceRule, _ text: String) -> SourceFile {
    SourceFile(
      path: rule == .unseededRandom ? "Tests/ATests/A.swift" : "Sources/Audio/A/A.swift",
      text: text)
  }
}
