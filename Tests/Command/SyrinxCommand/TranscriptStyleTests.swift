import FilePaths
import SpeechClient
import Testing

@testable import SyrinxCommand

struct TranscriptTextTests {
  private func result(
    _ text: String, from start: Duration = .zero, isFinal: Bool = true
  ) -> SpeechRecognitionResult {
    let segments = text.split(separator: " ").enumerated().map { index, word in
      TranscriptionSegment(
        substring: String(word), timestamp: start + .seconds(index), duration: .seconds(1))
    }
    return SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: segments), isFinal: isFinal)
  }

  private func lines(
    _ style: TranscriptStyle, _ results: SpeechRecognitionResult...
  ) throws -> [String] {
    var text = TranscriptText(style: style)
    let begin = text.begin()
    let middle = try results.flatMap { try text.add($0) }
    return begin + middle + text.end()
  }

  @Test
  func `a line of text begins with the name of its file if several files share an output`() throws {
    var text = TranscriptText(style: .text, file: "a.wav", namesFile: true)
    #expect(try text.add(result("one two")) == ["a.wav: one two"])
  }

  @Test(arguments: TranscriptStyle.all)
  func `control characters in recognized words are escaped, and letters are unchanged`(
    style: TranscriptStyle
  ) throws {
    let words = ["go\u{1B}[2J", "zé\u{200F}", "on\nforever\u{9B}", "now"].enumerated().map {
      TranscriptionSegment(
        substring: $1, timestamp: .milliseconds($0 * 100), duration: .milliseconds(100))
    }
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: words), isFinal: true)
    let text = try lines(style, result).joined(separator: "\n")
    #expect(text.contains("zé"))
    let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control }
    #expect(controls.allSatisfy { $0 == "\n" || $0 == "\t" })
    if style == .text { #expect(text == #"go\x1B[2J zé\#u{200F} on\nforever\u{9B} now"#) }
  }

  @Test
  func `a text transcript has a line for each final result with words`() throws {
    #expect(
      try lines(.text, result("go", isFinal: false), result("go on"), result(""), result("stop"))
        == ["go on", "stop"])
  }

  @Test
  func `a JSON transcript contains partial results and results without words`() throws {
    #expect(try lines(.json, result("go", isFinal: false), result("")).count == 2)
  }

  @Test
  func `cues of several speakers are in the order of their starts`() throws {
    var left = result("one. Two", from: .zero)
    var right = result("three", from: .milliseconds(500))
    (left.channel, right.channel) = (0, 1)
    #expect(
      try lines(.cues(.tsv), left, right) == [
        "start\tend\ttext", "0\t1000\tLeft: one.", "500\t1500\tRight: three",
        "1000\t2000\tLeft: Two",
      ])
    #expect(
      try lines(.text, left, right) == ["Left: one. Two", "Right: three"])
  }

  @Test
  func `cues are numbered without gaps up to the last cue`() throws {
    #expect(
      try lines(
        .cues(.srt), result("go on", isFinal: false), result("go on"),
        result("x", from: .seconds(5)))
        == ["1\n00:00:00,000 --> 00:00:02,000\ngo on\n", "2\n00:00:05,000 --> 00:00:06,000\nx\n"])
    #expect(try lines(.cues(.vtt)) == ["WEBVTT\n"])
    #expect(
      try lines(.cues(.tsv), result("go")) == ["start\tend\ttext", "0\t1000\tgo"])
  }
}
