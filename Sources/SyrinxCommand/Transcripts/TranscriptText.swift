import FilePaths
import SpeechClient

/// The lines of one transcript, as its results come.
struct TranscriptText {
  let style: TranscriptStyle
  private let file: FilePath?
  private var builder = CueBuilder()
  private var count = 0

  init(style: TranscriptStyle, file: FilePath? = nil) {
    self.style = style
    self.file = file
  }

  func begin() -> [String] {
    guard case .cues(let format) = style else { return [] }
    return format.header.map { [$0] } ?? []
  }

  /// The lines that a result adds; a partial one adds some as JSON alone.
  mutating func add(_ result: SpeechRecognitionResult) throws -> [String] {
    let transcription = result.bestTranscription
    switch style {
    case .json: return [try UtteranceRecord(result, file: file).jsonLine()]
    case _ where !result.isFinal || transcription.segments.isEmpty: return []
    case .text: return [transcription.formattedString]
    case .cues(let format): return lines(of: builder.add(transcription), format)
    }
  }

  mutating func end() -> [String] {
    guard case .cues(let format) = style else { return [] }
    return lines(of: builder.finish(), format)
  }

  private mutating func lines(of cues: [Cue], _ format: CueFormat) -> [String] {
    cues.map { cue in
      count += 1
      return format.text(of: cue, number: count)
    }
  }
}
