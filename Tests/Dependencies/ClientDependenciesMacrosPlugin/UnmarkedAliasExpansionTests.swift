import Testing

/// Tests properties whose types are names, such as aliases, that the macro cannot look up.
@Suite struct UnmarkedAliasExpansionTests {
  @Test func `the type checker determines whether a parameter is a function`() {
    expectExpansion(
      of: """
        @DependencyClient
        public struct Client {
          public var fetch: Shapes.Fetch
          public var config: Config = .init()
          public let id: ID
          public var stop: () -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        public struct Client {
          public var fetch: Shapes.Fetch
          public var config: Config = .init()
          public let id: ID
          @DependencyEndpoint
          public var stop: () -> Void

          private var _issueOrigin: ClientDependencies.IssueOrigin = ._current { (client: inout Self, origin: ClientDependencies.IssueOrigin) in
            client._issueOrigin = origin
          }

          private static func _checkIsolation() {
            #sourceLocation(file: "test.swift", line: 2)
            let isolation = ClientDependenciesMacros._Checks.isolation(of: _checkIsolation)
            #sourceLocation(file: "test.swift", line: 2)
            ClientDependenciesMacros._Checks.isNonisolated(isolation)
            #sourceLocation()
          }

          public init<_TypeOf_fetch: ClientDependenciesMacros._ParameterType, _TypeOf_config: ClientDependenciesMacros._ParameterType, _TypeOf_id: ClientDependenciesMacros._ParameterType>(
            fetch: _TypeOf_fetch.Kept,
            config: _TypeOf_config.Kept = Self._initialValue(config: ()),
            id: _TypeOf_id.Kept,
            stop: @escaping () -> Void,
            _: _TypeOf_fetch.Type = ClientDependenciesMacros._TypeOfParameter<Shapes.Fetch>.self,
            _: _TypeOf_config.Type = ClientDependenciesMacros._TypeOfParameter<Config>.self,
            _: _TypeOf_id.Type = ClientDependenciesMacros._TypeOfParameter<ID>.self
          ) where _TypeOf_fetch.Kept == Shapes.Fetch, _TypeOf_config.Kept == Config, _TypeOf_id.Kept == ID {
            self.fetch = fetch
            self.config = config
            self.id = id
            self._implementation_stop = stop
          }

          public init<_TypeOf_fetch: ClientDependenciesMacros._ParameterType, _TypeOf_config: ClientDependenciesMacros._ParameterType, _TypeOf_id: ClientDependenciesMacros._ParameterType>(
            fetch: _TypeOf_fetch.Kept = #_ClientDependenciesMacros_unimplementedEndpoint("Client.fetch"),
            config: _TypeOf_config.Kept = Self._initialValue(config: ()),
            id: _TypeOf_id.Kept,
            _: _TypeOf_fetch.Type = ClientDependenciesMacros._TypeOfParameter<Shapes.Fetch>.self,
            _: _TypeOf_config.Type = ClientDependenciesMacros._TypeOfParameter<Config>.self,
            _: _TypeOf_id.Type = ClientDependenciesMacros._TypeOfParameter<ID>.self
          ) where _TypeOf_fetch.Kept == Shapes.Fetch, _TypeOf_config.Kept == Config, _TypeOf_id.Kept == ID {
            self.fetch = fetch
            self.config = config
            self.id = id
          }

          @usableFromInline static func _initialValue(config _: Void) -> Config {
            .init()
          }
        }
        """)
  }

  @Test func `a type that cannot be an alias of a function type gets no placeholder`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client<Item> {
          struct State {
          }
          var state: State
          var item: Item
          var rate: Int
          var date: Foundation.Date
          @Marked var marked: Fetch
          var watched: Fetch { didSet {} }
          var stop: () -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client<Item> {
          struct State {
          }
          var state: State
          var item: Item
          var rate: Int
          var date: Foundation.Date
          @Marked var marked: Fetch
          var watched: Fetch { didSet {} }
          @DependencyEndpoint
          var stop: () -> Void

          private var _issueOrigin: ClientDependencies.IssueOrigin = ._current { (client: inout Self, origin: ClientDependencies.IssueOrigin) in
            client._issueOrigin = origin
          }

          private static func _checkIsolation() {
            #sourceLocation(file: "test.swift", line: 2)
            let isolation = ClientDependenciesMacros._Checks.isolation(of: _checkIsolation)
            #sourceLocation(file: "test.swift", line: 2)
            ClientDependenciesMacros._Checks.isNonisolated(isolation)
            #sourceLocation()
          }

          init(
            state: State,
            item: Item,
            rate: Int,
            date: Foundation.Date,
            marked: Fetch,
            watched: Fetch,
            stop: @escaping () -> Void
          ) {
            self.state = state
            self.item = item
            self.rate = rate
            self.date = date
            self.marked = marked
            self.watched = watched
            self._implementation_stop = stop
          }

          init(
            state: State,
            item: Item,
            rate: Int,
            date: Foundation.Date,
            marked: Fetch,
            watched: Fetch
          ) {
            self.state = state
            self.item = item
            self.rate = rate
            self.date = date
            self.marked = marked
            self.watched = watched
          }
        }
        """)
  }

  @Test func `a closure as the default value shows that a type alias is a function type`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var level: Level = { 0 }
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          @DependencyEndpoint
          var level: Level = { 0 }

          private var _issueOrigin: ClientDependencies.IssueOrigin = ._current { (client: inout Self, origin: ClientDependencies.IssueOrigin) in
            client._issueOrigin = origin
          }

          private static func _checkIsolation() {
            #sourceLocation(file: "test.swift", line: 2)
            let isolation = ClientDependenciesMacros._Checks.isolation(of: _checkIsolation)
            #sourceLocation(file: "test.swift", line: 2)
            ClientDependenciesMacros._Checks.isNonisolated(isolation)
            #sourceLocation()
          }

          init(
            level: @escaping Level
          ) {
            self._implementation_level = level
          }

          init() {
          }
        }
        """)
  }

  @Test func `the default of a parameter has the parameter's type`() {
    expectExpansion(
      of: """
        let fetch: Fetch = #_ClientDependenciesMacros_unimplementedEndpoint("Client.fetch")
        """,
      with: ["_ClientDependenciesMacros_unimplementedEndpoint"],
      to: """
        let fetch: Fetch = ClientDependenciesMacros._UnimplementedEndpoint.standIn("Client.fetch") {
          let none = $1
          return $0.closure(like: none)
        }
        """)
  }
}
