// Prints each utterance of a file with its times: swift run TranscribeFile FILE
import Foundation
import Syrinx

@main
enum TranscribeFile {
  static func main() async {
    guard CommandLine.arguments.count == 2 else {
      print("usage: TranscribeFile FILE")
      exit(64)
    }
    do {
      try await transcribe(URL(fileURLWithPath: CommandLine.arguments[1]))
    } catch {
      FileHandle.standardError.write(Data("TranscribeFile: \(error)\n".utf8))
      exit(1)
    }
  }

  static func transcribe(_ url: URL) async throws {
    @Dependency(\.speechClient) var speechClient
    let request = SpeechRequest(url: url, shouldReportPartialResults: false)
    for try await result in await speechClient.startTask(request: request) {
      let words = result.bestTranscription.segments
      guard let first = words.first, let last = words.last else { continue }
      let end = last.timestamp + last.duration
      print(
        "\(seconds(first.timestamp))-\(seconds(end)) \(result.bestTranscription.formattedString)")
    }
  }

  static func seconds(_ time: Duration) -> String {
    String(format: "%.1f", time.inSeconds)
  }
}
