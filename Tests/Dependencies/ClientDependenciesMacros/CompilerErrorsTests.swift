import Foundation
import Testing

/// Mistakes that a macro cannot see, but that the compiler reports at the line of the declaration.
@Suite struct CompilerErrorsTests {
  @Test
  func `a client that is on the main actor by default gets an error that asks for nonisolated`()
    throws
  {
    let errors = try errors(
      in: """
        import ClientDependencies
        import ClientDependenciesMacros

        @DependencyClient
        struct Bell: Sendable {
          var ring: @Sendable () throws -> Void
        }
        """, options: ["-default-isolation", "MainActor"])
    #expect(errors.map(\.line) == [5])
    #expect(errors.allSatisfy { $0.message.contains("Mark the declaration 'nonisolated'") })
  }

  @Test
  func `an entry that is on the main actor by default gets an error that asks for nonisolated`()
    throws
  {
    let errors = try errors(
      in: """
        import ClientDependencies
        import ClientDependenciesMacros

        extension DependencyValues {
          @DependencyEntry
          var volume = 1.0
        }
        """, options: ["-default-isolation", "MainActor"])
    #expect(errors.contains { $0.line == 5 && $0.message.contains("Mark the declaration 'nonis") })
  }

  @Test(arguments: [
    """
    @DependencyClient
    nonisolated struct Bell: Sendable {
      var ring: @Sendable () throws -> Void
    }
    extension DependencyValues {
      @DependencyEntry
      nonisolated var bell = Bell()
    }
    """,
    """
    @MainActor
    @DependencyClient
    struct Screen {
      var draw: @MainActor () throws -> Void
    }
    """,
  ])
  func `a declaration with explicit isolation compiles`(declarations: String) throws {
    let source = "import ClientDependencies\nimport ClientDependenciesMacros\n\(declarations)"
    #expect(try errors(in: source, options: ["-default-isolation", "MainActor"]).isEmpty)
  }

  @Test func `an entry's value must be Sendable`() throws {
    let errors = try errors(
      in: """
        import ClientDependencies
        import ClientDependenciesMacros

        final class Box { var value = 0 }
        extension DependencyValues {
          @DependencyEntry
          var box = Box()
        }
        """)
    #expect(errors.contains { $0.line == 6 && $0.message.contains("'Sendable'") })
  }

  @Test(arguments: ["liveValue", "previewValue"])
  func `a value whose type differs from its entry is refused`(label: String) throws {
    let errors = try errors(
      in: """
        import ClientDependencies
        import ClientDependenciesMacros

        extension DependencyValues {
          @DependencyEntry(\(label): "loud")
          var volume: Double = 1
        }
        """)
    #expect(errors.contains { $0.line == 5 && $0.message.contains("'String'") })
  }

  private struct CompilerError {
    var line: Int
    var message: String
  }

  /// Returns the compiler's errors for a source that uses the macros of these tests.
  ///
  /// Errors inside an expansion are skipped, because they have no line in the source.
  private func errors(in source: String, options: [String] = []) throws -> [CompilerError] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(source.utf8).write(to: file)
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let plugin = products.appending(path: "ClientDependenciesMacrosPlugin-tool").path
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      ["swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm"]
      + ["-I", products.appending(path: "Modules").path]
      + ["-load-plugin-executable", "\(plugin)#ClientDependenciesMacrosPlugin"] + options
      + [file.path]
    let output = Pipe()
    compiler.standardError = output
    compiler.standardOutput = FileHandle.nullDevice
    try compiler.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    compiler.waitUntilExit()
    let errors = text.split(separator: "\n").filter { $0.contains(": error: ") }
    // Without errors, the compiler must have succeeded.
    #expect(errors.isEmpty == (compiler.terminationStatus == 0), "\(text)")
    return errors.filter { $0.hasPrefix(file.path) }.compactMap { error in
      let fields = error.split(separator: ":", maxSplits: 4)
      return Int(fields[1]).map { CompilerError(line: $0, message: String(fields[4])) }
    }
  }
}
