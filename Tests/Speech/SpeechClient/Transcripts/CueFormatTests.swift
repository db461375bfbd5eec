import SpeechClient
import Testing

struct CueFormatTests {
  private let cue = Cue(
    start: .milliseconds(3_723_004), end: .milliseconds(3_724_500), lines: ["a < b & c", "d\te"])

  @Test
  func `SubRip cues have numbers, and times with commas`() {
    #expect(CueFormat.srt.header == nil)
    #expect(
      CueFormat.srt.text(of: cue, number: 7)
        == "7\n01:02:03,004 --> 01:02:04,500\na < b & c\nd\te\n")
  }

  @Test
  func `WebVTT has a header, times with points, and escaped special characters`() {
    #expect(CueFormat.vtt.header == "WEBVTT\n")
    #expect(
      CueFormat.vtt.text(of: cue, number: 7)
        == "01:02:03.004 --> 01:02:04.500\na &lt; b &amp; c\nd\te\n")
  }

  @Test
  func `a table has a row for each cue, with times in milliseconds`() {
    #expect(CueFormat.tsv.header == "start\tend\ttext")
    #expect(CueFormat.tsv.text(of: cue, number: 7) == "3723004\t3724500\ta < b & c d e")
  }

  @Test(arguments: CueFormat.allCases)
  func `the name of a speaker adds no lines or columns`(format: CueFormat) {
    func separators(_ speaker: String) -> Int {
      let cue = Cue(start: .zero, end: .seconds(1), lines: ["go"], speaker: speaker)
      return format.text(of: cue, number: 1).count { $0 == "\t" || $0.isNewline }
    }
    #expect(separators("a\tb\r\nc\nd") == separators("a"))
  }

  private func words(_ words: (String, Int, Double?)...) -> [TranscriptionSegment] {
    words.map {
      TranscriptionSegment(
        substring: $0, timestamp: .milliseconds($1), duration: .milliseconds(400), confidence: $2)
    }
  }

  @Test
  func `WebVTT with word times has the time before each word but the first`() {
    let cue = Cue(
      start: .milliseconds(1_000), end: .milliseconds(3_000), lines: ["go <on> on", "now"],
      words: words(("go", 1_000, nil), ("<on>", 1_400, nil), ("on", 1_400, nil), ("now", 2_500, 1)))
    #expect(CueFormat.wordTimedVTT.header == "WEBVTT\n")
    #expect(
      CueFormat.wordTimedVTT.text(of: cue, number: 1)
        == """
        00:00:01.000 --> 00:00:03.000
        go <00:00:01.400>&lt;on&gt; on
        <00:00:02.500>now

        """)
    #expect(
      CueFormat.wordTimedVTT.text(of: self.cue, number: 1)
        == CueFormat.vtt.text(of: self.cue, number: 1))
  }

  @Test
  func `a table of words has a row for each word, with its confidence if it is known`() {
    let cue = Cue(
      start: .zero, end: .seconds(3), lines: ["go on"],
      words: words(("go", 1_000, 0.98765), ("o\tn", 1_400, nil)))
    #expect(CueFormat.words.header == "start\tend\tword\tconfidence")
    #expect(
      CueFormat.words.text(of: cue, number: 1) == "1000\t1400\tgo\t0.988\n1400\t1800\to n\t")
  }

  @Test func `a time too long for an integer of milliseconds can be written`() async {
    await #expect(processExitsWith: .success) {
      for seconds in [Int64(1 << 54), .max] {
        let cue = Cue(start: .seconds(seconds), end: .seconds(seconds), lines: ["a"])
        for format in CueFormat.allCases { _ = format.text(of: cue, number: 1) }
      }
    }
  }
}
