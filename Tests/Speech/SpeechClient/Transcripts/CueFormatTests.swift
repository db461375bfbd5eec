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

  @Test func `a time too long for an integer of milliseconds can be written`() async {
    await #expect(processExitsWith: .success) {
      for seconds in [Int64(1 << 54), .max] {
        let cue = Cue(start: .seconds(seconds), end: .seconds(seconds), lines: ["a"])
        for format in CueFormat.allCases { _ = format.text(of: cue, number: 1) }
      }
    }
  }
}
