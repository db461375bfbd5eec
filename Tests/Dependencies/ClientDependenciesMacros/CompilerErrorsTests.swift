import TestTools
import Testing

/// Mistakes that a macro cannot see, but that the compiler reports at the line of the declaration.
@Suite struct CompilerErrorsTests {
  @Test
  func `a client isolated to the main actor by default gets an error that suggests nonisolated`()
    throws
  {
    let errors = try CompilerError.all(
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
  func `an entry isolated to the main actor by default gets an error that suggests nonisolated`()
    throws
  {
    let errors = try CompilerError.all(
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
    #expect(
      try CompilerError.all(in: source, options: ["-default-isolation", "MainActor"]).isEmpty)
  }

  @Test func `the value of a @DependencyEntry must be Sendable`() throws {
    let errors = try CompilerError.all(
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
  func `a value whose type differs from the entry's type does not compile`(label: String) throws {
    let errors = try CompilerError.all(
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
}
