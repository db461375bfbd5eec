import FilePaths
public import FoundationEssentials
import ONNXRuntime
public import SpeechEngine

extension SpeechActivityDetector {
  /// Silero VAD, a small neural network on ONNX Runtime, which judges 32 ms at a time and detects speech
  /// in noise of the same level.
  ///
  /// The first frame loads the library and the model, once for all streams. It throws if a file is
  /// missing, damaged, or of another kind.
  ///
  /// - Parameters:
  ///   - library: the path of `libonnxruntime.so`; nil for what `SYRINX_ONNXRUNTIME_LIBRARY` names,
  ///     or else the installed one, or the system's.
  ///   - model: the path of `silero_vad.onnx`, or of its folder; nil for what `SYRINX_SILERO_MODEL`
  ///     names, or else the installed one.
  public static func silero(library: URL? = nil, model: URL? = nil) -> SpeechActivityDetector {
    let model = SileroModel(SileroLocation(library: library, model: model))
    return SpeechActivityDetector(
      name: SileroLocation.component, availability: { model.availability },
      makeSession: { SileroSession(model: model) })
  }

  /// Silero where it is installed, or `SYRINX_SILERO_MODEL` names it; else the energy detector.
  public static var best: SpeechActivityDetector {
    SileroLocation().isChosen ? .silero() : .energy
  }
}

/// Where ONNX Runtime and the Silero model can be found.
struct SileroLocation: Sendable {
  static let variable = "SYRINX_SILERO_MODEL"
  static let component = "silero"
  static let fileName: FilePath = "silero_vad.onnx"

  static let remedy = "install ONNX Runtime and the Silero model"

  private let library: FilePath?
  private var environment: [String: String]

  /// - Parameters:
  ///   - library: a path that overrides that of the environment.
  ///   - model: likewise.
  init(
    library: URL? = nil, model: URL? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    (self.library, self.environment) = (library.map(FilePath.init), environment)
    if let model { self.environment[Self.variable] = FilePath(model).text }
  }

  /// Whether a model is installed or named.
  var isChosen: Bool { place != nil }

  func loadLibrary() throws(ONNXError) -> ONNXLibrary {
    try .load(chosen: library, environment: environment)
  }

  /// The model's file, whose size and date have been checked.
  func model() throws(ONNXError) -> FilePath {
    guard let place else {
      let root = InstalledFolder.root(environment: environment) ?? "."
      throw .fileMissing(path: root.appending(FilePath(Self.component)).appending(Self.fileName))
    }
    let isFolder = place.names != nil
    let folder = isFolder ? place : place.folder
    return try InstalledFolder(folder).file(isFolder ? Self.fileName.text : place.name.text)
  }

  private var place: FilePath? {
    environment.nonEmpty(Self.variable).map { FilePath($0) }
      ?? InstalledFolder.installed(named: Self.component, environment: environment).first
  }
}
