import Testing

@Suite struct DependencyEntryMacroTests {
  @Test func `an entry expands to a property and a hidden key with computed values`() {
    expectExpansion(
      of: """
        extension DependencyValues {
          @DependencyEntry
          var client = Client()
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension DependencyValues {
          var client {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.client)
                #sourceLocation()
              }
              return self[__Key_client.self]
            }
            set {
              self[__Key_client.self] = newValue
            }
            _modify {
              yield &self[__Key_client.self]
            }
          }

          private nonisolated enum __Key_client: ClientDependencies.TestDependencyKey {
            @ClientDependenciesMacros._DependencyEntryValue static var testValue = Client()
          }
        }
        """#)
  }

  @Test func `a dependency entry with a live value expands to a key with a live value`() {
    expectExpansion(
      of: """
        extension DependencyValues {
          @DependencyEntry(liveValue: Client.live, previewValue: Client.preview)
          var client = Client.test
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension DependencyValues {
          var client {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.client)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isValue(of: \DependencyValues.client, Client.live)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isValue(of: \DependencyValues.client, Client.preview)
                #sourceLocation()
              }
              return self[__Key_client.self]
            }
            set {
              self[__Key_client.self] = newValue
            }
            _modify {
              yield &self[__Key_client.self]
            }
          }

          private nonisolated enum __Key_client: ClientDependencies.DependencyKey {
            @ClientDependenciesMacros._DependencyEntryValue static var liveValue = Client.live
            @ClientDependenciesMacros._DependencyEntryValue static var previewValue = Client.preview
            @ClientDependenciesMacros._DependencyEntryValue static var testValue = Client.test
          }
        }
        """#)
  }

  @Test func `a type annotation determines the key's value type`() {
    expectExpansion(
      of: """
        extension ClientDependencies.DependencyValues {
          @DependencyEntry(previewValue: Client.preview)
          fileprivate var client: any ClientProtocol = Client.test
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension ClientDependencies.DependencyValues {
          fileprivate var client: any ClientProtocol {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.client)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isValue(of: \DependencyValues.client, Client.preview)
                #sourceLocation()
              }
              return self[__Key_client.self]
            }
            set {
              self[__Key_client.self] = newValue
            }
            _modify {
              yield &self[__Key_client.self]
            }
          }

          private nonisolated enum __Key_client: ClientDependencies.TestDependencyKey {
            typealias Value = any ClientProtocol
            static var previewValue: Value {
              Client.preview
            }
            static var testValue: Value {
              Client.test
            }
          }
        }
        """#)
  }

  @Test func `without an initial value, the live value is also the preview and test value`() {
    expectExpansion(
      of: """
        extension DependencyValues {
          @DependencyEntry(liveValue: Client.live)
          var client: Client
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension DependencyValues {
          var client: Client {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.client)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isValue(of: \DependencyValues.client, Client.live)
                #sourceLocation()
              }
              return self[__Key_client.self]
            }
            set {
              self[__Key_client.self] = newValue
            }
            _modify {
              yield &self[__Key_client.self]
            }
          }

          private nonisolated enum __Key_client: ClientDependencies.DependencyKey {
            typealias Value = Client
            static var liveValue: Value {
              Client.live
            }
          }
        }
        """#)
  }

  @Test func `a public entry's key is public and named for its type`() {
    expectExpansion(
      of: """
        extension DependencyValues {
          @DependencyEntry(liveValue: Client.live)
          public var client: [String: any Player]? = nil
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension DependencyValues {
          public var client: [String: any Player]? {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.client)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isValue(of: \DependencyValues.client, Client.live)
                #sourceLocation()
              }
              return self[StringPlayerKey.self]
            }
            set {
              self[StringPlayerKey.self] = newValue
            }
            _modify {
              yield &self[StringPlayerKey.self]
            }
          }

          public nonisolated enum StringPlayerKey: ClientDependencies.DependencyKey {
            public typealias Value = [String: any Player]?
            public static var liveValue: Value {
              Client.live
            }
            public static var testValue: Value {
              nil
            }
          }
        }
        """#)
  }

  @Test func `a package entry without a type annotation has a key named for its property`() {
    expectExpansion(
      of: """
        extension DependencyValues {
          @DependencyEntry
          package var apiClient = Client()
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension DependencyValues {
          package var apiClient {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.apiClient)
                #sourceLocation()
              }
              return self[ApiClientKey.self]
            }
            set {
              self[ApiClientKey.self] = newValue
            }
            _modify {
              yield &self[ApiClientKey.self]
            }
          }

          package nonisolated enum ApiClientKey: ClientDependencies.TestDependencyKey {
            @ClientDependenciesMacros._DependencyEntryValue package static var testValue = Client()
          }
        }
        """#)
  }

  @Test func `the key of an entry can be given another name`() {
    expectExpansion(
      of: """
        extension DependencyValues {
          @DependencyEntry("PlayerKey", liveValue: Client.live)
          public var client = Client()
        }
        """,
      with: ["DependencyEntry"],
      to: #"""
        extension DependencyValues {
          public var client {
            get {
              func _check() {
                #sourceLocation(file: "test.swift", line: 2)
                let isolation = ClientDependenciesMacros._Checks.isolation(of: _check)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isNonisolated(isolation)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isSendable(\DependencyValues.client)
                #sourceLocation(file: "test.swift", line: 2)
                ClientDependenciesMacros._Checks.isValue(of: \DependencyValues.client, Client.live)
                #sourceLocation()
              }
              return self[PlayerKey.self]
            }
            set {
              self[PlayerKey.self] = newValue
            }
            _modify {
              yield &self[PlayerKey.self]
            }
          }

          public nonisolated enum PlayerKey: ClientDependencies.DependencyKey {
            @ClientDependenciesMacros._DependencyEntryValue public static var liveValue = Client.live
            @ClientDependenciesMacros._DependencyEntryValue public static var testValue = Client()
          }
        }
        """#)
  }
}
