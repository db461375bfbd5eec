import AudioCore
import ONNXRuntime
import SpeechEngine

/// Silero at work on one stream.
final class SileroSession: SpeechActivitySession {
  let frameLength = FrameCount(SileroModel.window)

  private let model: SileroModel
  /// The end of the last frame.
  private var context = silence
  /// What the network remembers; nil at the beginning.
  private var memory: ONNXValue?
  /// How loud it has been lately.
  private var peak: Float = 0

  /// The network misses speech whose peaks are far below this: what is quieter is made as loud, up
  /// to 30 dB louder.
  private static let usualPeak: Float = 0.25
  private static let leastPeak = usualPeak / 32
  /// How much of the peak is left after a frame: half of it in 3 s.
  private static let release: Float = 0.992_6
  private static let silence = [Float](repeating: 0, count: SileroModel.context)

  init(model: SileroModel) {
    self.model = model
  }

  func process(_ frame: ArraySlice<Float>) throws(SpeechEngineError) -> [Double] {
    // What the network remembers of a number that is none would be none for good.
    let samples = context + frame.map { $0.isFinite ? min(max($0, -1), 1) : 0 }
    context = Array(samples.suffix(SileroModel.context))
    peak = samples.reduce(max(peak * Self.release, Self.leastPeak)) { max($0, abs($1)) }
    let gain = max(1, Self.usualPeak / peak)
    let judgement = try model.judge(samples.map { $0 * gain }, remembering: memory)
    memory = judgement.memory
    return [judgement.probability]
  }

  func finish() -> [Double] {
    (context, memory) = (Self.silence, nil)
    return []
  }
}
