import AudioCore
import Foundation
import SoundFile
import Testing

/// The command with `--wait` while its sound server is killed and started again.
extension PulseEndToEndTests {
  private var pulse: String { "bash '\(ALSASetup.support("pulse.sh"))'" }

  @Test(.timeLimit(.minutes(2)))
  func `a playback outlives its sound server`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 sound.wav synth 4 sine 440
      syrinx play --wait 60 --json --device pulse sound.wav >events & playing=$!
      sleep 1.5
      \(pulse) kill "$PWD/pulse"; sleep 1; \(pulse) start "$PWD/pulse" >/dev/null
      wait $playing
      grep -c '"event":"device' events
      tail -n 1 events
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    #expect(run.outputLines.first == "2")
    #expect(run.outputLines.last?.contains("\"heard\":4,") == true, "\(run.output)")
  }

  @Test(.timeLimit(.minutes(2)))
  func `a recording outlives its sound server, and its file has its whole length`() async throws {
    let run = try await withServer(
      """
      syrinx record --wait 60 --device pulse --rate 48000 --channels 1 --seconds 8 heard.wav &
      recording=$!
      until [ -s heard.wav ]; do sleep 0.05; done
      sleep 1
      \(pulse) kill "$PWD/pulse"; sleep 1; \(pulse) start "$PWD/pulse" >/dev/null
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("heard.wav"))
    #expect(reader.announcedFrameCount == FrameCount(384_000))
  }

  @Test(.timeLimit(.minutes(2)))
  func `a playback goes on when a server that answered nobody does so again`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 sound.wav synth 3 sine 440
      syrinx play --wait 60 --json --device pulse sound.wav >events & playing=$!
      until grep -q progress events; do sleep 0.05; done
      \(pulse) pause "$PWD/pulse"; sleep 9; \(pulse) continue "$PWD/pulse"
      wait $playing
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
  }

  @Test(.timeLimit(.minutes(2)))
  func `a recording goes on when a server that answered nobody does so again`() async throws {
    let run = try await withServer(
      """
      syrinx record --wait 60 --device pulse --rate 48000 --channels 1 --seconds 14 heard.wav &
      recording=$!
      until [ -s heard.wav ]; do sleep 0.05; done
      sleep 2
      \(pulse) pause "$PWD/pulse"; sleep 9; \(pulse) continue "$PWD/pulse"
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("heard.wav"))
    #expect(reader.announcedFrameCount == FrameCount(672_000))
  }
}
