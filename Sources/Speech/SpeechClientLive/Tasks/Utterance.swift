import AudioCore
import SpeechClient
import SpeechEngine

/// The current utterance of a task so far: a stretch of speech, or several that were joined.
struct Utterance {
  typealias Word = SpeechHypothesis.Word

  /// A stretch of the utterance's audio without a gap: its frames and its sound in the stream, and,
  /// once the stretch has ended, the detector's highest probability of speech in it.
  private typealias Stretch = (
    frames: Range<FrameCount>, sound: Range<FrameCount>, certainty: Double
  )

  /// The utterance's first frame in the stream.
  private(set) var start: FrameCount
  /// The frames of the stream from the start of the first sound to the end of the last sound; the
  /// end is provisional until the last sound has ended.
  private(set) var sound: Range<FrameCount>
  /// The end of the utterance's audio in the stream.
  private(set) var end: FrameCount
  /// The length of the utterance's audio.
  private(set) var length: FrameCount = 0
  var lengthAtPartial: FrameCount = 0
  private(set) var voicing = VoicingMeter()
  /// The detector's highest probability of speech in the utterance, once the utterance is over.
  private(set) var certainty = 0.0
  /// The failure of the engine in this utterance.
  var failure: SpeechClientError?
  /// The minimum pause between words that divides the utterance into results; nil if the utterance
  /// has only one result.
  private let pause: FrameCount?
  private var stretches: [Stretch] = []

  /// The newest stretch of audio; `stretches` is never empty, because the initializer adds one.
  private var last: Stretch {
    get { stretches[stretches.count - 1] }
    _modify { yield &stretches[stretches.count - 1] }
  }

  /// Whether several stretches of speech were joined.
  var isJoined: Bool { stretches.count > 1 }

  /// Creates an utterance.
  ///
  /// `pause` is the minimum pause between words that divides the utterance into results; nil for a
  /// single result.
  init(start: FrameCount = 0, sound: FrameCount = 0, pause: Duration? = nil) {
    self.pause = pause.map { FrameCount($0, at: .speech) }
    (self.start, self.sound, end) = (start, sound..<sound, start)
    resume(at: start, sound: sound)
  }

  /// Adds the next samples.
  mutating func add(_ samples: [Float]) {
    length = length + FrameCount(samples.count)
    end = end + FrameCount(samples.count)
    voicing.add(samples)
    last.frames = last.frames.lowerBound..<end
    sound = sound.lowerBound..<max(sound.lowerBound, end)
  }

  /// Begins another stretch of audio at this frame of the stream; the first sound in it begins at
  /// `sound`.
  mutating func resume(at frame: FrameCount, sound: FrameCount) {
    end = frame
    stretches.append((frames: frame..<frame, sound: sound..<sound, certainty: 0))
  }

  /// Ends the newest stretch of audio, whose last sound is followed by `silence`.
  ///
  /// `certainty` is the detector's highest probability of speech in the stretch.
  mutating func endSound(after silence: FrameCount, certainty: Double) {
    let begin = last.sound.lowerBound
    last.sound = begin..<max(begin, end - silence)
    last.certainty = certainty
    sound = sound.lowerBound..<last.sound.upperBound
    self.certainty = max(self.certainty, certainty)
  }
}

extension Utterance {
  /// A part of the utterance with its own result.
  ///
  /// The frames of the hypothesis are counted from the part's first frame.
  typealias Part = (utterance: Utterance, hypothesis: SpeechHypothesis)

  /// Divides the hypothesis at the ends of sentences and at pauses; a hypothesis without words is
  /// one part.
  func parts(of hypothesis: SpeechHypothesis) -> [Part] {
    guard let pause else { return [(self, hypothesis)] }
    let place = { placed($0, areEstimated: hypothesis.hasEstimatedTimes) }
    let runs = place(hypothesis.words).divided(pause: pause)
    let alternatives = hypothesis.alternatives.map { place($0).divided(like: runs) }
    let sounds = wordlessSounds(in: hypothesis)
    return runs.indices.map { index in
      let isLast = index == runs.count - 1
      var part: Part = (self, hypothesis)
      var (soundBegin, soundEnd) = (sound.lowerBound, sound.upperBound)
      if let begin = runs[index].first?.frames.lowerBound {
        if index > 0 { part.utterance.start = begin }
        // Sounds without words before the first word are separate utterances, so they are not
        // included.
        if index > 0 || sounds.contains(where: { $0.upperBound <= begin }) {
          soundBegin = begin
        }
      }
      if let end = runs[index].last?.frames.upperBound {
        if !isLast { part.utterance.end = end }
        if !isLast || sounds.contains(where: { $0.lowerBound >= end }) { soundEnd = end }
      }
      var seen: Set<[String]> = [[], runs[index].map(\.text)]
      let others = alternatives.map { $0[index] }.filter {
        seen.insert($0.map(\.text)).inserted
      }
      // A word may lie outside the sound that the detector found, so `soundEnd` may precede
      // `soundBegin`.
      part.utterance.sound = soundBegin..<max(soundBegin, soundEnd)
      part.utterance.certainty = certainty(in: part.utterance.start..<part.utterance.end)
      part.hypothesis.words = runs[index].counted(from: part.utterance.start)
      part.hypothesis.alternatives = others.map { $0.counted(from: part.utterance.start) }
      return part
    }
  }

  /// Returns the frames in the stream from the first of these words to the last; nil without words.
  func frames(of words: [Word]) -> Range<FrameCount>? {
    guard let first = words.first, let last = words.last else { return nil }
    let begin = start + first.frames.lowerBound
    return begin..<max(begin, start + last.frames.upperBound)
  }

  /// Returns the sounds of a joined utterance in which the hypothesis has no word; none if the word
  /// times are estimated.
  func wordlessSounds(in hypothesis: SpeechHypothesis) -> [Range<FrameCount>] {
    guard isJoined, !hypothesis.words.isEmpty, !hypothesis.hasEstimatedTimes else {
      return []
    }
    let words = placed(hypothesis.words, areEstimated: false)
    return stretches.map(\.sound).filter { sound in
      !words.contains { $0.frames.overlaps(sound) || sound.contains($0.middle) }
    }
  }

  /// Returns the detector's highest probability of speech in these frames of the stream.
  private func certainty(in frames: Range<FrameCount>) -> Double {
    stretches.filter { $0.frames.overlaps(frames) }.map(\.certainty).max() ?? certainty
  }

  /// Returns the words with their frames in the stream.
  ///
  /// If the utterance is joined and its word times are estimated, the words are spread over only
  /// its sounds.
  private func placed(_ words: [Word], areEstimated: Bool) -> [Word] {
    let isSpread = areEstimated && isJoined
    var length: FrameCount = 0
    let spans = stretches.map { stretch in
      let frames = isSpread ? stretch.sound : stretch.frames
      defer { length = length + (frames.upperBound - frames.lowerBound) }
      return (offset: length, frames: frames)
    }
    let places = isSpread ? Word.spread(words.map(\.text), over: 0..<length) : words
    return zip(words, places).map { word, place in
      let span = spans.last { $0.offset <= place.middle } ?? spans[0]
      let bounds = [place.frames.lowerBound, place.frames.upperBound].map {
        min(
          max(span.frames.lowerBound, span.frames.lowerBound + ($0 - span.offset)),
          span.frames.upperBound)
      }
      var word = word
      word.frames = bounds[0]..<bounds[1]
      return word
    }
  }
}

extension [SpeechHypothesis.Word] {
  /// Divides the words into runs at the ends of sentences and at pauses; if there are no words,
  /// returns one empty run.
  fileprivate func divided(pause: FrameCount) -> [[Element]] {
    reduce(into: [[]]) { runs, word in
      if let last = runs[runs.count - 1].last,
        last.text.endsSentence(before: word.text)
          || word.frames.lowerBound - last.frames.upperBound >= pause
      {
        runs.append([])
      }
      runs[runs.count - 1].append(word)
    }
  }

  /// Divides the words of an alternative into runs that align with the runs of the best text,
  /// `others`.
  fileprivate func divided(like others: [[Element]]) -> [[Element]] {
    var runs = others.map { _ in [Element]() }
    var (run, place, rest) = (0, 0, self[...])
    let keys = (others.joined().map(\.text.wordKey), map(\.text.wordKey))
    for word in WordErrorRate(reference: keys.0, hypothesis: keys.1).alignment {
      while word.reference != nil, place == others[run].count { (run, place) = (run + 1, 0) }
      if word.hypothesis != nil { runs[run].append(rest.removeFirst()) }
      if word.reference != nil { place += 1 }
    }
    return runs
  }

  fileprivate func counted(from start: FrameCount) -> Self {
    map { word in
      var word = word
      word.frames = word.frames.lowerBound - start..<word.frames.upperBound - start
      return word
    }
  }
}
