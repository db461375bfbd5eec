import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Tests the command while it is stopped (SIGSTOP) and after it continues (SIGCONT).
@Suite struct StoppedCommandTests {
  let folder: TestFolder
  let alsa: ALSASetup

  init() async throws {
    folder = try TestFolder()
    alsa = try await ALSASetup(in: folder)
  }

  @Test func `a playback resumes after SIGSTOP without losing a frame`()
    async throws
  {
    let sound = ALSASetup.sample("tone.wav")
    let run = try await shell(
      """
      sox '\(sound)' -t raw -e signed -b 16 expected.raw
      syrinx play --device "syrinxtest:SCRIPT='format=S16 output=$PWD/played.raw'" '\(sound)' &
      \(stopAndContinue(once: "played.raw"))
      """)
    #expect(run.status == 0, "\(run.error)")
    let played = try Data(contentsOf: folder.file("played.raw"))
    #expect(played.starts(with: try Data(contentsOf: folder.file("expected.raw"))))
  }

  @Test
  func `a recording has silence between SIGSTOP and SIGCONT, and has the requested length`()
    async throws
  {
    let run = try await shell(
      """
      syrinx record --device "syrinxtest:SCRIPT='format=S16'" --rate 48000 --channels 1 \
        --seconds 5 recorded.wav &
      \(stopAndContinue(once: "recorded.wav"))
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("lost"), "\(run.error)")
    let samples = try folder.samples("recorded.wav")
    #expect(samples.count == 5 * 48_000)
    #expect(samples.filter { $0 == 0 }.count > 48_000)
  }

  @Test(arguments: [("omit", true), ("stop", false)])
  func `a recording to standard output applies --gaps to the time between SIGSTOP and SIGCONT`(
    rule: String, continues: Bool
  ) async throws {
    let run = try await shell(
      """
      syrinx record - --gaps \(rule) --device "syrinxtest:SCRIPT='format=S16'" --rate 48000 \
        --channels 1 \(continues ? "--seconds 3" : "") >recorded.wav &
      \(stopAndContinue(once: "recorded.wav"))
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("of audio was lost"), "\(run.error)")
    let samples = try folder.samples("recorded.wav")
    #expect(continues ? samples.count == 3 * 48_000 : (4_800..<144_000).contains(samples.count))
    // The card's signal contains no silence.
    #expect(samples.count { $0 == 0 } < 4_800, "\(samples.count { $0 == 0 })")
  }

  /// Returns a script that stops the background command for two seconds and waits for its end.
  ///
  /// The command is stopped one second after `file` has content.
  private func stopAndContinue(once file: String) -> String {
    """
    command=$!
    until [ -s \(file) ]; do sleep 0.05; done
    sleep 1; kill -STOP $command; sleep 2; kill -CONT $command
    wait $command
    """
  }

  private func shell(_ script: String) async throws -> BuiltCommand.Outcome {
    try await BuiltCommand.shell(script, in: folder, environment: alsa.environment)
  }
}
