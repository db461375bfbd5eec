import SpeechClient
import TestTools
import Testing

/// Checks the promises of `CuePolicy` on random transcripts and limits.
struct CueLimitsTests {
  private struct Sample {
    var policy = CuePolicy()
    var utterances: [Transcription] = []
    var cues: [Cue] = []

    /// Makes a transcript of up to 300 words, in Latin or Chinese script, with pauses.
    init(seed: UInt64) {
      var numbers = SeededNumbers(seed: seed)
      policy.charactersPerLine = .random(in: 8...50, using: &numbers)
      policy.linesPerCue = .random(in: 1...3, using: &numbers)
      policy.wordsPerCue = Bool.random(using: &numbers) ? .max : .random(in: 1...6, using: &numbers)
      policy.maximumDuration = .milliseconds(Int.random(in: 500...8_000, using: &numbers))
      policy.gap = .milliseconds(Int.random(in: 0...100, using: &numbers))
      let letters = seed % 4 == 0 ? "\u{6F22}\u{5B57}\u{3042}" : "aehmnst"
      var time = Duration.milliseconds(Int.random(in: 0...3_000, using: &numbers))
      for _ in 0..<Int.random(in: 1...12, using: &numbers) {
        var words: [TranscriptionSegment] = []
        for _ in 0..<Int.random(in: 1...25, using: &numbers) {
          let pause = Int.random(in: 0...9, using: &numbers)
          if pause < 3 { time += .milliseconds([40, 300, 900][pause]) }
          let length = Duration.milliseconds(Int.random(in: 200...900, using: &numbers))
          var text = String(
            (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
              letters.randomElement(using: &numbers) ?? "a"
            })
          switch Int.random(in: 0...12, using: &numbers) {
          case 0: text += "."
          case 1: text += ","
          case 2: text = "\(Int.random(in: 2...2_000, using: &numbers))"
          case 3: text = "kilometers"
          default: break
          }
          words.append(TranscriptionSegment(substring: text, timestamp: time, duration: length))
          time += length
        }
        utterances.append(Transcription(segments: words))
      }
      var builder = CueBuilder(policy: policy)
      for utterance in utterances { cues += builder.add(utterance) }
      cues += builder.flush()
    }
  }

  private func columns(_ text: String) -> Int {
    text.reduce(0) { $0 + ($1 >= "\u{3000}" ? 2 : 1) }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `cues have every word once, in order, at its time, and keep their limits`(seed: UInt64) {
    let sample = Sample(seed: seed)
    let (policy, cues) = (sample.policy, sample.cues)
    #expect(cues.flatMap(\.words) == sample.utterances.flatMap(\.segments))
    for cue in cues {
      // The lines have the words of the cue and nothing else.
      let text = cue.words.map(\.substring).joined()
      #expect(cue.lines.joined().filter { $0 != " " } == text)
      let isOneWord = cue.words.count == 1
      #expect(cue.words.count <= policy.wordsPerCue)
      #expect(cue.lines.count <= policy.linesPerCue || isOneWord)
      for line in cue.lines {
        #expect(columns(line) <= policy.charactersPerLine || !line.contains(" "))
      }
      let length = cue.words.reduce(.zero) { max($0, $1.timestamp + $1.duration) } - cue.start
      #expect(cue.end - cue.start <= max(policy.maximumDuration, isOneWord ? length : .zero))
      #expect(cue.start < cue.end)
    }
    for (cue, next) in zip(cues, cues.dropFirst()) {
      #expect(next.start - cue.end >= policy.gap)
      // Half of a word's time may go to the gap before its cue, and half of the rest to the gap after.
      #expect(cue.end - cue.start >= .milliseconds(50))
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `no cue and no line ends between a number and its unit, unless both do not fit`(
    seed: UInt64
  ) {
    let sample = Sample(seed: seed)
    let policy = sample.policy
    for (cue, next) in zip(sample.cues, sample.cues.dropFirst()) {
      guard let number = cue.words.last, number.substring.allSatisfy(\.isNumber),
        let unit = next.words.first, unit.substring == "kilometers"
      else { continue }
      let isOneUtterance = sample.utterances.contains {
        $0.segments.contains(number) && $0.segments.contains(unit)
      }
      let together = unit.timestamp + unit.duration - number.timestamp
      let text = "\(number.substring) kilometers"
      let fits =
        together <= policy.maximumDuration && policy.wordsPerCue > 1
        && (columns(text) <= policy.charactersPerLine || policy.linesPerCue > 1)
      #expect(!isOneUtterance || !fits, "\(cue.lines) | \(next.lines)")
    }
    for cue in sample.cues {
      for (line, next) in zip(cue.lines, cue.lines.dropFirst()) {
        guard next.hasPrefix("kilometers"), let number = line.split(separator: " ").last,
          number.allSatisfy(\.isNumber)
        else { continue }
        #expect(columns("\(number) kilometers") > policy.charactersPerLine)
      }
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a cue is shown long enough to be read, as far as the next cue and the limits allow`(
    seed: UInt64
  ) {
    let sample = Sample(seed: seed)
    for (cue, next) in zip(sample.cues, sample.cues.dropFirst()) {
      let columns = cue.lines.reduce(0) { $0 + self.columns($1) }
      let readable = Duration.seconds(Double(columns) / 21)
      let wanted = min(max(.seconds(1), readable), sample.policy.maximumDuration)
      let room = next.start - sample.policy.gap - cue.start
      #expect(cue.end - cue.start >= min(wanted, room) - .milliseconds(1))
    }
  }
}
