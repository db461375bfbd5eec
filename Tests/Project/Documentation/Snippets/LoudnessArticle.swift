import AudioCore
import Foundation
import Loudness
import SoundFile
import Testing

/// The examples of `Loudness.docc`.
@Suite struct LoudnessArticleTests {
  @Test func `a file that cannot be opened has no loudness`() async {
    await #expect(throws: SoundFileError.self) {
      try await measure(URL(filePath: "no-such-file.wav"))
    }
  }

  @Test func `a stream of silence has no loudness`() async throws {
    let microphone = AsyncThrowingStream<AudioBuffer, any Error> { continuation in
      continuation.yield(AudioBuffer(silence: 1_600, format: .speech))
      continuation.finish()
    }
    for try await reading in microphone.loudness(every: .milliseconds(100)) {
      print(reading.momentary, reading.shortTerm, reading.total.integrated)
    }
  }

  private func measure(_ file: URL) async throws {
    let song = try await SoundFile.buffers(of: file, framesPerBuffer: 16_384).measured()
    guard let song else { return }  // no audio
    print(song.integrated, song.truePeak, song.clippedSampleCount)
    let gain = Decibels(-16 - song.integrated.lufs)  // to −16 LUFS
    print(gain)
  }
}
