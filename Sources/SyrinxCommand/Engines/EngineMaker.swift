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
