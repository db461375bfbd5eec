import SpeechClient

/// Where results go: final ones to standard output, partial ones there only as JSON.
struct TranscriptReport {
  let json: Bool
  let console: Console

  func show(_ result: SpeechRecognitionResult) async throws {
    if json {
      try await console.print(try UtteranceRecord(result).jsonLine())
    } else if result.isFinal && result.bestTranscription.segments.isEmpty {
      // What had been shown was no speech after all: nothing was said.
      await console.showVolatile("")
    } else if result.isFinal {
      try await console.print(result.bestTranscription.formattedString)
    } else {
      await console.showVolatile(result.bestTranscription.formattedString)
    }
  }
}
