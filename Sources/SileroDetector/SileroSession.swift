import AudioCore
import ONNXRuntime
import SpeechEngine

/// Silero at work on one stream.
final class SileroSession: SpeechActivitySession {
  let frameLength = FrameCount(SileroModel.window)

  private let model: SileroModel
  /// The end of the last frame.
  private var context = silence
  /// The state of the network; nil at the beginning of a stream.
  private var memory: ONNXValue?
  /// The recent peak, which decays slowly.
  private var peak: Float = 0

  /// The network misses speech with much lower peaks, so quieter audio is amplified to this peak, by at
  /// most 30 dB.
  private static let usualPeak: Float = 0.25
  private static let leastPeak = usualPeak / 32
  /// The factor by which the peak decays per frame: to a half in 3 s.
  private static let release: Float = 0.992_6
  private static let silence = [Float](repeating: 0, count: SileroModel.context)

  init(model: SileroModel) {
    self.model = model
  }

  func process(_ frame: ArraySlice<Float>) throws(SpeechEngineError) -> [Double] {
    // NaN would stay in the state of the network forever.
    let samples = context + frame.map { $0.isFinite ? min(max($0, -1), 1) : 0 }
    context = Array(samples.suffix(SileroModel.context))
    peak = samples.reduce(max(peak * Self.release, Self.leastPeak)) { max($0, abs($1)) }
    let gain = max(1, Self.usualPeak / peak)
    let judgment = try model.judge(samples.map { $0 * gain }, remembering: memory)
    memory = judgment.memory
    return [judgment.probability]
  }

  func finish() -> [Double] {
    (context, memory) = (Self.silence, nil)
    return []
  }
}
