import AudioCore

/// Joins neighboring utterances of a file, because an engine recognizes more words with more
/// context.
///
/// As many utterances are joined as the limit allows. When a new utterance exceeds the limit, the
/// waiting utterances are divided at their longest pauses.
struct UtteranceJoiner {
  typealias Action = UtteranceFinder.Action

  /// Utterances with a longer pause between them are not joined.
  ///
  /// Measured with Moonshine on nine files of clips with 0.3 to 1.5 s between them, 804 words: 46
  /// words are wrong if no utterances are joined, 41 with pauses of up to one second, and 23 with
  /// pauses of up to two seconds.
  static let longestPause = FrameCount(.seconds(2), at: .speech)

  /// The silence that ends an utterance if utterances are joined.
  ///
  /// It is shorter than the policy's `silence`, so joined utterances can be divided at more pauses.
  /// Together with the pre-roll of the next utterance, it covers a pause of half a second, so no
  /// audio of such a pause is lost.
  static let shortestPause = Duration.milliseconds(300)

  /// An utterance that waits for its neighbors.
  private struct Waiting {
    let start: FrameCount
    let sound: FrameCount
    var audio: [[Float]] = []
    var length: FrameCount = 0
    /// The silence at the end of the utterance; nil until the utterance has ended.
    var silence: FrameCount?
    var certainty = 0.0

    var endSilence: FrameCount { silence ?? 0 }
    var soundEnd: FrameCount { start + length - endSilence }

    mutating func add(_ samples: [Float]) {
      audio.append(samples)
      length = length + FrameCount(samples.count)
    }
  }

  private let limit: FrameCount
  private var waiting: [Waiting] = []

  /// The newest waiting utterance.
  private var newest: Waiting? {
    get { waiting.last }
    _modify {
      var last = waiting.popLast()
      defer { if let last { waiting.append(last) } }
      yield &last
    }
  }

  /// - Parameter limit: the maximum length of joined audio; a single utterance may be longer.
  init(limit: Duration) {
    self.limit = FrameCount(limit, at: .speech)
  }

  /// Whether no utterance is waiting.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds the next action of the finder, and returns the actions of the complete utterances.
  mutating func add(_ action: Action) -> [Action] {
    switch action {
    case .begin(let start, let sound):
      let complete = pass(to: sound)
      waiting.append(Waiting(start: start, sound: sound))
      return complete
    case .audio(let samples):
      newest?.add(samples)
    case .end(let silence, let certainty):
      newest?.silence = silence
      newest?.certainty = certainty
      return divide()
    case .pause, .resume: break
    }
    return []
  }

  /// Ends the waiting utterances if the pause before `frame` is too long to join another utterance.
  mutating func pass(to frame: FrameCount) -> [Action] {
    guard let last = waiting.last, last.silence != nil,
      frame - last.soundEnd > Self.longestPause
    else { return [] }
    return flush()
  }

  /// Returns the actions of all waiting utterances, because the audio has ended or has a gap.
  mutating func flush() -> [Action] { join(waiting.count) }

  /// Divides the waiting utterances at their longest pauses until the remaining utterances fit into
  /// the limit.
  private mutating func divide() -> [Action] {
    var actions: [Action] = []
    while waiting.count > 1, waiting.reduce(0, { $0 + $1.length.rawValue }) > limit.rawValue {
      let pauses = zip(waiting, waiting.dropFirst()).map { $1.sound - $0.soundEnd }
      let longest = pauses.indices.reversed().max { pauses[$0] < pauses[$1] } ?? 0
      actions += join(longest + 1)
    }
    return actions
  }

  /// Joins the first `count` utterances into one.
  private mutating func join(_ count: Int) -> [Action] {
    var actions: [Action] = []
    var last: Waiting?
    for utterance in waiting.prefix(count) {
      let (start, sound) = (utterance.start, utterance.sound)
      if let last {
        actions.append(
          .resume(after: last.endSilence, certainty: last.certainty, at: start, sound: sound))
      } else {
        actions.append(.begin(at: start, sound: sound))
      }
      actions += utterance.audio.map { .audio($0) }
      last = utterance
    }
    if let last {
      actions.append(.end(silence: last.endSilence, certainty: last.certainty))
    }
    waiting.removeFirst(count)
    return actions
  }
}
