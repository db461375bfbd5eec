import Testing

/// Types of parameters and results that the other tests do not cover.
@Suite struct EndpointTypesTests {
  @Test func `tuple arguments are passed on as tuples`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var split: (_ pair: (Int, name: String)) -> (Int, [String])?
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var split: (_ pair: (Int, name: String)) -> (Int, [String])? {
            @storageRestrictions(initializes: _implementation_split)
            init(initialValue) {
              _implementation_split = initialValue
            }
            get {
              if _implementation_split != nil {
                return _implementation_split!
              }
              return _standIn_split()
            }
            set {
              _implementation_split = newValue
            }
          }

          func split(pair p0: (Int, name: String), fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (Int, [String])? {
            if _implementation_split != nil {
              return _implementation_split!(p0)
            }
            return _standIn_split(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload func split(pair p0: (Int, name: String)) -> (Int, [String])? {
            if _implementation_split != nil {
              return _implementation_split!(p0)
            }
            return _standIn_split()(p0)
          }

          private var _implementation_split: ((_ pair: (Int, name: String)) -> (Int, [String])?)? = nil

          @inline(never) private func _standIn_split(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ pair: (Int, name: String)) -> (Int, [String])? {
            Self._unimplemented_split(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).split", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_split(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ pair: (Int, name: String)) -> (Int, [String])? {
            return { _ in
              __endpoint.report()
              return nil
            }
          }
        }
        """#)
  }

  @Test func `a default may be a tuple`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var sort: (_ range: (Int, Int)) -> (low: Int, high: Int) = { $0 }
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var sort: (_ range: (Int, Int)) -> (low: Int, high: Int) {
            get {
              if _implementation_sort != nil {
                return _implementation_sort!
              }
              return _standIn_sort()
            }
            set {
              _implementation_sort = newValue
            }
          }

          func sort(range p0: (Int, Int), fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (low: Int, high: Int) {
            if _implementation_sort != nil {
              return _implementation_sort!(p0)
            }
            return _standIn_sort(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload func sort(range p0: (Int, Int)) -> (low: Int, high: Int) {
            if _implementation_sort != nil {
              return _implementation_sort!(p0)
            }
            return _standIn_sort()(p0)
          }

          private var _implementation_sort: ((_ range: (Int, Int)) -> (low: Int, high: Int))? = nil

          @inline(never) private func _standIn_sort(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ range: (Int, Int)) -> (low: Int, high: Int) {
            Self._unimplemented_sort(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).sort", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_sort(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ range: (Int, Int)) -> (low: Int, high: Int) {
            return {
              __endpoint.report()
              return $0
            }
          }
        }
        """#)
  }

  @Test func `endpoints may use the type parameter of their client`() {
    expectExpansion(
      of: #"""
        struct Store<Item> {
          @DependencyEndpoint var add: (_ item: Item, _ at: [Item].Index) throws -> Box<Item>
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Store<Item> {
          var add: (_ item: Item, _ at: [Item].Index) throws -> Box<Item> {
            @storageRestrictions(initializes: _implementation_add)
            init(initialValue) {
              _implementation_add = initialValue
            }
            get {
              if _implementation_add != nil {
                return _implementation_add!
              }
              return _standIn_add()
            }
            set {
              _implementation_add = newValue
            }
          }

          func add(item p0: Item, at p1: [Item].Index, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) throws -> Box<Item> {
            if _implementation_add != nil {
              return try _implementation_add!(p0, p1)
            }
            return try _standIn_add(fileID: fileID, filePath: filePath, line: line, column: column)(p0, p1)
          }

          @_disfavoredOverload func add(item p0: Item, at p1: [Item].Index) throws -> Box<Item> {
            if _implementation_add != nil {
              return try _implementation_add!(p0, p1)
            }
            return try _standIn_add()(p0, p1)
          }

          private var _implementation_add: ((_ item: Item, _ at: [Item].Index) throws -> Box<Item>)? = nil

          @inline(never) private func _standIn_add(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ item: Item, _ at: [Item].Index) throws -> Box<Item> {
            Self._unimplemented_add(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).add", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_add(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ item: Item, _ at: [Item].Index) throws -> Box<Item> {
            return { _, _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `endpoint types may be nested types`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var send: (_ route: Server.Route) throws -> [Server.Reply.Body]
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var send: (_ route: Server.Route) throws -> [Server.Reply.Body] {
            @storageRestrictions(initializes: _implementation_send)
            init(initialValue) {
              _implementation_send = initialValue
            }
            get {
              if _implementation_send != nil {
                return _implementation_send!
              }
              return _standIn_send()
            }
            set {
              _implementation_send = newValue
            }
          }

          func send(route p0: Server.Route, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) throws -> [Server.Reply.Body] {
            if _implementation_send != nil {
              return try _implementation_send!(p0)
            }
            return try _standIn_send(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload func send(route p0: Server.Route) throws -> [Server.Reply.Body] {
            if _implementation_send != nil {
              return try _implementation_send!(p0)
            }
            return try _standIn_send()(p0)
          }

          private var _implementation_send: ((_ route: Server.Route) throws -> [Server.Reply.Body])? = nil

          @inline(never) private func _standIn_send(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ route: Server.Route) throws -> [Server.Reply.Body] {
            Self._unimplemented_send(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).send", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_send(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ route: Server.Route) throws -> [Server.Reply.Body] {
            return { _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }
}
