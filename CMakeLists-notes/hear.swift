// Plays a file on a sound card and prints the words in it: hear FILE [DEVICE]
import Foundation
import Syrinx

@main
enum Hear {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      print("usage: hear FILE [DEVICE]")
      exit(64)
    }
    do {
      try await hear(URL(fileURLWithPath: path), on: arguments.dropFirst().first)
    } catch {
      FileHandle.standardError.write(Data("hear: \(error)\n".utf8))
      exit(1)
    }
  }

  static func hear(_ url: URL, on device: String?) async throws {
    let playback = PlaybackRequest(
      source: .file(url), device: device.map { AudioDevice.ID(rawValue: $0) })
    let speech = SpeechRequest(url: url, shouldReportPartialResults: false)
    try await withDependencies {
      if device == "virtual" { $0.soundCard = VirtualSoundCard().soundCard }
    } operation: {
      @Dependency(\.audioPlayer) var player
      @Dependency(\.speechClient) var speechClient
      for try await event in await player.playback(request: playback) {
        if case .finished(let finish) = event { print("played \(finish.played.inSeconds) s") }
      }
      for try await result in await speechClient.startTask(request: speech) {
        print(result.bestTranscription.formattedString)
      }
    }
  }
}
