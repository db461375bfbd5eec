import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The diagnostics about invalid clients and entries, and the results of their fix-its.
@Suite struct ClientProblemsTests {
  @Test(arguments: ["class", "actor"])
  func `a client that is not a struct gets a diagnostic`(keyword: String) {
    expectDiagnostic(
      "@DependencyClient\n\(keyword) Client {\n}", with: ["DependencyClient"],
      DiagnosticSpec(
        message: """
          '@DependencyClient' can only be attached to a struct, whose copies a test can change one \
          endpoint of
          """, line: 2, column: 1,
        fixIts: [FixItSpec(message: "Replace '\(keyword)' with 'struct'")]),
      fixed: "@DependencyClient\nstruct Client {\n}")
  }

  @Test func `an enumeration cannot become a client`() {
    expectDiagnostic(
      "@DependencyClient enum Client {\n}", with: ["DependencyClient"],
      DiagnosticSpec(
        message: """
          '@DependencyClient' can only be attached to a struct, whose copies a test can change one \
          endpoint of
          """, line: 1, column: 1, fixIts: [FixItSpec(message: "Remove '@DependencyClient'")]),
      fixed: "enum Client {\n}")
  }

  @Test func `a property without a known type gets a diagnostic`() {
    expectDiagnostic(
      "@DependencyClient\nstruct Client {\n  var stop: () -> Void\n  var value = Value()\n}",
      with: ["DependencyClient"],
      DiagnosticSpec(
        message: """
          'value' needs a type annotation, because '@DependencyClient' writes an initializer with it
          """, line: 4, column: 7, fixIts: [FixItSpec(message: "Insert ': <#Type#>'")]),
      fixed: """
        @DependencyClient
        struct Client {
          var stop: () -> Void
          var value: <#Type#> = Value()
        }
        """)
  }

  @Test func `a @DependencyEntry outside an extension of DependencyValues gets a diagnostic`() {
    expectDiagnostic(
      "extension Other {\n  @DependencyEntry var client = Client()\n}",
      with: ["DependencyEntry"],
      DiagnosticSpec(
        message: Self.notAnEntry, line: 2, column: 3,
        fixIts: [FixItSpec(message: "Remove '@DependencyEntry'")]),
      fixed: "extension Other {\n  var client = Client()\n}")
  }

  @Test func `a @DependencyEntry declared with let gets a diagnostic`() {
    expectDiagnostic(
      "extension DependencyValues {\n  @DependencyEntry let client = Client()\n}",
      with: ["DependencyEntry"],
      DiagnosticSpec(
        message: Self.notAnEntry, line: 2, column: 3,
        fixIts: [FixItSpec(message: "Replace 'let' with 'var'")]),
      fixed: "extension DependencyValues {\n  @DependencyEntry var client = Client()\n}")
  }

  @Test func `a @DependencyEntry without a value gets a diagnostic`() {
    expectDiagnostic(
      "extension DependencyValues {\n  @DependencyEntry var client: Client\n}",
      with: ["DependencyEntry"],
      DiagnosticSpec(
        message: """
          '@DependencyEntry' needs the value of tests as the property's initial value, or a \
          'liveValue' to fall back on
          """, line: 2, column: 24,
        fixIts: [FixItSpec(message: "Insert '= <#test value#>'")]),
      fixed: """
        extension DependencyValues {
          @DependencyEntry var client: Client = <#test value#>
        }
        """)
  }

  @Test func `a static @DependencyEntry gets a diagnostic`() {
    expectDiagnostic(
      "extension DependencyValues {\n  @DependencyEntry static var client = Client()\n}",
      with: ["DependencyEntry"],
      DiagnosticSpec(
        message: """
          '@DependencyEntry' cannot be attached to a 'static' property, because each \
          'DependencyValues' has its own values
          """, line: 2, column: 20, fixIts: [FixItSpec(message: "Remove 'static'")]),
      fixed: "extension DependencyValues {\n  @DependencyEntry var client = Client()\n}")
  }

  @Test func `a key name that is not an identifier gets a diagnostic`() {
    expectDiagnostic(
      "extension DependencyValues {\n  @DependencyEntry(\"bad name\") public var a = A()\n}",
      with: ["DependencyEntry"],
      DiagnosticSpec(
        message: "The name of a key must be the name of a type, which 'bad name' is not", line: 2,
        column: 20, fixIts: [FixItSpec(message: "Replace with 'badname'")]),
      fixed: "extension DependencyValues {\n  @DependencyEntry(\"badname\") public var a = A()\n}")
  }

  @Test func `a key name that is not a literal gets a diagnostic`() {
    expectDiagnostic(
      "extension DependencyValues {\n  @DependencyEntry(name) public var a = A()\n}",
      with: ["DependencyEntry"],
      DiagnosticSpec(
        message: "The name of a key must be a string literal, because the macro cannot compute it",
        line: 2, column: 20, fixIts: [FixItSpec(message: "Replace with a string literal")]),
      fixed: "extension DependencyValues {\n  @DependencyEntry(\"<#name#>\") public var a = A()\n}")
  }

  private static let notAnEntry = """
    '@DependencyEntry' can only be attached to a stored 'var' in an extension of \
    'DependencyValues'
    """
}
