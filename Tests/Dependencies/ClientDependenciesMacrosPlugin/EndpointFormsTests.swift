import SwiftDiagnostics
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Forms of endpoints that the other tests do not cover.
@Suite struct EndpointFormsTests {
  @Test func `a method without arguments may have a keyword as its name`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint(method: "`class`")
          package var kind: () throws -> (Data, Server.Route)
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          package var kind: () throws -> (Data, Server.Route) {
            @storageRestrictions(initializes: _implementation_kind)
            init(initialValue) {
              _implementation_kind = initialValue
            }
            get {
              if _implementation_kind != nil {
                return _implementation_kind!
              }
              return _standIn_kind()
            }
            set {
              _implementation_kind = newValue
            }
          }

          package func `class`(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) throws -> (Data, Server.Route) {
            if _implementation_kind != nil {
              return try _implementation_kind!()
            }
            return try _standIn_kind(fileID: fileID, filePath: filePath, line: line, column: column)()
          }

          @_disfavoredOverload package func `class`() throws -> (Data, Server.Route) {
            if _implementation_kind != nil {
              return try _implementation_kind!()
            }
            return try _standIn_kind()()
          }

          private var _implementation_kind: (() throws -> (Data, Server.Route))? = nil

          @inline(never) private func _standIn_kind(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> () throws -> (Data, Server.Route) {
            Self._unimplemented_kind(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).kind", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_kind(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> () throws -> (Data, Server.Route) {
            return {
              throw __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `a variadic endpoint gets no method, because a method cannot forward its arguments`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint
          var log: (_ items: Int...) -> Never = { _ in fatalError() }
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var log: (_ items: Int...) -> Never {
            get {
              if _implementation_log != nil {
                return _implementation_log!
              }
              return _standIn_log()
            }
            set {
              _implementation_log = newValue
            }
          }

          private var _implementation_log: ((_ items: Int...) -> Never)? = nil

          @inline(never) private func _standIn_log(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ items: Int...) -> Never {
            Self._unimplemented_log(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).log", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_log(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ items: Int...) -> Never {
            return { _ in
              __endpoint.report()
              fatalError()
            }
          }
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: """
            Endpoint 'log' gets no method with these labels, because a method cannot pass variadic \
            arguments on; take an array instead
            """, line: 3, column: 13, severity: .warning,
          fixIts: [FixItSpec(message: "Remove the labels to silence this warning")]),
        DiagnosticSpec(
          message: """
            The default of endpoint 'log' ends the process, and with it all tests and previews

            An unimplemented call reports an issue first, so that any value will do \
            here: 'false' where it returns a Boolean, '[]' where it returns an array.
            """, line: 3, column: 48, severity: .warning,
          fixIts: [
            FixItSpec(message: "Wrap it in a closure that is called, to silence this warning")
          ]),
      ])
  }
}
