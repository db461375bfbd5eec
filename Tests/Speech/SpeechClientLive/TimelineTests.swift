import AudioCore
import PocketSphinxEngine
import Resampling
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Compares the word times in a signal, which repeats a clip at known positions, with the word
/// times of the clip itself.
///
/// The clip's own word times are found by forced alignment: the grammar has only the clip's
/// sentence.
@Suite struct TimelineTests {
  private static let sentence = ["go", "forward", "ten", "meters"]

  private func clip() throws -> AudioBuffer {
    try SoundFileReader(url: sound("go-forward.wav")).read(atMost: 1_000_000)
  }

  /// Returns the beginnings and ends of the clip's words.
  private func reference() throws -> [Duration] {
    let grammar = "#JSGF V1.0; grammar a; public <a> = go forward ten meters;"
    let session = try SpeechEngine.pocketSphinx().makeSession(
      SpeechSessionOptions(grammar: grammar))
    try session.beginUtterance()
    try session.process(try clip().samples)
    let words = try session.finishUtterance().words
    #expect(words.map(\.text) == Self.sentence)
    return words.flatMap { [$0.frames.lowerBound, $0.frames.upperBound] }
      .map { $0.duration(at: .speech) }
  }

  /// Returns the samples in buffers of a tenth of a second, starting at `begin` at the format's
  /// rate.
  private func buffers(_ samples: [Float], at begin: FrameCount, format: AudioFormat) throws
    -> [AudioBuffer]
  {
    let resampler = try Resampler(from: .speech, to: format)
    let sound = AudioBuffer(format: .speech, samples: samples, firstFrame: 0)
    let pieces = [try resampler.process(sound), try resampler.flush()]
    let step = format.sampleRate.hertz / 10
    var position = begin
    return pieces.flatMap { piece in
      stride(from: 0, to: piece.frameCount.rawValue, by: step).map { first in
        let last = min(first + step, piece.frameCount.rawValue)
        var buffer = piece.frames(FrameCount(first)..<FrameCount(last))
        buffer.firstFrame = position
        position = buffer.endFrame
        return buffer
      }
    }
  }

  @Test(arguments: [
    AudioFormat.speech, AudioFormat(sampleRate: 44_100, channelCount: 2),
    AudioFormat(sampleRate: 48_000, channelCount: 1),
  ])
  func `word times are accurate to 50 ms, across utterances, resampling, and gaps`(
    format: AudioFormat
  ) async throws {
    let clip = try clip()
    let quiet = AudioSignal.noise(seed: 1, amplitude: 0.0005).buffer(.seconds(1), format: .speech)
    // Two utterances without a gap, then 12.345 s of lost audio, then two more utterances.
    let stretch = quiet.samples + clip.samples + quiet.samples + clip.samples + quiet.samples
    let length = FrameCount(stretch.count).duration(at: .speech)
    let gap = Duration.milliseconds(12_345)
    let later = FrameCount(length + gap, at: format.sampleRate)
    let buffers =
      try buffers(stretch, at: 0, format: format) + buffers(stretch, at: later, format: format)
    let tasks = SpeechTasks()
    let results = try await tasks.start(
      SpeechRequest(buffers: stream(buffers), shouldReportPartialResults: false),
      on: .pocketSphinx()
    ).all()
    #expect(results.finals == Array(repeating: Self.sentence.joined(separator: " "), count: 4))
    let clipLength = clip.frameCount.duration(at: .speech)
    let second = Duration.seconds(2) + clipLength
    let offsets = [.seconds(1), second, length + gap + .seconds(1), length + gap + second]
    let expected = try reference()
    for (result, offset) in zip(results, offsets) {
      let times = result.bestTranscription.segments.flatMap {
        [$0.timestamp, $0.timestamp + $0.duration]
      }
      for (time, reference) in zip(times, expected) {
        let error = (time - reference - offset) / .milliseconds(1)
        #expect(abs(error) <= 50, "\(error) ms at \(time)")
      }
    }
  }
}
