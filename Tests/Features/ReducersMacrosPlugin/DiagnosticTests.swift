import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Diagnostics about sources that the macros cannot be applied to, and their locations.
@Suite struct DiagnosticTests {
  private static let macros: [String: any Macro.Type] = [
    "CasePathable": CasePathableMacro.self, "ObservableState": ObservableStateMacro.self,
    "Presents": PresentsMacro.self, "Reducer": ReducerMacro.self,
    "ViewAction": ViewActionMacro.self,
  ]

  /// Expects exactly these diagnostics about a source.
  private func expect(
    _ diagnostics: DiagnosticSpec..., of source: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    assertMacroExpansion(
      source, expandedSource: "", diagnostics: diagnostics,
      macroSpecs: Self.macros.mapValues { MacroSpec(type: $0) }, indentationWidth: .spaces(2),
      failureHandler: { failure in
        // If the source is faulty, its expansion does not matter.
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
  func `a feature that is not a struct gets a diagnostic`(keyword: String) {
    expect(
      DiagnosticSpec(
        message: """
          '@Reducer' can be attached only to a struct or an enumeration: write \
          'struct Counter'
          """, line: 1, column: 1),
      of: "@Reducer\n\(keyword) Counter {\n}")
  }

  @Test func `a reduce function next to a body gets a diagnostic, because the body never runs`() {
    expect(
      DiagnosticSpec(
        message: """
          'reduce' replaces 'body', which never runs: move its logic into a 'Reduce' of 'body'
          """, line: 6, column: 8),
      of: """
        @Reducer
        struct Counter {
          struct State {}
          enum Action {}
          var body: some ReducerOf<Self> { EmptyReducer() }
          func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
        }
        """)
  }

  @Test func `ViewAction on a type without a store property gets a diagnostic`() {
    expect(
      DiagnosticSpec(
        message: "'@ViewAction' sends to the property 'store': add 'let store: StoreOf<Feature>'",
        line: 1, column: 1),
      of: "@ViewAction(for: Counter.self)\nstruct Screen {\n}")
  }

  @Test func `case paths of a type that is not an enumeration get a diagnostic`() {
    expect(
      DiagnosticSpec(
        message: """
          '@CasePathable' can only be attached to an enumeration
          """, line: 1, column: 1),
      of: "@CasePathable\nstruct Action {\n}")
  }

  @Test func `two cases with the same name get a diagnostic`() {
    expect(
      DiagnosticSpec(
        message: """
          two cases are named 'add', and their key paths would be ambiguous; rename one of them
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
  func `a presented property that is not stored and optional gets a diagnostic`(property: String) {
    expect(
      DiagnosticSpec(
        message: """
          '@Presents' keeps one stored, optional property: write '@Presents var sheet: Edit.State?'
          """, line: 2, column: 3),
      of: "struct State {\n  @Presents \(property)\n}")
  }

  @Test func `observable state that is not a struct or enumeration gets a diagnostic`() {
    expect(
      DiagnosticSpec(
        message: """
          '@ObservableState' marks a struct or an enumeration: write 'struct State'
          """, line: 1, column: 1),
      of: "@ObservableState\nclass State {\n}")
  }
}
