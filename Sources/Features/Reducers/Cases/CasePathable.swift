import ClientDependencies

/// An enumeration whose cases have key paths.
///
/// The macro `@CasePathable` of `ReducersMacros` generates the conformance.
public protocol CasePathable {
  /// A type with one property for each case, of type `AnyCasePath<Self, Value>`.
  associatedtype AllCasePaths

  /// The paths to all cases.
  static var allCasePaths: AllCasePaths { get }
}

/// Functions that make and read one case of an enumeration.
public struct AnyCasePath<Root, Value>: Sendable {
  /// Returns the case with an associated value.
  public let embed: @Sendable (Value) -> Root
  /// Returns the associated value; nil for another case.
  public let extract: @Sendable (Root) -> Value?
  /// The name of the case, for reports.
  let name: String

  /// Creates a path from its two functions; `extract(embed(value))` must return the value.
  ///
  /// - Parameters:
  ///   - embed: returns the case with an associated value.
  ///   - extract: returns the associated value; nil for another case.
  ///   - name: the case's name in reports, by default the name of the property that calls this.
  public init(
    embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?,
    name: String = #function
  ) {
    (self.embed, self.extract, self.name) = (embed, extract, name)
  }

  /// Creates the path that a case key path denotes.
  public init(_ keyPath: CaseKeyPath<Root, Value>) {
    let path: Any =
      Case<Root>()[keyPath: keyPath].path
      ?? AnyCasePath<Root, Root>(embed: { $0 }, extract: { $0 }, name: "self")
    // Every `Case` reached from `Case<Root>()` has a path from `Root`, so this cast cannot fail.
    guard let path = path as? Self else {
      preconditionFailure("the path does not begin at \(Root.self)")
    }
    self = path
  }
}

/// A component of a case key path, such as `child` in `\Action.Cases.child`.
///
/// Its members are the possible next components.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
  /// The path from the root to this component; nil at the root.
  fileprivate let path: (any PathFromRoot<Value>)?

  /// Creates the root of a path.
  public init() {
    self.init(path: nil)
  }

  private init(path: (any PathFromRoot<Value>)?) {
    self.path = path
  }

  /// Appends a case of this enumeration to the key path.
  public subscript<Next>(
    dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, Next>>
  ) -> Case<Next> where Value: CasePathable {
    appending(Value.allCasePaths[keyPath: keyPath])
  }

  func appending<Next>(_ next: AnyCasePath<Value, Next>) -> Case<Next> {
    Case<Next>(path: path?.appending(next) ?? next)
  }
}

/// An `AnyCasePath` to a value of this type, with any root.
private protocol PathFromRoot<Value>: Sendable {
  associatedtype Value

  func appending<Next>(_ next: AnyCasePath<Value, Next>) -> any PathFromRoot<Next>
}

extension AnyCasePath: PathFromRoot {
  fileprivate func appending<Next>(
    _ next: AnyCasePath<Value, Next>
  ) -> any PathFromRoot<Next> {
    AnyCasePath<Root, Next>(
      embed: { embed(next.embed($0)) }, extract: { extract($0).flatMap(next.extract) },
      name: next.name.hasPrefix("[") ? name + next.name : "\(name).\(next.name)")
  }
}

/// A key path to a case: `\Action.Cases.child`, or `\.child` if the type can be inferred.
public typealias CaseKeyPath<Root, Value> = KeyPath<Case<Root>, Case<Value>>

extension CasePathable {
  /// The root of case key paths: `\Self.Cases.child`.
  public typealias Cases = Case<Self>

  /// Whether this is the case at the end of the path: `action.is(\.child)`.
  public func `is`<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> Bool {
    self[case: keyPath] != nil
  }

  /// The value of a case; nil for another case.
  ///
  /// Setting nil, or setting a value while the enumeration is in another case, has no effect.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    get { AnyCasePath(keyPath).extract(self) }
    set {
      let path = AnyCasePath(keyPath)
      if let newValue, path.extract(self) != nil { self = path.embed(newValue) }
    }
  }

  /// The value of the named case, as in `state.child`; nil for another case.
  ///
  /// The enumeration must be declared `@dynamicMemberLookup`.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<AllCasePaths, AnyCasePath<Self, Value>>
  ) -> Value? {
    Self.allCasePaths[keyPath: keyPath].extract(self)
  }

  /// Changes the value of a case in place; another case is reported as an issue.
  public mutating func modify<Value>(
    _ keyPath: CaseKeyPath<Self, Value>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ change: (inout Value) -> Void
  ) {
    let path = AnyCasePath(keyPath)
    guard var value = path.extract(self) else {
      return reportIssue(
        "modify(\\.\(path.name)): the value is another case, \(summary(of: self))", fileID: fileID,
        filePath: filePath, line: line, column: column)
    }
    change(&value)
    self = path.embed(value)
  }
}

extension Optional where Wrapped: CasePathable {
  /// The value of a case of the optional's enumeration; nil if there is none.
  ///
  /// Changing it while the optional is nil or in another case is reported as an issue.
  subscript<Value>(
    case keyPath: CaseKeyPath<Wrapped, Value>, of name: @autoclosure () -> String
  ) -> Value? {
    get { self?[case: keyPath] }
    _modify {
      let path = AnyCasePath(keyPath)
      var value = flatMap(path.extract)
      let isOtherCase = value == nil
      yield &value
      if isOtherCase {
        let present = map { "is \(summary(of: $0))" } ?? "does not exist"
        reportIssue("[case: \\.\(path.name)] was changed, but \(name()) \(present)")
      } else {
        self = value.map(path.embed)
      }
    }
  }
}

extension Optional: CasePathable {
  /// The paths to the two cases of an optional, and to the cases of its value.
  public struct AllCasePaths: Sendable {
    /// The path to the value.
    public var some: AnyCasePath<Wrapped?, Wrapped> {
      AnyCasePath(embed: { $0 }, extract: { $0 })
    }

    /// The path to nil.
    public var none: AnyCasePath<Wrapped?, Void> {
      AnyCasePath(embed: { nil }, extract: { $0 == nil ? () : nil })
    }
  }

  /// The paths to all cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Result: CasePathable {
  /// The paths to the two cases of a result.
  public struct AllCasePaths: Sendable {
    /// The path to the value.
    public var success: AnyCasePath<Result, Success> {
      AnyCasePath(embed: { .success($0) }, extract: { try? $0.get() })
    }

    /// The path to the error.
    public var failure: AnyCasePath<Result, Failure> {
      AnyCasePath(
        embed: { .failure($0) },
        extract: { if case .failure(let error) = $0 { error } else { nil } })
    }
  }

  /// The paths to all cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// The name of a property, for reports.
func name(of keyPath: AnyKeyPath) -> String {
  let text = "\(keyPath)"
  // For a computed property, the description is an address instead of a name.
  guard let end = text.lastIndex(of: "."), !text.hasSuffix(")>") else { return "property" }
  return String(text[text.index(after: end)...])
}
