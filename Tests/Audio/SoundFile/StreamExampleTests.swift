import AudioCore
import Foundation
import Resampling
import SoundFile
import TestTools
import Testing

/// The example of README.md and `AudioCore.docc`; DocumentationTests finds it here.
@Suite struct StreamExampleTests {
  private func tidyUp(_ recording: URL, into talk: URL) async throws {
    let tidy = SoundFile.buffers(of: recording).trimmingSilence(below: Decibels(-50))
      .faded(in: .milliseconds(20), out: .milliseconds(200)).resampled(to: .speech)
      .teed(to: talk, encoding: .flac16)
    for try await reading in tidy.levels(every: .seconds(1)) { print(reading.level.rms) }
  }

  @Test func `the example creates a file without the silence at its ends`() async throws {
    let folder = try TestFolder()
    let sound = AudioSignal.sine(440).buffer(.seconds(1), format: cd).samples
    let silence = AudioBuffer(silence: 44_100, format: cd).samples
    let recording = try folder.file(
      "recording.wav", .wav16, AudioBuffer(format: cd, samples: silence + sound + silence))
    let talk = folder.file("talk.flac")
    try await tidyUp(recording, into: talk)
    let samples = try everything(talk)
    // A second of sound, and a margin of 100 ms at either side.
    #expect(abs(samples.count - 19_200) <= 2)
    #expect(samples.max().map { $0 > 0.45 && $0 < 0.55 } == true)
  }
}
