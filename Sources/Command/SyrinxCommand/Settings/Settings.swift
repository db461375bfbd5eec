import AudioCore
import ClientDependencies
import FilePaths
import Glibc

/// The user's own defaults, from environment variables and the configuration file.
///
/// An option takes precedence over both, and a variable over the file.
struct Settings: Sendable {
  /// The name of a setting, which is its key in the file.
  enum Name: String, CaseIterable {
    case playbackDevice = "playback-device"
    case captureDevice = "capture-device"
    case engine, model, server, locale, jobs

    /// The environment variable.
    var variable: String {
      "SYRINX_" + rawValue.uppercased().replacing("-", with: "_")
    }
  }

  /// The text of a setting and where it was set: the name of the variable, or the path of the file.
  typealias Entry = (text: String, source: String)

  /// The settings that have a value.
  private(set) var entries: [Name: Entry] = [:]
  /// The reason that the settings cannot be used, or nil.
  ///
  /// Unusable settings are empty, and every command fails with this reason.
  private(set) var problem: CommandFailure?

  var playbackDevice: AudioDevice.ID? { text(.playbackDevice).map(AudioDevice.ID.init(rawValue:)) }
  var captureDevice: AudioDevice.ID? { text(.captureDevice).map(AudioDevice.ID.init(rawValue:)) }
  var engine: EngineName? { text(.engine).flatMap(EngineName.init(rawValue:)) }
  var model: FilePath? { text(.model).map { FilePath($0) } }
  var server: String? { text(.server) }
  var locale: String? { text(.locale) }
  var jobs: Int? { text(.jobs).flatMap { Int($0) } }

  /// Creates empty settings.
  init() {}

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - variable: returns the value of an environment variable.
  ///   - file: the configuration file; a missing file has no settings.
  init(variable: (_ name: String) -> String?, file: FilePath?) {
    do throws(CommandFailure) {
      if let file { try read(file) }
      for name in Name.allCases {
        guard let text = variable(name.variable), !text.isEmpty else { continue }
        // The model in the file belongs to the engine in the file, so another engine does not use
        // that model. A variable for the model is applied later.
        if name == .engine, self.text(.engine) != text { entries[.model] = nil }
        entries[name] = (text, name.variable)
      }
      try check()
    } catch {
      (entries, problem) = ([:], error)
    }
  }

  /// Returns the path of the configuration file; nil if the user has no home folder.
  static func file(variable: (_ name: String) -> String?) -> FilePath? {
    if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      return FilePath(folder + "/syrinx/config.yaml")
    }
    return FilePath.home(variable("HOME"))?.appending(".config/syrinx/config.yaml")
  }

  private func text(_ name: Name) -> String? { entries[name]?.text }

  /// The maximum size in bytes; no reasonable configuration is larger.
  private static let longestFile = 65_536

  private mutating func read(_ file: FilePath) throws(CommandFailure) {
    guard let status = file.status else { return }
    guard status.isRegularFile else {
      throw CommandFailure("the configuration \(file) is not a file")
    }
    for pair in try Self.pairs(in: file) {
      let place = "(\(file), line \(pair.line))"
      guard let name = Name(rawValue: pair.key) else {
        throw CommandFailure(
          """
          there is no setting "\(pair.key.printable)" \(place); use \
          \(Name.allCases.map(\.rawValue).joined(separator: ", "))
          """)
      }
      guard entries[name] == nil else {
        throw CommandFailure("\(pair.key) is set twice \(place)")
      }
      guard !pair.value.isEmpty else {
        throw CommandFailure("\(pair.key) needs a value \(place)")
      }
      entries[name] = (pair.value, "\(file)")
    }
  }

  private static func pairs(in file: FilePath) throws(CommandFailure) -> [YAMLPair] {
    let text = try text(of: file)
    do throws(CommandFailure) {
      if let pairs = try YAMLPair.all(in: text) { return pairs }
    } catch {
      throw CommandFailure("\(file) is not YAML: \(error.description)")
    }
    throw CommandFailure("the configuration \(file) has no settings; write lines like `jobs: 2`")
  }

  /// Returns the bytes of a file; throws if they are not UTF-8.
  private static func text(of file: FilePath) throws(CommandFailure) -> [UInt8] {
    do throws(FilePathError) {
      let bytes = try file.contents(atMost: longestFile)
      let isText = bytes.count <= longestFile && String(validating: bytes, as: UTF8.self) != nil
      if isText { return bytes }
    } catch {
      throw CommandFailure("cannot read \(file): \(error.readingReason)")
    }
    throw CommandFailure(
      "the configuration \(file) is not UTF-8 text of at most \(longestFile) bytes")
  }

  /// Throws if the value of a setting is invalid for its option.
  private func check() throws(CommandFailure) {
    for (name, entry) in entries {
      guard let reason = reason(against: name, entry.text) else { continue }
      throw CommandFailure("\(name.rawValue) \(entry.text.printable) (\(entry.source)) \(reason)")
    }
  }

  private func reason(against name: Name, _ value: String) -> String? {
    switch name {
    case .playbackDevice: return Self.obstacle(value, .playback)
    case .captureDevice: return Self.obstacle(value, .capture)
    case .engine where engine == nil:
      return "is not an engine; use \(EngineName.allCases.map(\.rawValue).joined(separator: ", "))"
    case .model where engine?.takesModel == false:
      return "cannot be used: the engine \(text(.engine) ?? "") takes no model"
    case .server: return EngineOptions.obstacle(toServer: value)
    case .jobs:
      let range = JobsOption.range
      if let jobs, range.contains(jobs) { return nil }
      return "is not a number from \(range.lowerBound) to \(range.upperBound)"
    case .engine, .model, .locale: return nil
    }
  }

  private static func obstacle(_ device: String, _ direction: AudioDevice.Direction) -> String? {
    DeviceRoute(AudioDevice.ID(rawValue: device)).obstacle(to: direction)
      .map { "cannot be used: \($0)" }
  }
}

/// Makes the settings a dependency; they are empty in tests, so that the machine's own settings
/// have no effect.
extension Settings: DependencyKey {
  static var liveValue: Settings {
    let variable: (String) -> String? = { name in
      getenv(name).map { FilePath(cString: $0).text }
    }
    return Settings(variable: variable, file: Settings.file(variable: variable))
  }
  static var testValue: Settings { Settings() }
}

extension DependencyValues {
  /// The user's own defaults for the options.
  var settings: Settings {
    get { self[Settings.self] }
    set { self[Settings.self] = newValue }
  }
}
