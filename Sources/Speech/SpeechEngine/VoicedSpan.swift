package import AudioCore

/// Locates the voice in an utterance by the levels of its 10 ms steps.
package struct VoicedSpan {
  /// 25 dB as a ratio of energies; a step more than 25 dB below the loudest step is not voice.
  static let ratio: Float = 316
  static let step = 160

  private var energies: [Float] = []
  private var rest: [Float] = []
  package private(set) var frameCount: FrameCount = 0

  package init() {}

  package mutating func add(_ samples: [Float]) {
    frameCount = frameCount + FrameCount(samples.count)
    rest += samples
    let whole = rest.count - rest.count % Self.step
    for begin in stride(from: 0, to: whole, by: Self.step) {
      energies.append(rest[begin..<begin + Self.step].reduce(0) { $0 + $1 * $1 })
    }
    rest.removeFirst(whole)
  }

  /// The frames from the first to the last loud step; the whole utterance if no step is loud.
  package var frames: Range<FrameCount> {
    let threshold = threshold(below: energies.max() ?? 0)
    guard threshold > 0, let first = energies.firstIndex(where: { $0 > threshold }),
      let last = energies.lastIndex(where: { $0 > threshold })
    else { return 0..<frameCount }
    return FrameCount(first * Self.step)..<FrameCount((last + 1) * Self.step)
  }

  /// Fits words to their sound: a start or end beside a pause is moved to the edge of the sound.
  ///
  /// The pause may be outside the word, or be silence at the edge of the word itself. No edge moves
  /// outward by more than 0.3 s.
  ///
  /// - Parameter words: the words' frames; nil for a word whose time is unknown, which counts as
  ///   adjacent to its neighbors.
  package func fitting(_ words: [Range<FrameCount>?]) -> [Range<FrameCount>?] {
    let steps = words.map { word in
      word.map {
        ($0.lowerBound.rawValue / Self.step..<$0.upperBound.rawValue / Self.step)
          .clamped(to: energies.indices)
      }
    }
    var last = 0
    return steps.indices.map { index in
      guard let word = steps[index] else { return nil }
      let (begin, end) = (word.lowerBound, word.upperBound)
      // The previous word may have been extended over the sound between the two words, so its new
      // end (`last`) limits this word.
      let before = index > 0 ? max(last, steps[index - 1]?.upperBound ?? begin) : begin - Self.reach
      let after = index + 1 < steps.count ? steps[index + 1]?.lowerBound ?? end : end + Self.reach
      let fitted = fitting(word, within: before..<max(before, after))
      last = fitted.upperBound
      return FrameCount(fitted.lowerBound * Self.step)..<FrameCount(fitted.upperBound * Self.step)
    }
  }

  /// Returns the word with its ends moved to the edges of the sound.
  ///
  /// An end is moved only if a pause is beside it, outside or inside the word. It is never moved
  /// outward beyond `room`, the steps between the neighboring words.
  private func fitting(_ word: Range<Int>, within room: Range<Int>) -> Range<Int> {
    let threshold = threshold(below: energies[word].max() ?? 0)
    let isLoud = { (step: Int) in energies[step] > threshold }
    var (begin, end) = (word.lowerBound, word.upperBound)
    if max(begin - room.lowerBound, word.prefix { !isLoud($0) }.count) >= Self.pause {
      let outside = (min(begin, max(0, room.lowerBound, begin - Self.reach))..<begin).reversed()
      begin = Self.edge(inside: Array(word), outside: Array(outside), isLoud) ?? begin
    }
    if max(room.upperBound - end, word.reversed().prefix { !isLoud($0) }.count) >= Self.pause {
      let outside = end..<max(end, min(energies.count, room.upperBound, end + Self.reach))
      let last = Self.edge(inside: word.reversed(), outside: Array(outside), isLoud)
      end = last.map { $0 + 1 } ?? end
    }
    return begin < end ? begin..<end : word
  }

  /// Returns the outermost step of the sound at one end of a word; nil if there is none.
  ///
  /// `inside` contains the word's steps, inward from that end, and `outside` contains the steps
  /// beside the word, outward from that end.
  private static func edge(inside: [Int], outside: [Int], _ isLoud: (Int) -> Bool) -> Int? {
    var edge: Int?
    var quiet = 0
    for step in outside where quiet <= dip {
      quiet = isLoud(step) ? 0 : quiet + 1
      if quiet == 0 { edge = step }
    }
    return edge ?? inside.first(where: isLoud)
  }

  /// The minimum length of a pause in steps; a pause is the space between two words, or silence at
  /// the edge of a word.
  private static let pause = 10
  /// The maximum number of steps by which the start or end of a word is moved outward.
  private static let reach = 30
  /// The maximum duration of a quieter part within a sound, in steps.
  private static let dip = 8

  /// Returns the threshold above which steps are voice.
  ///
  /// The threshold is 25 dB below the loudest step, or 6 dB above the noise if that is higher. It
  /// is never higher than 10 dB below the loudest step.
  private func threshold(below loudest: Float) -> Float {
    let quietest = energies.isEmpty ? 0 : energies.sorted()[energies.count / 10]
    return max(loudest / Self.ratio, min(quietest * 4, loudest / 10))
  }
}
