import AudioCore
public import SpeechEngine

/// What a scripted engine understands of one utterance, and what it thinks on the way.
public struct ScriptedUtterance: Sendable {
  /// The words in order, where they lie in the utterance, and how sure the engine is at the end.
  public var words: [SpeechHypothesis.Word]
  /// What is thought before the end; without any, the words that have been heard to their end.
  public var revisions: [Revision]

  /// Further readings of it, the likelier first; a session gives as many as are asked for.
  public var alternatives: [String] = []

  /// An utterance from its words and what was thought on the way.
  public init(words: [SpeechHypothesis.Word], revisions: [Revision] = []) {
    self.words = words
    self.revisions = revisions
  }

  /// An utterance whose words follow one another, each as long as the others.
  public init(
    _ text: String, wordDuration: Duration = .milliseconds(200), confidence: Double? = 1
  ) {
    let length = FrameCount(wordDuration, at: .speech)
    words = text.split(separator: " ").enumerated().map { index, word in
      let begin = FrameCount(index * length.rawValue)
      return SpeechHypothesis.Word(
        String(word), frames: begin..<begin + length, confidence: confidence)
    }
    revisions = []
  }

  /// What the engine thinks once it has heard so much of the utterance.
  public struct Revision: Sendable {
    /// How much of the utterance has been heard.
    public var heard: Duration
    /// What the engine then thinks was said.
    public var text: String

    /// A revision from its parts.
    public init(after heard: Duration, _ text: String) {
      self.heard = heard
      self.text = text
    }
  }

  /// The hypothesis after so many frames at 16 kHz.
  func hypothesis(after heard: FrameCount) -> SpeechHypothesis {
    guard !revisions.isEmpty else {
      let known = words.filter { $0.frames.upperBound <= heard }
      return SpeechHypothesis(words: known.map { Word($0.text, frames: $0.frames) })
    }
    let current = revisions.last { FrameCount($0.heard, at: .speech) <= heard }
    return SpeechHypothesis(
      words: current.map { ScriptedUtterance($0.text, confidence: nil).words } ?? [])
  }

  /// The hypothesis at the end, with further readings at most as many as are wanted.
  func whole(alternatives count: Int) -> SpeechHypothesis {
    SpeechHypothesis(
      words: words,
      alternatives: alternatives.prefix(count).map { ScriptedUtterance($0, confidence: nil).words })
  }

  private typealias Word = SpeechHypothesis.Word
}
