import AudioCore
import Foundation
import SoundFile
import Testing

/// The command while its sound server answers nobody.
extension PulseEndToEndTests {
  private var pause: String { "bash '\(ALSASetup.support("pulse.sh"))' pause \"$PWD/pulse\"" }
  private var proceed: String { "bash '\(ALSASetup.support("pulse.sh"))' continue \"$PWD/pulse\"" }

  @Test func `Ctrl-C ends a playback although the sound server answers nobody`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 long.wav synth 60 sine 440
      syrinx play --device pulse long.wav & playing=$!
      sleep 2
      \(pause)
      kill -INT $playing
      status=0; wait $playing || status=$?
      \(proceed)
      echo $status
      """)
    #expect(run.outputLines.last == "130", "\(run.error)")
  }

  @Test func `Ctrl-C completes a recording although the sound server answers nobody`()
    async throws
  {
    let run = try await withServer(
      """
      syrinx record --device pulse --rate 48000 --channels 1 heard.wav & recording=$!
      until [ -s heard.wav ]; do sleep 0.05; done
      # A sink that nothing plays on lets its monitor hear two seconds at a time.
      sleep 5
      \(pause)
      kill -INT $recording
      status=0; wait $recording || status=$?
      \(proceed)
      echo $status
      """)
    #expect(run.outputLines.last == "0", "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("heard.wav"))
    #expect(try #require(reader.announcedFrameCount) > 4_800)
  }

  @Test func `a sound server that answers nobody for half a second is waited for`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 sound.wav synth 3 sine 440
      syrinx play --device pulse sound.wav & playing=$!
      sleep 1
      \(pause); sleep 0.5; \(proceed)
      wait $playing
      """)
    #expect(run.status == 0, "\(run.error)")
  }
}
