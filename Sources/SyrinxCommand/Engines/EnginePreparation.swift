import ClientDependencies
public import FoundationEssentials

/// What makes an installed component faster to use, at the cost of disk space.
public struct EnginePreparation: Sendable {
  /// The name of the component.
  public var component: String
  /// The names of the files that it adds.
  public var files: [String]
  /// Adds the files to the component's folder, with the library at a path.
  public var make: @Sendable (_ folder: URL, _ library: URL) throws -> Void

  /// A preparation of a component.
  public init(
    component: String, files: [String],
    make: @escaping @Sendable (_ folder: URL, _ library: URL) throws -> Void
  ) {
    (self.component, self.files, self.make) = (component, files, make)
  }

  /// The preparation of the model that `syrinx engines install moonshine` installs.
  public static func moonshine(
    files: [String], make: @escaping @Sendable (_ folder: URL, _ library: URL) throws -> Void
  ) -> EnginePreparation {
    EnginePreparation(component: EngineComponent.moonshine.name, files: files, make: make)
  }
}

/// The key of `\.enginePreparation`.
private enum EnginePreparationKey: DependencyKey {
  static var liveValue: EnginePreparation? { nil }
  static var testValue: EnginePreparation? { nil }
}

extension DependencyValues {
  /// What the executable brings.
  var enginePreparation: EnginePreparation? {
    get { self[EnginePreparationKey.self] }
    set { self[EnginePreparationKey.self] = newValue }
  }
}
