import Testing

@Suite struct DependencyEndpointMacroTests {
  @Test func `an endpoint gets storage, accessors, and a placeholder that reports an issue`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint
          var stop: () -> Void
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var stop: () -> Void {
            @storageRestrictions(initializes: _implementation_stop)
            init(initialValue) {
              _implementation_stop = initialValue
            }
            get {
              if _implementation_stop != nil {
                return _implementation_stop!
              }
              return _standIn_stop()
            }
            set {
              _implementation_stop = newValue
            }
          }

          private var _implementation_stop: (() -> Void)? = nil

          @inline(never) private func _standIn_stop(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> () -> Void {
            Self._unimplemented_stop(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).stop", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_stop(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> () -> Void {
            return {
              __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `a labeled endpoint gets a method to call and an overload to pass as a closure`() {
    expectExpansion(
      of: #"""
        struct Client: Sendable {
          @DependencyEndpoint
          var play: @Sendable (_ url: URL, Int) async throws -> Bool
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client: Sendable {
          var play: @Sendable (_ url: URL, Int) async throws -> Bool {
            @storageRestrictions(initializes: _implementation_play)
            init(initialValue) {
              _implementation_play = initialValue
            }
            get {
              if _implementation_play != nil {
                return _implementation_play!
              }
              return _standIn_play()
            }
            set {
              _implementation_play = newValue
            }
          }

          func play(url p0: URL, _ p1: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) async throws -> Bool {
            if _implementation_play != nil {
              return try await _implementation_play!(p0, p1)
            }
            return try await _standIn_play(fileID: fileID, filePath: filePath, line: line, column: column)(p0, p1)
          }

          @_disfavoredOverload @Sendable func play(url p0: URL, _ p1: Int) async throws -> Bool {
            if _implementation_play != nil {
              return try await _implementation_play!(p0, p1)
            }
            return try await _standIn_play()(p0, p1)
          }

          private var _implementation_play: (@Sendable (_ url: URL, Int) async throws -> Bool)? = nil

          @inline(never) private func _standIn_play(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> @Sendable (_ url: URL, Int) async throws -> Bool {
            Self._unimplemented_play(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).play", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_play(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> @Sendable (_ url: URL, Int) async throws -> Bool {
            return { _, _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `an endpoint reports an issue, returns its default, and has no init accessor`() {
    expectExpansion(
      of: #"""
        struct Client: Sendable {
          @DependencyEndpoint
          public var isOn: @Sendable (_ name: String) -> Bool = { _ in false }
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client: Sendable {
          public var isOn: @Sendable (_ name: String) -> Bool {
            get {
              if _implementation_isOn != nil {
                return _implementation_isOn!
              }
              return _standIn_isOn()
            }
            set {
              _implementation_isOn = newValue
            }
          }

          public func isOn(name p0: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> Bool {
            if _implementation_isOn != nil {
              return _implementation_isOn!(p0)
            }
            return _standIn_isOn(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload @Sendable public func isOn(name p0: String) -> Bool {
            if _implementation_isOn != nil {
              return _implementation_isOn!(p0)
            }
            return _standIn_isOn()(p0)
          }

          private var _implementation_isOn: (@Sendable (_ name: String) -> Bool)? = nil

          @inline(never) private func _standIn_isOn(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> @Sendable (_ name: String) -> Bool {
            Self._unimplemented_isOn(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).isOn", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_isOn(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> @Sendable (_ name: String) -> Bool {
            return { _ in
              __endpoint.report()
              return false
            }
          }
        }
        """#)
  }

  @Test func `the method of a public endpoint can be inlined into other modules`() {
    expectExpansion(
      of: #"""
        public struct Client {
          @DependencyEndpoint
          public var stop: (_ fade: Double) -> Void = { _ in }
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        public struct Client {
          public var stop: (_ fade: Double) -> Void {
            get {
              if _implementation_stop != nil {
                return _implementation_stop!
              }
              return _standIn_stop()
            }
            set {
              _implementation_stop = newValue
            }
          }

          @inlinable public func stop(fade p0: Double, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> Void {
            if _implementation_stop != nil {
              return _implementation_stop!(p0)
            }
            return _standIn_stop(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload public func stop(fade p0: Double) -> Void {
            if _implementation_stop != nil {
              return _implementation_stop!(p0)
            }
            return _standIn_stop()(p0)
          }

          @usableFromInline internal var _implementation_stop: ((_ fade: Double) -> Void)? = nil

          @inline(never) @usableFromInline internal func _standIn_stop(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ fade: Double) -> Void {
            Self._unimplemented_stop(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).stop", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_stop(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ fade: Double) -> Void {
            return { _ in
              __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `in a default of several statements, the issue report becomes the first statement`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var load: (Int) -> [Int] = { count in
            let doubled = count * 2
            return [doubled]
          }
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var load: (Int) -> [Int] {
            get {
              if _implementation_load != nil {
                return _implementation_load!
              }
              return _standIn_load()
            }
            set {
              _implementation_load = newValue
            }
          }

          private var _implementation_load: ((Int) -> [Int])? = nil

          @inline(never) private func _standIn_load(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (Int) -> [Int] {
            Self._unimplemented_load(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).load", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_load(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (Int) -> [Int] {
            return { count in
              __endpoint.report()
              let doubled = count * 2
              return [doubled]
            }
          }
        }
        """#)
  }

  @Test func `an error of the client's own type is thrown if the macro can create one`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var fetch: @Sendable () async throws(Client.Failure) -> Data
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var fetch: @Sendable () async throws(Client.Failure) -> Data {
            @storageRestrictions(initializes: _implementation_fetch)
            init(initialValue) {
              _implementation_fetch = initialValue
            }
            get {
              if _implementation_fetch != nil {
                return _implementation_fetch!
              }
              return _standIn_fetch()
            }
            set {
              _implementation_fetch = newValue
            }
          }

          private var _implementation_fetch: (@Sendable () async throws(Client.Failure) -> Data)? = nil

          @inline(never) private func _standIn_fetch(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> @Sendable () async throws(Client.Failure) -> Data {
            Self._unimplemented_fetch(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).fetch", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_fetch(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> @Sendable () async throws(Client.Failure) -> Data {
            return {
              return try __endpoint.outcome(throwing: (Client.Failure).self)
            }
          }
        }
        """#)
  }

  @Test func `an unimplemented endpoint with an optional result returns nil`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint package var find: (_ id: Int) -> String?
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          package var find: (_ id: Int) -> String? {
            @storageRestrictions(initializes: _implementation_find)
            init(initialValue) {
              _implementation_find = initialValue
            }
            get {
              if _implementation_find != nil {
                return _implementation_find!
              }
              return _standIn_find()
            }
            set {
              _implementation_find = newValue
            }
          }

          package func find(id p0: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> String? {
            if _implementation_find != nil {
              return _implementation_find!(p0)
            }
            return _standIn_find(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload package func find(id p0: Int) -> String? {
            if _implementation_find != nil {
              return _implementation_find!(p0)
            }
            return _standIn_find()(p0)
          }

          private var _implementation_find: ((_ id: Int) -> String?)? = nil

          @inline(never) private func _standIn_find(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ id: Int) -> String? {
            Self._unimplemented_find(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).find", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_find(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ id: Int) -> String? {
            return { _ in
              __endpoint.report()
              return nil
            }
          }
        }
        """#)
  }

  @Test func `the type checker selects the placeholder of an endpoint whose type is an alias`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var play: PlayEndpoint
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var play: PlayEndpoint {
            @storageRestrictions(initializes: _implementation_play)
            init(initialValue) {
              _implementation_play = initialValue
            }
            get {
              if _implementation_play != nil {
                return _implementation_play!
              }
              return _standIn_play()
            }
            set {
              _implementation_play = newValue
            }
          }

          private var _implementation_play: (PlayEndpoint)? = nil

          @inline(never) private func _standIn_play(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> PlayEndpoint {
            Self._unimplemented_play(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).play", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_play(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> PlayEndpoint {
            return __endpoint.closure(like: nil as (PlayEndpoint)?)
          }
        }
        """#)
  }

  @Test func `an endpoint's global actor applies to its method`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint var show: @MainActor @Sendable (_ text: String) -> Void
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var show: @MainActor @Sendable (_ text: String) -> Void {
            @storageRestrictions(initializes: _implementation_show)
            init(initialValue) {
              _implementation_show = initialValue
            }
            get {
              if _implementation_show != nil {
                return _implementation_show!
              }
              return _standIn_show()
            }
            set {
              _implementation_show = newValue
            }
          }

          @MainActor func show(text p0: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> Void {
            if _implementation_show != nil {
              return _implementation_show!(p0)
            }
            return _standIn_show(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @MainActor @_disfavoredOverload func show(text p0: String) -> Void {
            if _implementation_show != nil {
              return _implementation_show!(p0)
            }
            return _standIn_show()(p0)
          }

          private var _implementation_show: (@MainActor @Sendable (_ text: String) -> Void)? = nil

          @inline(never) private func _standIn_show(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> @MainActor @Sendable (_ text: String) -> Void {
            Self._unimplemented_show(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).show", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_show(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> @MainActor @Sendable (_ text: String) -> Void {
            return { _ in
              __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `arguments keep the parameter conventions of the closure`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint
          var mix: (_ a: inout Int, _ b: borrowing Text, _ c: sending Box, _ d: @autoclosure () -> Int) throws -> Void
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var mix: (_ a: inout Int, _ b: borrowing Text, _ c: sending Box, _ d: @autoclosure () -> Int) throws -> Void {
            @storageRestrictions(initializes: _implementation_mix)
            init(initialValue) {
              _implementation_mix = initialValue
            }
            get {
              if _implementation_mix != nil {
                return _implementation_mix!
              }
              return _standIn_mix()
            }
            set {
              _implementation_mix = newValue
            }
          }

          func mix(a p0: inout Int, b p1: borrowing Text, c p2: sending Box, d p3: @autoclosure () -> Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) throws -> Void {
            if _implementation_mix != nil {
              return try _implementation_mix!(&p0, p1, p2, p3())
            }
            return try _standIn_mix(fileID: fileID, filePath: filePath, line: line, column: column)(&p0, p1, p2, p3())
          }

          @_disfavoredOverload func mix(a p0: inout Int, b p1: borrowing Text, c p2: sending Box, d p3: @autoclosure () -> Int) throws -> Void {
            if _implementation_mix != nil {
              return try _implementation_mix!(&p0, p1, p2, p3())
            }
            return try _standIn_mix()(&p0, p1, p2, p3())
          }

          private var _implementation_mix: ((_ a: inout Int, _ b: borrowing Text, _ c: sending Box, _ d: @autoclosure () -> Int) throws -> Void)? = nil

          @inline(never) private func _standIn_mix(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ a: inout Int, _ b: borrowing Text, _ c: sending Box, _ d: @autoclosure () -> Int) throws -> Void {
            Self._unimplemented_mix(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).mix", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_mix(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ a: inout Int, _ b: borrowing Text, _ c: sending Box, _ d: @autoclosure () -> Int) throws -> Void {
            return { _, _, _, _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `the method of an endpoint can be given another name`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint(method: "find")
          private var findByID: (Int) throws -> (Int, name: String)
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          private var findByID: (Int) throws -> (Int, name: String) {
            @storageRestrictions(initializes: _implementation_findByID)
            init(initialValue) {
              _implementation_findByID = initialValue
            }
            get {
              if _implementation_findByID != nil {
                return _implementation_findByID!
              }
              return _standIn_findByID()
            }
            set {
              _implementation_findByID = newValue
            }
          }

          private func find(_ p0: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) throws -> (Int, name: String) {
            if _implementation_findByID != nil {
              return try _implementation_findByID!(p0)
            }
            return try _standIn_findByID(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload private func find(_ p0: Int) throws -> (Int, name: String) {
            if _implementation_findByID != nil {
              return try _implementation_findByID!(p0)
            }
            return try _standIn_findByID()(p0)
          }

          private var _implementation_findByID: ((Int) throws -> (Int, name: String))? = nil

          @inline(never) private func _standIn_findByID(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (Int) throws -> (Int, name: String) {
            Self._unimplemented_findByID(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).findByID", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_findByID(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (Int) throws -> (Int, name: String) {
            return { _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `names in backticks keep their backticks`() {
    expectExpansion(
      of: #"""
        struct Client {
          @DependencyEndpoint(method: "`class`") var `return`: (_ in: Int) throws -> Int
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          var `return`: (_ in: Int) throws -> Int {
            @storageRestrictions(initializes: _implementation_return)
            init(initialValue) {
              _implementation_return = initialValue
            }
            get {
              if _implementation_return != nil {
                return _implementation_return!
              }
              return _standIn_return()
            }
            set {
              _implementation_return = newValue
            }
          }

          func `class`(in p0: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) throws -> Int {
            if _implementation_return != nil {
              return try _implementation_return!(p0)
            }
            return try _standIn_return(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @_disfavoredOverload func `class`(in p0: Int) throws -> Int {
            if _implementation_return != nil {
              return try _implementation_return!(p0)
            }
            return try _standIn_return()(p0)
          }

          private var _implementation_return: ((_ in: Int) throws -> Int)? = nil

          @inline(never) private func _standIn_return(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> (_ in: Int) throws -> Int {
            Self._unimplemented_return(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).return", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_return(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> (_ in: Int) throws -> Int {
            return { _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }

  @Test func `methods have the availability of the endpoint`() {
    expectExpansion(
      of: #"""
        struct Client {
          @available(*, deprecated)
          @DependencyEndpoint var old: nonisolated(nonsending) (_ id: Int) async throws -> Int
        }
        """#,
      with: ["DependencyEndpoint"],
      to: #"""
        struct Client {
          @available(*, deprecated)
          var old: nonisolated(nonsending) (_ id: Int) async throws -> Int {
            @storageRestrictions(initializes: _implementation_old)
            init(initialValue) {
              _implementation_old = initialValue
            }
            get {
              if _implementation_old != nil {
                return _implementation_old!
              }
              return _standIn_old()
            }
            set {
              _implementation_old = newValue
            }
          }

          @available(*, deprecated) nonisolated(nonsending) func old(id p0: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) async throws -> Int {
            if _implementation_old != nil {
              return try await _implementation_old!(p0)
            }
            return try await _standIn_old(fileID: fileID, filePath: filePath, line: line, column: column)(p0)
          }

          @available(*, deprecated) @_disfavoredOverload nonisolated(nonsending) func old(id p0: Int) async throws -> Int {
            if _implementation_old != nil {
              return try await _implementation_old!(p0)
            }
            return try await _standIn_old()(p0)
          }

          private var _implementation_old: (nonisolated(nonsending) (_ id: Int) async throws -> Int)? = nil

          @inline(never) private func _standIn_old(fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column) -> nonisolated(nonsending) (_ id: Int) async throws -> Int {
            Self._unimplemented_old(
              ClientDependenciesMacros._UnimplementedEndpoint(
                "\(Self.self).old", from: _issueOrigin, fileID: fileID, filePath: filePath, line: line, column: column))
          }

          private static func _unimplemented_old(_ __endpoint: ClientDependenciesMacros._UnimplementedEndpoint) -> nonisolated(nonsending) (_ id: Int) async throws -> Int {
            return { _ in
              throw __endpoint.report()
            }
          }
        }
        """#)
  }
}
