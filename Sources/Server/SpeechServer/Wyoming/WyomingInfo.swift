import AudioCore
import AudioThreads
import SpeechEngine
import Wyoming

extension SpeechEngine {
  /// Returns the `info` event of a server with this engine, without models if the caller is
  /// canceled.
  ///
  /// The models are listed on a separate thread, because the engine may have to wait for another
  /// server.
  func info() async -> WyomingEvent {
    let unknown = Self.info(name, [])
    return await DedicatedThread.run(
      name: "syrinx-info", abandoned: unknown, failed: { _ in unknown },
      { Self.info((choose(SpeechSessionOptions()) ?? self).name, models()) })
  }

  /// Returns the `info` event for an engine; without models, the event has no program.
  static func info(_ name: String, _ models: [SpeechModel]) -> WyomingEvent {
    guard !models.isEmpty else { return WyomingEvent("info", ["asr": []]) }
    let artifacts = models.map { model in
      artifact(
        "\(name)-\(model.language)", "The model of \(name) for \(model.language)",
        [
          "languages": [.string(model.language)],
          "attribution": ["name": .string(name), "url": .string(homepages[name] ?? "")],
        ])
    }
    let program = artifact(
      name, "Syrinx with \(name)",
      [
        "models": .array(artifacts),
        "attribution": ["name": "Syrinx", "url": .string(SyrinxVersion.homepage)],
        "supports_transcript_streaming": true,
        // Both are true, because Home Assistant itself detects the end of a command.
        "requires_external_vad": true, "prefers_auto_gain_enabled": true,
        "prefers_noise_reduction_enabled": false, "version": .string(SyrinxVersion.current),
      ])
    return WyomingEvent("info", ["asr": [program]])
  }

  /// Returns an entry of an `info` event with common fields and the fields in `details`.
  private static func artifact(
    _ name: String, _ description: String, _ details: [String: JSONValue]
  ) -> JSONValue {
    let common: [String: JSONValue] = [
      "name": .string(name), "description": .string(description), "installed": true,
      "version": .null,
    ]
    return .object(common.merging(details) { $1 })
  }

  /// The engines' pages on the web.
  private static var homepages: [String: String] {
    [
      "moonshine": "https://github.com/moonshine-ai/moonshine",
      "pocketsphinx": "https://cmusphinx.github.io", "vosk": "https://alphacephei.com/vosk/",
      "wyoming": "https://github.com/OHF-Voice/wyoming",
    ]
  }
}
