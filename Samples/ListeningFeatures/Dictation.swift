import Syrinx

/// A feature that turns speech at the microphone into text.
///
/// It accesses the microphone only through one client, which recognizes the captured audio.
@MainActor
public final class Dictation {
  /// The final text, one line per utterance.
  public private(set) var lines: [String] = []

  /// The text of the current utterance; it may still change.
  public private(set) var draft = ""

  /// Whether the microphone is open.
  public private(set) var isListening = false

  @Dependency(\.speechClient) private var speechClient

  /// Creates an empty dictation.
  public init() {}

  /// Listens to the default microphone until the task is canceled or the microphone ends.
  public func listen() async throws {
    isListening = true
    defer { isListening = false }
    let request = SpeechRequest(microphone: .speech)
    for try await event in await speechClient.recognition(request: request) {
      switch event {
      case .result(let result): process(result)
      // An utterance in which the engine failed ends without a final result.
      case .speechEnded: draft = ""
      default: break
      }
    }
  }

  private func process(_ result: SpeechRecognitionResult) {
    let text = result.bestTranscription.formattedString
    if result.isFinal { lines.append(text) }
    draft = result.isFinal ? "" : text
  }
}
