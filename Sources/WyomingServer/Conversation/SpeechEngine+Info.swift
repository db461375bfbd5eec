import AudioThreads
import SpeechEngine
import Wyoming

extension SpeechEngine {
  /// What a server on this engine says of itself, found out on a thread of its own; without
  /// models where the caller is cancelled, because another server may take its time to answer.
  func info() async -> WyomingEvent {
    let unknown = Self.info(name, [])
    return await DedicatedThread.run(
      name: "syrinx-info", abandoned: unknown, failed: { _ in unknown },
      { Self.info(name, models()) })
  }

  /// Without a model it has no program to offer.
  static func info(_ name: String, _ models: [SpeechModel]) -> WyomingEvent {
    guard !models.isEmpty else { return WyomingEvent("info", ["asr": []]) }
    let artifacts = models.map { model in
      WyomingArtifact(
        name: "\(name)-\(model.language)",
        description: "The model of \(name) for \(model.language)",
        details: ["languages": [.string(model.language)]])
    }
    let program = WyomingArtifact(
      name: name, description: "Syrinx with \(name)",
      details: [
        "models": .array(artifacts.map(\.data)), "supports_transcript_streaming": true,
        // Home Assistant decides when a command has ended.
        "requires_external_vad": true, "prefers_auto_gain_enabled": true,
        "prefers_noise_reduction_enabled": false,
      ])
    return WyomingEvent("info", ["asr": [program.data]])
  }
}
