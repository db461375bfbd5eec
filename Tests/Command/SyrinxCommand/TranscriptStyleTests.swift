#if Plots
import AudioPlots
#endif
import ArgumentParser
import FilePaths
import Foundation
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
    let begin = try text.begin()
    let middle = try results.flatMap { try text.add($0) }
    return try begin + middle + text.end()
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
  func `the cues of speakers who interrupt each other are in the order of their starts`() throws {
    func spoken(
      _ text: String, by channel: Int, from start: Duration = .zero
    ) -> SpeechRecognitionResult {
      var result = result(text, from: start)
      result.channel = channel
      return result
    }
    let lines = try lines(
      .cues(.tsv), spoken("a b c d e f g h i j k l m n o p q r", by: 0),
      spoken("yes", by: 1, from: .seconds(4)), spoken("well then", by: 0, from: .seconds(20)),
      spoken("no", by: 1, from: .seconds(40)))
    let starts = lines.dropFirst().compactMap { Int($0.prefix { $0 != "\t" }) }
    #expect(starts == starts.sorted() && starts.count == lines.count - 1, "\(lines)")
    #expect(starts.contains(4_000) && lines.contains { $0.hasSuffix("Right: yes") })
    #expect(starts.count > 5 && lines.last?.hasSuffix("Right: no") == true)
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

  @Test
  func `a transcript in openai-whisper's JSON has its keys, and spaces before words`() throws {
    var text = TranscriptText(
      style: .whisperJSON, cuePolicy: CuePolicy(wordsPerCue: 2), language: "en-US")
    let words = ["go", "\"on\"", "now"].enumerated().map { index, word in
      TranscriptionSegment(
        substring: word, timestamp: .seconds(index), duration: .seconds(1),
        confidence: index == 2 ? nil : 0.5)
    }
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: words), isFinal: true)
    let lines = try text.begin() + text.add(result) + text.end()
    let data = Data(lines.joined(separator: "\n").utf8)
    let whole = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(whole["language"] as? String == "en")
    #expect(whole["text"] as? String == " go \"on\" now")
    let segments = try #require(whole["segments"] as? [[String: Any]])
    #expect(segments.map { $0["id"] as? Int } == [0, 1])
    #expect(segments.map { $0["text"] as? String } == [" go \"on\"", " now"])
    #expect(
      Set(segments[0].keys) == [
        "id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob",
        "compression_ratio", "no_speech_prob", "words",
      ])
    #expect(segments[0]["avg_logprob"] as? Double == -0.693)
    let word = try #require((segments[0]["words"] as? [[String: Any]])?.last)
    #expect(word["word"] as? String == " \"on\"" && word["probability"] as? Double == 0.5)
    #expect(word["start"] as? Double == 1 && word["end"] as? Double == 2)
    #expect(segments[1]["end"] as? Double == 3)
  }

  @Test
  func `openai-whisper's JSON without results is complete`() throws {
    let text = try lines(.whisperJSON).joined()
    #expect(text == #"{"language":"und","segments":[],"text":""}"#)
  }

  @Test(arguments: [
    ("--max-words 1 --format words", "limit subtitles"), ("--max-lines 3", "limit subtitles"),
    ("--min-gap 0.1 --format json", "limit subtitles"),
    ("--max-line-width 0 --format srt", "--max-line-width 0 is out of range"),
    ("--max-duration 0 --format srt", "--max-duration 0.0 is out of range"),
    ("--min-gap -1 --format vtt", "--min-gap"), ("--max-words 2k --format vtt", "--max-words"),
  ])
  func `limits of subtitles are refused without subtitles, and outside of their range`(
    options: String, reason: String
  ) throws {
    for command in ["transcribe a.wav", "listen"] {
      let words = "\(command) \(options)".split(separator: " ").map(String.init)
      let error = #expect(throws: (any Error).self) { try RootCommand.parsed(words) }
      #expect(error.map { RootCommand.message(for: $0) }?.contains(reason) == true)
    }
  }

  @Test
  func `the options set the limits of subtitles`() throws {
    let words = """
      transcribe a.wav -o a.srt --max-line-width 30 --max-lines 3 --max-words 4 --max-duration 5 \
      --min-gap 0.5
      """.split(separator: " ").map(String.init)
    let command = try #require(try RootCommand.parsed(words) as? TranscribeCommand)
    #expect(
      command.transcript.cuePolicy
        == CuePolicy(
          charactersPerLine: 30, linesPerCue: 3, maximumDuration: .seconds(5),
          gap: .milliseconds(500), wordsPerCue: 4))
  }

  #if Plots
  @Test(arguments: [CueFormat.srt, .vtt, .wordTimedVTT])
  func `the project's own reader of subtitles reads the written times and texts`(
    format: CueFormat
  ) throws {
    let text = try lines(
      .cues(format), result("go > & on"), result("stop", from: .seconds(6)))
    let cues = TranscriptCues(text.joined(separator: "\n")).cues
    #expect(
      cues == [
        PlotFrame.Cue(.zero ..< .seconds(4), "go > & on"),
        PlotFrame.Cue(.seconds(6) ..< .seconds(7), "stop"),
      ])
  }
  #endif
}
