import Testing

/// Forms of endpoints that the other tests do not come to.
@Suite struct EndpointFormsTests {
  @Test func `a method may have a keyword's name, and no arguments`() {
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
}
