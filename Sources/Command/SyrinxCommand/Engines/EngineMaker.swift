import AudioCore
import ClientDependencies
import FilePaths
public import FoundationEssentials
import Logging
public import SpeechEngine
public import Wyoming

/// The settings of an engine in the command's arguments.
public struct EngineSettings: Sendable {
  /// The folder of `--model`; nil to use the engine's default.
  public var modelDirectory: URL?
  /// The language of `--locale`; nil to use the language of the engine's model.
  public var language: String?

  /// The address of `--server`; nil to use the engine's default.
  public var server: WyomingAddress?

  /// Creates settings with the engine's defaults.
  public init() {}
}

/// A name for `--engine`, and the function that makes its engine.
public struct EngineMaker: Sendable {
  /// The name for `--engine`.
  public let name: String
  /// Makes the engine; its `availability` reports missing parts.
  public let make: @Sendable (_ settings: EngineSettings) -> SpeechEngine

  /// Creates a maker of engines.
  ///
  /// If a library or model is missing, the engine logs the searched paths.
  public init(
    _ name: String, make: @escaping @Sendable (_ settings: EngineSettings) -> SpeechEngine
  ) {
    self.name = name
    self.make = { settings in
      var engine = make(settings)
      let availability = engine.availability
      engine.availability = {
        let result = availability()
        if case .unavailable(let error) = result, !error.searchedPlaces.isEmpty {
          Logger(label: "syrinx").info(
            "\(name) was searched for in \(error.searchedPlaces.joined(separator: ", ").printable)")
        }
        return result
      }
      return engine
    }
  }
}

/// The engines that the executable offers, and the preparation of a model.
struct EngineMakers: DependencyKey {
  /// The engines that `--engine` names.
  var named: [EngineMaker] = []
  /// The engine to use without `--engine`; nil to use the engine of `\.speechEngine`.
  var defaultEngine: EngineMaker?
  /// The preparation that makes an installed model faster to use; nil if there is none.
  var preparation: EnginePreparation?

  static var liveValue: EngineMakers { EngineMakers() }
  static var testValue: EngineMakers { EngineMakers() }
}

extension EngineMakers {
  /// Returns advice on an engine for many languages; nil if none of them recognizes the language.
  ///
  /// - Parameter language: the spoken language; nil if it is unknown.
  func advice(onLanguage language: String?) -> String? {
    var settings = EngineSettings()
    settings.language = language
    for maker in named {
      let engine = maker.make(settings)
      guard engine.capabilities.contains(.languageDetection) else { continue }
      switch engine.availability() {
      case .ready: return "use --engine \(maker.name) -l \(language ?? SpokenLanguage.detected)"
      case .unavailable(.modelNotInstalled), .unavailable(.libraryMissing):
        return "`syrinx engines install \(maker.name)` installs an engine for many languages"
      case .unavailable: return nil
      }
    }
    return nil
  }
}

/// Makes an installed component faster to use, at the cost of disk space.
public struct EnginePreparation: Sendable {
  /// The name of the component.
  public var component: String
  /// The names of the files that the preparation adds.
  public var files: [String]
  /// Adds the files to `folder`, the component's folder, with the help of the library `library`.
  public var make: @Sendable (_ folder: URL, _ library: URL) throws -> Void

  /// Creates a preparation of a component.
  public init(
    component: String, files: [String],
    make: @escaping @Sendable (_ folder: URL, _ library: URL) throws -> Void
  ) {
    (self.component, self.files, self.make) = (component, files, make)
  }

  /// Returns the preparation of the model that `syrinx engines install moonshine` installs.
  public static func moonshine(
    files: [String], make: @escaping @Sendable (_ folder: URL, _ library: URL) throws -> Void
  ) -> EnginePreparation {
    EnginePreparation(component: EngineComponent.moonshine.name, files: files, make: make)
  }
}

extension DependencyValues {
  /// The engines that the executable offers.
  var engineMakers: EngineMakers {
    get { self[EngineMakers.self] }
    set { self[EngineMakers.self] = newValue }
  }

  /// Sets `\.speechEngines` to all engines of the executable, for a command that examines engines.
  mutating func useInstalledEngines(_ chosen: EngineSettings = EngineSettings()) {
    let own = settings
    let inUse =
      engineMakers.named.first { $0.name == own.engine?.rawValue } ?? engineMakers.defaultEngine
    func makeEngine(_ maker: EngineMaker) -> SpeechEngine {
      maker.make(chosen.completed(by: own, withModel: maker.name == inUse?.name))
    }
    speechEngines = engineMakers.named.map(makeEngine)
    if let inUse { speechEngine = makeEngine(inUse) }
  }
}
