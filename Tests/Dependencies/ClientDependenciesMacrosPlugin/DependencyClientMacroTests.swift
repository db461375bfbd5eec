import Testing

@Suite struct DependencyClientMacroTests {
  @Test func `the macro marks a client's endpoints and adds two initializers`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var config: Bool = false
          var play: @Sendable (_ url: URL) throws -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          var config: Bool = false
          @DependencyEndpoint
          var play: @Sendable (_ url: URL) throws -> Void

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
            config: Bool = false,
            play: @escaping @Sendable (_ url: URL) throws -> Void
          ) {
            self.config = config
            self._implementation_play = play
          }

          init(
            config: Bool = false
          ) {
            self.config = config
          }
        }
        """)
  }

  @Test func `an explicit endpoint attribute is kept`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          @DependencyEndpoint(method: "go") var run: () -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          @DependencyEndpoint(method: "go") var run: () -> Void

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
            run: @escaping () -> Void
          ) {
            self._implementation_run = run
          }

          init() {
          }
        }
        """)
  }

  @Test func `a literal initial value determines the type of a property`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var flag = true, count = 1
          var rate = 1.0
          var name = "name"
          var stop: () -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          var flag = true, count = 1
          var rate = 1.0
          var name = "name"
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
            flag: Swift.Bool = true,
            count: Swift.Int = 1,
            rate: Swift.Double = 1.0,
            name: Swift.String = "name",
            stop: @escaping () -> Void
          ) {
            self.flag = flag
            self.count = count
            self.rate = rate
            self.name = name
            self._implementation_stop = stop
          }

          init(
            flag: Swift.Bool = true,
            count: Swift.Int = 1,
            rate: Swift.Double = 1.0,
            name: Swift.String = "name"
          ) {
            self.flag = flag
            self.count = count
            self.rate = rate
            self.name = name
          }
        }
        """)
  }

  @Test func `an initializer may omit an optional variable but not an optional constant`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var name: String?
          let id: Int?
          var a, b: Int
          var stop: () -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          var name: String?
          let id: Int?
          var a, b: Int
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
            name: String? = nil,
            id: Int?,
            a: Int,
            b: Int,
            stop: @escaping () -> Void
          ) {
            self.name = name
            self.id = id
            self.a = a
            self.b = b
            self._implementation_stop = stop
          }

          init(
            name: String? = nil,
            id: Int?,
            a: Int,
            b: Int
          ) {
            self.name = name
            self.id = id
            self.a = a
            self.b = b
          }
        }
        """)
  }

  @Test func `properties that an initializer cannot set are not parameters of the initializers`() {
    expectExpansion(
      of: #"""
        @DependencyClient
        struct Client {
          let constant = UUID()
          static var shared: Int = 1
          lazy var later: Int = 2
          private var hidden: Int = 3
          var computed: Int { 4 }
          @Dependency(\.date) var date
          @DependencyEndpointIgnored var ignored: () -> Void = {}
          var stop: () -> Void
        }
        """#,
      with: ["DependencyClient"],
      to: #"""

        struct Client {
          let constant = UUID()
          static var shared: Int = 1
          lazy var later: Int = 2
          private var hidden: Int = 3
          var computed: Int { 4 }
          @Dependency(\.date) var date
          @DependencyEndpointIgnored var ignored: () -> Void = {}
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
            stop: @escaping () -> Void
          ) {
            self._implementation_stop = stop
          }

          init() {
          }
        }
        """#)
  }

  @Test func `a public client whose properties are all public gets public initializers`() {
    expectExpansion(
      of: """
        @DependencyClient
        public struct Client {
          public var stop: @Sendable () -> Void
          public var name: String = ""
        }
        """,
      with: ["DependencyClient"],
      to: """

        public struct Client {
          @DependencyEndpoint
          public var stop: @Sendable () -> Void
          public var name: String = ""

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

          public init(
            stop: @escaping @Sendable () -> Void,
            name: String = ""
          ) {
            self._implementation_stop = stop
            self.name = name
          }

          public init(
            name: String = ""
          ) {
            self.name = name
          }
        }
        """)
  }

  @Test func `the least accessible property determines an initializer's access level`() {
    expectExpansion(
      of: """
        @DependencyClient
        package struct Client {
          package var stop: () -> Void
          fileprivate var name: String
        }
        """,
      with: ["DependencyClient"],
      to: """

        package struct Client {
          @DependencyEndpoint
          package var stop: () -> Void
          fileprivate var name: String

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

          fileprivate init(
            stop: @escaping () -> Void,
            name: String
          ) {
            self._implementation_stop = stop
            self.name = name
          }

          fileprivate init(
            name: String
          ) {
            self.name = name
          }
        }
        """)
  }

  @Test func `the initializers of a private client have the client's visibility`() {
    expectExpansion(
      of: """
        @DependencyClient
        private struct Client<Value: Sendable> {
          var value: () -> Value?
        }
        """,
      with: ["DependencyClient"],
      to: """

        private struct Client<Value: Sendable> {
          @DependencyEndpoint
          var value: () -> Value?

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
            value: @escaping () -> Value?
          ) {
            self._implementation_value = value
          }

          init() {
          }
        }
        """)
  }

  @Test func `parameters that are functions are escaping and keep their other attributes`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var a: (@MainActor () -> Void)
          var b: nonisolated(nonsending) @Sendable () async -> Void
          let c: @Sendable () -> Void
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          @DependencyEndpoint
          var a: (@MainActor () -> Void)
          @DependencyEndpoint
          var b: nonisolated(nonsending) @Sendable () async -> Void
          let c: @Sendable () -> Void

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
            a: @escaping @MainActor () -> Void,
            b: nonisolated(nonsending) @escaping @Sendable () async -> Void,
            c: @escaping @Sendable () -> Void
          ) {
            self._implementation_a = a
            self._implementation_b = b
            self.c = c
          }

          init(
            c: @escaping @Sendable () -> Void
          ) {
            self.c = c
          }
        }
        """)
  }

  @Test func `a type alias of a function in the client is an endpoint`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          typealias Play = @Sendable (Int) throws -> Void
          var play: Play
          struct Config {}
          var config: Config
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          typealias Play = @Sendable (Int) throws -> Void
          @DependencyEndpoint
          var play: Play
          struct Config {}
          var config: Config

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
            play: @escaping Play,
            config: Config
          ) {
            self._implementation_play = play
            self.config = config
          }

          init(
            config: Config
          ) {
            self.config = config
          }
        }
        """)
  }

  @Test func `members inside #if have initializers inside the same #if`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var always: () -> Void
          #if os(Linux)
            var linux: () -> Void
          #elseif DEBUG
            var debug: Int
          #endif
          var last: Int
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          @DependencyEndpoint
          var always: () -> Void
          #if os(Linux)
            var linux: () -> Void
          #elseif DEBUG
            var debug: Int
          #endif
          var last: Int

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

          #if os(Linux)
          init(
            always: @escaping () -> Void,
            linux: @escaping () -> Void,
            last: Int
          ) {
            self._implementation_always = always
            self._implementation_linux = linux
            self.last = last
          }
          init(
            last: Int
          ) {
            self.last = last
          }
          #elseif DEBUG
          init(
            always: @escaping () -> Void,
            debug: Int,
            last: Int
          ) {
            self._implementation_always = always
            self.debug = debug
            self.last = last
          }
          init(
            debug: Int,
            last: Int
          ) {
            self.debug = debug
            self.last = last
          }
          #else
          init(
            always: @escaping () -> Void,
            last: Int
          ) {
            self._implementation_always = always
            self.last = last
          }
          init(
            last: Int
          ) {
            self.last = last
          }
          #endif
        }
        """)
  }

  @Test func `an initializer written by the author is not generated`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var stop: () -> Void
          init() { stop = {} }
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          @DependencyEndpoint
          var stop: () -> Void
          init() { stop = {} }

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
            stop: @escaping () -> Void
          ) {
            self._implementation_stop = stop
          }
        }
        """)
  }

  @Test func `a struct without endpoints gets no members`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          var name: String
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          var name: String
        }
        """)
  }
}
