// Records five seconds and prints what was said: swift run Memo
import Foundation
import Syrinx

@main
struct Memo {
  @Dependency(\.audioRecorder) private var recorder
  @Dependency(\.continuousClock) private var clock
  @Dependency(\.speechClient) private var speech

  static func main() async {
    prepareDependencies { $0.speechEngine = .best }
    do {
      for line in try await Memo().lines(of: .seconds(5), in: URL(filePath: "memo.wav")) {
        print(line)
      }
    } catch {
      FileHandle.standardError.write(Data("Memo: \(error)\n".utf8))  // a sentence for users
      exit(1)
    }
  }

  /// Records into a file and returns its utterances.
  func lines(of length: Duration, in file: URL) async throws -> [String] {
    let recording = try await recorder.beginRecording(url: file)
    try await clock.sleep(for: length)
    try await recording.stop()
    let request = SpeechRequest(url: file, shouldReportPartialResults: false)
    return try await speech.startTask(request: request).finalTranscripts()
  }
}
