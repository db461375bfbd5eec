import AudioCore
import FilePaths
import ONNXRuntime
import SpeechEngine
import Synchronization

/// The network, which all streams share and the first use loads.
final class SileroModel: Sendable {
  /// The samples of a window, and how many samples before the window precede them in the input.
  static let (window, context) = (512, 64)

  /// The result of one window.
  struct Prediction {
    let probability: Double
    /// The state of the network for the next window.
    let memory: ONNXValue
  }

  /// A loaded network and its constant inputs.
  private struct Network {
    let session: ONNXSession
    let rate: ONNXValue
    /// The state at the beginning of a stream.
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
  // Held while the network loads, because every waiting thread needs that network.
  private let network = Mutex<Network?>(nil)

  init(_ location: SileroLocation) {
    self.location = location
  }

  /// Judges a window, preceded by the last samples of the window before it.
  ///
  /// - Parameter memory: the state after that window; nil at the beginning of a stream.
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

  /// Whether the library can be loaded and the model exists.
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
