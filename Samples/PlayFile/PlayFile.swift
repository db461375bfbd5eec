// Plays a file and prints its events: swift run PlayFile FILE [DEVICE]
import Foundation
import Syrinx

@main
enum PlayFile {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      print("usage: PlayFile FILE [DEVICE]")
      exit(64)
    }
    do {
      try await play(path, on: arguments.dropFirst().first)
    } catch {
      FileHandle.standardError.write(Data("PlayFile: \(error)\n".utf8))
      exit(1)
    }
  }

  static func play(_ path: String, on device: String?) async throws {
    let request = PlaybackRequest(
      source: .file(URL(fileURLWithPath: path)),
      device: device.map { AudioDevice.ID(rawValue: $0) })
    try await withDependencies {
      // A program sets its sound card in one place, and everything below uses that card.
      if device == "virtual" {
        $0.soundCard = VirtualSoundCard(keepsPlayback: false).soundCard
      }
      // The device uses the file's format and closes after the file, because no file follows.
      $0.playbackIdleTime = .zero
    } operation: {
      @Dependency(\.audioPlayer) var player
      for try await event in await player.playback(request: request) {
        switch event {
        case .started(let start): print("playing on \(start.device) at \(start.format)")
        case .xrun(let silence), .starved(let silence):
          print("interrupted for \(silence.inSeconds) s")
        case .finished(let finish): print("played \(finish.played.inSeconds) s")
        case .limited(let gain): print("turned down by \(-gain.value) dB")
        default: break
        }
      }
    }
  }
}
