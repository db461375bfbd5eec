import FilePaths
import ONNXRuntime
import SpeechEngine
import Synchronization

/// The network, which is loaded when it is first needed, and shared by all streams.
final class SileroModel: Sendable {
  /// How many samples it judges at a time, and how many before them it hears again.
  static let (window, context) = (512, 64)

  /// What one window leads to.
  struct Prediction {
    let probability: Double
    /// What the network remembers, for the next window.
    let memory: ONNXValue
  }

  /// A loaded network, and the inputs that are always the same.
  private struct Network {
    let session: ONNXSession
    let rate: ONNXValue
    /// What it remembers at the beginning of a stream.
    let memory: ONNXValue

    init(_ location: SileroLocation) throws(ONNXError) {
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
      memory = try ONNXValue(of: Float.self, shape: [2, 1, 128], in: library) { _ in }
    }
  }

  private let location: SileroLocation
  // Held while the network loads: whoever waits for it wants that very network.
  private let network = Mutex<Network?>(nil)

  init(_ location: SileroLocation) {
    self.location = location
  }

  /// Judges samples that begin with the last ones of the window before.
  ///
  /// - Parameter memory: what was remembered after that; nil at the beginning of a stream.
  func judge(
    _ samples: [Float], remembering memory: ONNXValue?
  ) throws(SpeechEngineError) -> Prediction {
    do throws(ONNXError) {
      let network = try loaded()
      let input = try ONNXValue(samples, shape: [1, samples.count], in: network.session.library)
      let outputs = try network.session.run(
        [("input", input), ("state", memory ?? network.memory), ("sr", network.rate)],
        outputs: ["output", "stateN"])
      let probability = try outputs[0].withElements(of: Float.self) { $0.first ?? 0 }
      return Prediction(probability: Double(probability), memory: outputs[1])
    } catch {
      throw SpeechEngineError(error, remedy: SileroLocation.remedy)
    }
  }

  /// Whether the library can be loaded and the model is there.
  var availability: SpeechEngineAvailability {
    do throws(ONNXError) {
      let model = try location.model()
      _ = try location.loadLibrary()
      return .ready(SpeechModel(language: "und", location: model.text))
    } catch {
      return .unavailable(SpeechEngineError(error, remedy: SileroLocation.remedy))
    }
  }

  private func loaded() throws(ONNXError) -> Network {
    let outcome = network.withLock { network -> Result<Network, ONNXError> in
      if let network { return .success(network) }
      return Result { () throws(ONNXError) in try Network(location) }.map {
        network = $0
        return $0
      }
    }
    return try outcome.get()
  }
}
