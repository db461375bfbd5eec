import AudioCore
import Foundation
import SoundFile
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Finds the pauses of the nearest voice among other voices; a frame is 10 ms.
@Suite(.timeLimit(.minutes(5))) struct ForegroundMeterTests {
  /// Returns the longest measured pause, in frames, of a voice that pauses for a second after every
  /// four seconds.
  ///
  /// - Parameters:
  ///   - others: the energy of the other voices, relative to that of the nearest voice.
  ///   - dip: the interval, in frames, at which the detector finds no speech; nil for never.
  private func longestPause(others: Double, dip: Int? = nil) -> Int {
    var meter = ForegroundMeter(frameLength: 160)
    return (0..<2_000).map { index in
      let isSpeaking = index % 500 < 400
      // Between the syllables, only the other voices remain.
      let own = isSpeaking && index % 25 < 15 ? 1.0 : 0
      meter.add(own + others, isSpeech: dip.map { index % $0 != 0 } ?? true)
      return meter.pauseFrames
    }.max() ?? 0
  }

  @Test func `a measured pause of the nearest voice is about a quarter of a second too short`() {
    #expect((70...100).contains(longestPause(others: 0.1)))
    #expect((70...100).contains(longestPause(others: 0.03)))
  }

  @Test func `the meter finds no pause in equally loud voices or in a constant sound`() {
    #expect(longestPause(others: 1) == 0)
    var meter = ForegroundMeter(frameLength: 160)
    for _ in 0..<1_000 { meter.add(0.1, isSpeech: true) }
    #expect(meter.pauseFrames == 0)
  }

  @Test func `the meter reports no pause if the detector itself finds pauses`() {
    #expect(longestPause(others: 0.1, dip: 300) == 0)
  }

  @Test
  func `after an utterance ends, the meter reports no pause until the nearest voice speaks again`()
  {
    var meter = ForegroundMeter(frameLength: 160)
    for index in 0..<500 { meter.add(index < 400 ? 1 : 0.1, isSpeech: true) }
    #expect(meter.pauseFrames > 60)
    meter.end()
    for _ in 0..<50 { meter.add(0.1, isSpeech: true) }
    #expect(meter.pauseFrames == 0)
  }

  @Test(.installedSilero)
  func `with Silero, utterances among other voices end at pauses of the nearest voice`() throws {
    let (samples, pauses) = try Self.babble()
    var finder = UtteranceFinder(detector: RealSilero.detector)
    var (found, end): ([Range<Int>], Int) = ([], 0)
    for action in try finder.add(samples) + finder.flush() {
      switch action {
      case .begin(let at, let sound):
        found.append(sound.rawValue..<sound.rawValue)
        end = at.rawValue
      case .audio(let samples): end += samples.count
      case .end(silence: let silence, certainty: _):
        let start = found.removeLast().lowerBound
        found.append(start..<max(start, end - silence.rawValue))
      default: break
      }
    }
    // Without the meter, there would be two utterances of 20 s.
    let longest = found.map(\.count).max() ?? 0
    #expect(longest < 8 * 16_000, "\(found)")
    for pause in pauses {
      #expect(found.contains { pause.contains($0.upperBound) }, "\(pause) in \(found)")
    }
  }

  /// Returns a mix of clips and two other voices, and the pauses in which utterances must end.
  ///
  /// The clips are 1.2 s apart, and each other voice is 9 dB below them. The first seconds have too
  /// few levels to compare, so their pauses are not included.
  private static func babble() throws -> (samples: [Float], pauses: [Range<Int>]) {
    let clips = try ["go-forward.wav", "window.wav", "turn-44100-stereo.flac"].map(voice)
    var near: [Float] = []
    var pauses: [Range<Int>] = []
    for clip in clips + clips + clips {
      near += clip
      let begin = near.count
      near += [Float](repeating: 0, count: 19_200)
      if begin > 5 * 16_000 { pauses.append(begin - 4_800..<near.count) }
    }
    let talk = clips.flatMap { $0 }
    let loops = [talk, talk.reversed()]
    let samples = near.indices.map { index in
      loops.indices.reduce(near[index]) { sum, voice in
        let place = index + voice * (talk.count / 3 + 997)
        return sum + 0.25 * loops[voice][place % talk.count]
      }
    }
    return (samples, pauses)
  }

  /// Returns a clip at 16 kHz without the silence around it, with a power of 1/400.
  private static func voice(_ name: String) throws -> [Float] {
    let buffer = try SoundFileReader(url: sound(name)).read(atMost: 1_000_000)
    var conversion = SpeechConversion()
    let samples = try conversion.process(buffer) + conversion.flush()
    let loud = samples.indices.filter { abs(samples[$0]) > 0.01 }
    let voiced = Array(samples[(loud.first ?? 0)...(loud.last ?? 0)])
    let power = voiced.reduce(0) { $0 + $1 * $1 } / Float(voiced.count)
    return voiced.map { $0 * 0.05 / power.squareRoot() }
  }
}
