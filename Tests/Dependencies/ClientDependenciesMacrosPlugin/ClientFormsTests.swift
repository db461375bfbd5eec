import Testing

/// Forms of clients that the other tests do not cover.
@Suite struct ClientFormsTests {
  @Test func `comments after properties are not copied into the initializers`() {
    expectExpansion(
      of: """
        @DependencyClient
        package struct Client {
          package let start: () -> Void  // begins
          package let id = 3  // constant
          package var count: Int = 1  // counts
          package var stop: () -> Void  // ends
        }
        """,
      with: ["DependencyClient"],
      to: """

        package struct Client {
          package let start: () -> Void  // begins
          package let id = 3  // constant
          package var count: Int = 1  // counts
          @DependencyEndpoint
          package var stop: () -> Void  // ends

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

          package init(
            start: @escaping () -> Void,
            count: Int = 1,
            stop: @escaping () -> Void
          ) {
            self.start = start
            self.count = count
            self._implementation_stop = stop
          }

          package init(
            start: @escaping () -> Void,
            count: Int = 1
          ) {
            self.start = start
            self.count = count
          }
        }
        """)
  }

  @Test func `an endpoint with a default is still a required parameter of the initializer`() {
    expectExpansion(
      of: """
        @DependencyClient
        struct Client {
          private var id: Int
          var count: @Sendable () -> Int = { 42 }
        }
        """,
      with: ["DependencyClient"],
      to: """

        struct Client {
          private var id: Int
          @DependencyEndpoint
          var count: @Sendable () -> Int = { 42 }

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

          private init(
            id: Int,
            count: @escaping @Sendable () -> Int
          ) {
            self.id = id
            self._implementation_count = count
          }

          private init(
            id: Int
          ) {
            self.id = id
          }
        }
        """)
  }
}
