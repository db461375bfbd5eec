import AudioCore
import FilePaths
public import FoundationEssentials
import ONNXRuntime
public import SpeechEngine

extension SpeechActivityDetector {
  /// Silero VAD, a small neural network on ONNX Runtime.
  ///
  /// It evaluates 32 ms at a time and detects speech even in noise of the same level.
  ///
  /// The library and the model are loaded at the first frame of any stream, and all streams share
  /// them. That frame throws if a file is missing, damaged, or of another kind.
  ///
  /// - Parameters:
  ///   - library: the path of `libonnxruntime.so`; nil for the path in
  ///     `SYRINX_ONNXRUNTIME_LIBRARY`, or else the installed library, or else the system's.
  ///   - model: the path of `silero_vad.onnx`, or of its folder; nil for the path in
  ///     `SYRINX_SILERO_MODEL`, or else the installed model.
  public static func silero(library: URL? = nil, model: URL? = nil) -> SpeechActivityDetector {
    let location = SileroLocation(library: library, model: model)
    let cache = ModelCache<SileroModel>()
    return SpeechActivityDetector(
      name: SileroLocation.component, availability: { location.availability },
      makeSession: {
        SileroSession { () throws(SpeechEngineError) in
          try cache.model(
            where: { _ in true },
            load: { () throws(SpeechEngineError) in try SileroModel(location) })
        }
      })
  }

  /// Silero if it is installed or `SYRINX_SILERO_MODEL` names it; otherwise the energy detector.
  public static var best: SpeechActivityDetector {
    SileroLocation().isChosen ? .silero() : .energy
  }
}

/// The locations of ONNX Runtime and the Silero model.
struct SileroLocation: Sendable {
  static let variable = "SYRINX_SILERO_MODEL"
  static let component = "silero"
  static let fileName: FilePath = "silero_vad.onnx"

  static let remedy = "install ONNX Runtime and the Silero model"

  private let library: FilePath?
  private var environment: [String: String]

  /// Creates the locations; `library` and `model` take precedence over the environment's paths.
  init(
    library: URL? = nil, model: URL? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    (self.library, self.environment) = (library.map(FilePath.init), environment)
    if let model { self.environment[Self.variable] = FilePath(model).text }
  }

  /// Whether a model is installed, or specified by the caller or the environment.
  var isChosen: Bool { place != nil }

  func loadLibrary() throws(ONNXError) -> ONNXLibrary {
    try .load(chosen: library, environment: environment)
  }

  /// Returns the model's file after checking its size and date.
  func model() throws(ONNXError) -> FilePath {
    guard let place else {
      let root = InstalledFolder.root(environment: environment) ?? "."
      throw .fileMissing(path: root.appending(FilePath(Self.component)).appending(Self.fileName))
    }
    let isFolder = place.names != nil
    let folder = isFolder ? place : place.folder
    return try InstalledFolder(folder).file(isFolder ? Self.fileName.text : place.name.text)
  }

  /// Whether the library can be loaded and the model exists.
  var availability: SpeechEngineAvailability {
    do throws(ONNXError) {
      let model = try model()
      _ = try loadLibrary()
      return .ready(SpeechModel(language: LanguageTag.unknown, location: model.text))
    } catch {
      return .unavailable(SpeechEngineError(error, remedy: Self.remedy))
    }
  }

  private var place: FilePath? {
    environment.nonEmpty(Self.variable).map { FilePath($0) }
      ?? InstalledFolder.installed(named: Self.component, environment: environment).first
  }
}

/// The loaded network, which all streams share.
final class SileroModel: Sendable {
  /// The number of samples in a window, and the number of preceding samples that the network also
  /// receives.
  static let (window, context) = (512, 64)

  private let session: ONNXSession
  private let rate: ONNXValue
  /// The network's state at the beginning of a stream.
  private let initialMemory: ONNXValue

  /// Loads the library and the model.
  init(_ location: SileroLocation) throws(SpeechEngineError) {
    do throws(ONNXError) {
      let (model, library) = (try location.model(), try location.loadLibrary())
      session = try ONNXSession(model: model, in: library)
      try session.require(
        inputs: [
          ONNXPort("input", .float, [nil, nil]), ONNXPort("state", .float, [2, nil, 128]),
          ONNXPort("sr", .int64, []),
        ],
        outputs: [
          ONNXPort("output", .float, [nil, 1]), ONNXPort("stateN", .float, [nil, nil, nil]),
        ])
      rate = try ONNXValue([Int64(16_000)], shape: [], in: library)
      initialMemory = try ONNXValue(of: Float.self, shape: [2, 1, 128], in: library)
    } catch {
      throw SpeechEngineError(error, remedy: SileroLocation.remedy)
    }
  }

  /// Evaluates a window, preceded by the last samples of the previous window.
  ///
  /// `memory` is the state after the previous window; nil at the beginning of a stream.
  ///
  /// - Returns: the probability of speech, and the state after the window.
  func judge(
    _ samples: [Float], remembering memory: ONNXValue?
  ) throws(SpeechEngineError) -> (probability: Double, memory: ONNXValue) {
    do throws(ONNXError) {
      let input = try ONNXValue(samples, shape: [1, samples.count], in: session.library)
      let outputs = try session.run(
        [("input", input), ("state", memory ?? initialMemory), ("sr", rate)],
        outputs: ["output", "stateN"])
      let probability = try outputs[0].withElements(of: Float.self) { $0.first ?? 0 }
      return (Double(probability), outputs[1])
    } catch {
      throw SpeechEngineError(error, remedy: SileroLocation.remedy)
    }
  }
}

/// A session of Silero for one stream.
final class SileroSession: SpeechActivitySession {
  let frameLength = FrameCount(SileroModel.window)

  private let model: () throws(SpeechEngineError) -> SileroModel
  /// The last samples of the previous frame.
  private var context = silence
  /// The state of the network; nil at the beginning of a stream.
  private var memory: ONNXValue?
  /// The recent peak, which decays slowly.
  private var peak: Float = 0

  /// The peak to which quieter audio is amplified, by at most 30 dB, because the network misses
  /// very quiet speech.
  private static let usualPeak: Float = 0.25
  private static let leastPeak = usualPeak / 32
  /// The factor by which the peak decays per frame: by half in 3 s.
  private static let release: Float = 0.992_6
  private static let silence = [Float](repeating: 0, count: SileroModel.context)

  /// - Parameter model: returns the network; called at the first frame.
  init(model: @escaping () throws(SpeechEngineError) -> SileroModel) {
    self.model = model
  }

  func process(_ frame: ArraySlice<Float>) throws(SpeechEngineError) -> [Double] {
    // NaN is replaced, because it would stay in the network's state.
    let samples = context + frame.map { $0.isFinite ? min(max($0, -1), 1) : 0 }
    context = Array(samples.suffix(SileroModel.context))
    peak = samples.reduce(max(peak * Self.release, Self.leastPeak)) { max($0, abs($1)) }
    let gain = max(1, Self.usualPeak / peak)
    let (probability, memory) = try model().judge(samples.map { $0 * gain }, remembering: memory)
    self.memory = memory
    return [probability]
  }

  func flush() -> [Double] {
    (context, memory) = (Self.silence, nil)
    return []
  }
}
