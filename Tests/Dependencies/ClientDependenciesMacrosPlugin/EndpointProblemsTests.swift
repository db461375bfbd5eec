import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The diagnostics about invalid endpoints, and the results of their fix-its.
@Suite struct EndpointProblemsTests {
  private func expectProblem(
    _ endpoint: String, _ message: String, column: Int, severity: DiagnosticSeverity = .error,
    fixIt: String, fixed: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    expectDiagnostic(
      "struct Client {\n  @DependencyEndpoint \(endpoint)\n}", with: ["DependencyEndpoint"],
      DiagnosticSpec(
        message: message, line: 2, column: column, severity: severity,
        fixIts: [FixItSpec(message: fixIt)]),
      fixed: "struct Client {\n  \(fixed)\n}", sourceLocation: sourceLocation)
  }

  @Test func `a nonthrowing function with a result needs a default`() {
    expectProblem(
      "var count: @Sendable (_ id: Int, Bool) -> Int",
      """
      Endpoint 'count' needs a default, because it returns a value and cannot throw

      An unimplemented call reports an issue and then returns what the default gives. \
      Any value will do: 'false' where it returns a Boolean, '[]' where it returns an array.
      """, column: 27, fixIt: "Insert '= { _, _ in <#Int#> }'",
      fixed:
        "@DependencyEndpoint var count: @Sendable (_ id: Int, Bool) -> Int = { _, _ in <#Int#> }")
  }

  @Test func `a function with a result and throws(Never) needs a default`() {
    expectProblem(
      "var flag: () throws(Never) -> Bool",
      """
      Endpoint 'flag' needs a default, because it returns a value and cannot throw

      An unimplemented call reports an issue and then returns what the default gives. \
      Any value will do: 'false' where it returns a Boolean, '[]' where it returns an array.
      """, column: 27, fixIt: "Insert '= { <#Bool#> }'",
      fixed: "@DependencyEndpoint var flag: () throws(Never) -> Bool = { <#Bool#> }")
  }

  @Test func `a default must be a closure`() {
    expectProblem(
      "var count: (Int) -> Int = count",
      "The default of endpoint 'count' must be a closure literal", column: 49,
      fixIt: "Replace with '{ _ in <#Int#> }'",
      fixed: "@DependencyEndpoint var count: (Int) -> Int = { _ in <#Int#> }")
  }

  @Test func `a fix-it removes an unnecessary default, such as a call of unimplemented`() {
    expectProblem(
      "var count: (Int) throws -> Int = unimplemented(\"count\")",
      """
      The default of endpoint 'count' must be a closure literal; 'unimplemented' is not needed, \
      the macro reports the issue
      """, column: 56, fixIt: "Remove '= unimplemented(\"count\")'",
      fixed: "@DependencyEndpoint var count: (Int) throws -> Int")
  }

  @Test func `a default that ends the process gets a warning`() {
    expectProblem(
      "var count: () -> Int = { fatalError(\"no\") }",
      """
      The default of endpoint 'count' ends the process, and with it all tests and previews

      An unimplemented call reports an issue first, so that any value will do here: \
      'false' where it returns a Boolean, '[]' where it returns an array.
      """, column: 48, severity: .warning,
      fixIt: "Wrap it in a closure that is called, to silence this warning",
      fixed: "@DependencyEndpoint var count: () -> Int = { { fatalError(\"no\") }() }")
  }

  @Test func `an endpoint declared with let gets a diagnostic`() {
    expectProblem(
      "let stop: () -> Void",
      "Endpoint 'stop' must be a 'var', so that tests can override it", column: 23,
      fixIt: "Replace 'let' with 'var'", fixed: "@DependencyEndpoint var stop: () -> Void")
  }

  @Test(arguments: ["static", "lazy"])
  func `a static endpoint gets a diagnostic`(modifier: String) {
    expectProblem(
      "\(modifier) var stop: () -> Void",
      """
      Endpoint 'stop' cannot be '\(modifier)', because each client has its own endpoints, which \
      a test can override
      """, column: 23, fixIt: "Remove '\(modifier)'",
      fixed: "@DependencyEndpoint var stop: () -> Void")
  }

  @Test func `a property that cannot be an endpoint still gets an accessor`() {
    expectExpansion(
      of: "struct Client {\n  @DependencyEndpoint static var stop: () -> Void\n}",
      with: ["DependencyEndpoint"],
      to: """
        struct Client {
          static var stop: () -> Void {
            get {
              Swift.fatalError()
            }
          }
        }
        """,
      diagnostics: [
        DiagnosticSpec(
          message: """
            Endpoint 'stop' cannot be 'static', because each client has its own endpoints, \
            which a test can override
            """, line: 2, column: 23, fixIts: [FixItSpec(message: "Remove 'static'")])
      ])
  }

  @Test func `an endpoint without its required default is still expanded completely`() {
    expectExpansion(
      of: "struct Client {\n  @DependencyEndpoint var count: (Int) -> Int\n}",
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var count: (Int) -> Int {
            @storageRestrictions(initializes: _implementation_count)
            init(initialValue) {
              _implementation_count = initialValue
            }
            get {
              if _implementation_count != nil {
                return _implementation_count!
              }
              return _standIn_count()
            }
            set {
              _implementation_count = newValue
            }
          }

          private var _implementation_count: ((Int) -> Int)? = nil

          @inline(never) private func _standIn_count(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (Int) -> Int {
            Self._unimplemented_count(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).count", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_count(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (Int) -> Int {
            return { _ in
              Swift.fatalError()
            }
          }
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: """
            Endpoint 'count' needs a default, because it returns a value and cannot throw

            An unimplemented call reports an issue and then returns what the default \
            gives. Any value will do: 'false' where it returns a Boolean, '[]' where it returns an \
            array.
            """, line: 2, column: 27,
          fixIts: [FixItSpec(message: "Insert '= { _ in <#Int#> }'")])
      ])
  }

  @Test func `an endpoint with accessors gets a diagnostic`() {
    expectProblem(
      "var stop: () -> Void { get { log } }",
      """
      Endpoint 'stop' cannot have its own accessors, because \
      '@DependencyEndpoint' writes its accessors
      """, column: 44, fixIt: "Remove the accessors",
      fixed: "@DependencyEndpoint var stop: () -> Void")
  }

  @Test(arguments: [
    "var name = \"name\"", "var name: String", "var names: [String]", "func stop() {}",
  ])
  func `a property that is not a function is not an endpoint`(declaration: String) {
    expectProblem(
      declaration,
      """
      '@DependencyEndpoint' can only be attached to a 'var' whose type is written out and is a \
      function type or a type alias of one
      """, column: 3, fixIt: "Remove '@DependencyEndpoint'", fixed: declaration)
  }

  @Test func `a method name that is not a literal gets a diagnostic`() {
    expectDiagnostic(
      "struct Client {\n  @DependencyEndpoint(method: name()) var a: () -> Void\n}",
      with: ["DependencyEndpoint"],
      DiagnosticSpec(
        message: "'method' must be a string literal, because the macro cannot compute it", line: 2,
        column: 31, fixIts: [FixItSpec(message: "Replace with a string literal")]),
      fixed: "struct Client {\n  @DependencyEndpoint(method: \"<#name#>\") var a: () -> Void\n}")
  }

  @Test func `a method name that is not an identifier gets a diagnostic`() {
    expectDiagnostic(
      "struct Client {\n  @DependencyEndpoint(method: \"~ok~\") var a: () -> Void\n}",
      with: ["DependencyEndpoint"],
      DiagnosticSpec(
        message: "'method' must be the name of a function, which '~ok~' is not", line: 2,
        column: 31, fixIts: [FixItSpec(message: "Replace with 'ok'")]),
      fixed: "struct Client {\n  @DependencyEndpoint(method: \"ok\") var a: () -> Void\n}")
  }

  @Test func `a custom method name for an aliased endpoint gets a diagnostic`() {
    expectDiagnostic(
      "struct Client {\n  @DependencyEndpoint(method: \"go\") var run: Run\n}",
      with: ["DependencyEndpoint"],
      DiagnosticSpec(
        message: """
          'method' has no effect on endpoint 'run', because its type does not show the parameters \
          that the method would have; write the function type out
          """, line: 2, column: 23, fixIts: [FixItSpec(message: "Remove the arguments")]),
      fixed: "struct Client {\n  @DependencyEndpoint var run: Run\n}")
  }

  @Test func `a custom method name for a variadic endpoint gets a diagnostic`() {
    expectDiagnostic(
      "struct Client {\n  @DependencyEndpoint(method: \"go\") var run: (_ all: Int...) -> Void\n}",
      with: ["DependencyEndpoint"],
      DiagnosticSpec(
        message: """
          'method' has no effect on endpoint 'run', because a method cannot pass variadic arguments \
          on
          """, line: 2, column: 23, fixIts: [FixItSpec(message: "Remove the arguments")]),
      fixed: "struct Client {\n  @DependencyEndpoint var run: (_ all: Int...) -> Void\n}")
  }
}
