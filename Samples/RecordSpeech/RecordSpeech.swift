import Foundation
import Syrinx
import SyrinxTestSupport

/// Recognizes a file once with the real engine and records the results for tests to replay.
@main
enum RecordSpeech {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
    guard arguments.count == 2 else {
      print("usage: RecordSpeech SOUND RECORDING.jsonl")
      exit(64)
    }
    do {
      try await record(arguments[0], to: arguments[1])
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func record(_ sound: URL, to recording: URL) async throws {
    @Dependency(\.speechClient) var speech
    let recorded = try speech.recording(to: recording)
    for try await result in await recorded.startTask(request: SpeechRequest(url: sound))
    where result.isFinal {
      print(result.bestTranscription.formattedString)
    }
  }
}
