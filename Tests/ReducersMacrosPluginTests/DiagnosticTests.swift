import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import ReducersMacrosPlugin

/// What the macros say about sources that they cannot be applied to, and where.
@Suite struct DiagnosticTests {
  private static let macros: [String: any Macro.Type] = [
    "CasePathable": CasePathableMacro.self, "ObservableState": ObservableStateMacro.self,
    "Presents": PresentsMacro.self, "Reducer": ReducerMacro.self,
  ]

  /// Expects that the macros say exactly these things about a source.
  private func expect(
    _ diagnostics: DiagnosticSpec..., of source: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    assertMacroExpansion(
      source, expandedSource: "", diagnostics: diagnostics,
      macroSpecs: Self.macros.mapValues { MacroSpec(type: $0) }, indentationWidth: .spaces(2),
      failureHandler: { failure in
        // What a faulty source expands to is not the point.
        guard !failure.message.hasPrefix("Macro expansion did not produce") else { return }
        Issue.record(Comment(rawValue: failure.message), sourceLocation: sourceLocation)
      })
  }

  @Test func `a complete feature gets no diagnostic`() {
    expect(
      of: """
        @Reducer
        struct Counter {
          @ObservableState
          struct State {
            @Presents var sheet: Edit.State?
          }
          enum Action { case increment }
          var body: some ReducerOf<Self> { EmptyReducer() }
        }
        """)
  }

  @Test(arguments: ["class", "actor"])
  func `a feature is a struct`(keyword: String) {
    expect(
      DiagnosticSpec(
        message: """
          '@Reducer' makes a feature of a struct, or destinations of an enumeration: write \
          'struct Counter'
          """, line: 1, column: 1),
      of: "@Reducer\n\(keyword) Counter {\n}")
  }

  @Test func `a feature without logic is told what to add`() {
    expect(
      DiagnosticSpec(
        message: """
          'Counter' has no logic: add 'var body: some ReducerOf<Self>' with reducers, or \
          'func reduce(into state: inout State, action: Action) -> Effect<Action>'
          """, line: 2, column: 8),
      of: """
        @Reducer
        struct Counter {
          struct State {}
          enum Action {}
        }
        """)
  }

  @Test func `a feature without its types is told what to add`() {
    expect(
      DiagnosticSpec(
        message: "'Counter' lacks a type 'State': add 'struct State {}' to it", line: 2, column: 8),
      DiagnosticSpec(
        message: "'Counter' lacks a type 'Action': add 'enum Action {}' to it", line: 2, column: 8),
      of: """
        @Reducer
        struct Counter {
          var body: some ReducerOf<Self> { EmptyReducer() }
        }
        """)
  }

  @Test(arguments: ["edit", "edit(Edit, Int)"])
  func `a destination without exactly one value is told what it needs`(element: String) {
    expect(
      DiagnosticSpec(
        message: """
          the case 'edit' needs one value, a feature or an alert, as in 'case edit(Edit)'
          """, line: 4, column: 8),
      of: """
        @Reducer
        enum Destination {
          case add(Add)
          case \(element)
        }
        """)
  }

  @Test func `only an enumeration has case paths`() {
    expect(
      DiagnosticSpec(
        message: """
          '@CasePathable' gives key paths to cases: only an enumeration has some
          """, line: 1, column: 1),
      of: "@CasePathable\nstruct Action {\n}")
  }

  @Test func `two cases of one name are told apart by their names alone`() {
    expect(
      DiagnosticSpec(
        message: """
          two cases are named 'add': a key path could be either; rename one of them
          """, line: 4, column: 8),
      of: """
        @CasePathable
        enum Action {
          case add(Int)
          case add(String)
        }
        """)
  }

  @Test(arguments: [
    "let sheet: Edit.State?", "var sheet: Edit.State", "var sheet = Edit.State()",
    "var sheet: Edit.State? { nil }",
  ])
  func `what is presented is one stored, optional property`(property: String) {
    expect(
      DiagnosticSpec(
        message: """
          '@Presents' keeps one stored, optional property: write '@Presents var sheet: Edit.State?'
          """, line: 2, column: 3),
      of: "struct State {\n  @Presents \(property)\n}")
  }

  @Test func `only a struct or an enumeration is observable state`() {
    expect(
      DiagnosticSpec(
        message: """
          '@ObservableState' marks a struct or an enumeration: write 'struct State'
          """, line: 1, column: 1),
      of: "@ObservableState\nclass State {\n}")
  }
}
