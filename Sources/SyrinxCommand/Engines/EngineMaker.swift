import ClientDependencies
public import FoundationEssentials
public import SpeechEngine
public import Wyoming

/// What the command's arguments say about an engine.
public struct EngineSettings: Sendable {
  /// The folder of `--model`; nil for the engine's own choice.
  public var modelDirectory: URL?
  /// The language of `--locale`; nil for that of the engine's model.
  public var language: String?

  /// The address of `--server`; nil for the engine's own choice.
  public var server: WyomingAddress?

  /// Nothing is said.
  public init() {}
}

/// Makes one of the engines that `--engine` names.
public struct EngineMaker: Sendable {
  /// The name for `--engine`.
  public let name: String
  /// Makes the engine; what it lacks, its `availability` says.
  public let make: @Sendable (_ settings: EngineSettings) -> SpeechEngine

  /// A maker for a name.
  public init(
    _ name: String, make: @escaping @Sendable (_ settings: EngineSettings) -> SpeechEngine
  ) {
    self.name = name
    self.make = make
  }
}

/// The engines that the executable brings.
struct EngineMakers: Sendable {
  /// Those that `--engine` names.
  var named: [EngineMaker] = []
  /// Makes the one that is used where none is named; nil for that of `\.speechEngine`.
  var usual: EngineMaker?
}

/// The key of `\.engineMakers`.
private enum EngineMakersKey: DependencyKey {
  static var liveValue: EngineMakers { EngineMakers() }
  static var testValue: EngineMakers { EngineMakers() }
}

extension DependencyValues {
  /// What the executable brings.
  var engineMakers: EngineMakers {
    get { self[EngineMakersKey.self] }
    set { self[EngineMakersKey.self] = newValue }
  }
}

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
