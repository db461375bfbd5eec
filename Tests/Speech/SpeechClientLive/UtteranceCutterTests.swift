import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import Foundation
import Resampling
import SileroDetector
import SoundCard
import SoundFile
import SpeechClient
import SpeechEngine
import TestTools
import Testing
import VirtualSoundCard

@testable import SpeechClientLive

@Suite struct UtteranceCutterTests {
  /// Returns the whole file in the given format.
  private func read(_ name: String, as format: AudioFormat? = nil) throws -> AudioBuffer {
    let audio = try SoundFileReader(url: sound(name)).read(atMost: 1_000_000)
    guard let format, format != audio.format else { return audio }
    let resampler = try Resampler(from: audio.format, to: format)
    let parts = [try resampler.process(audio), try resampler.flush()]
    return AudioBuffer(format: format, samples: parts.flatMap(\.samples))
  }

  /// Returns the whole file with a second of silence before and after it.
  private func padded(_ name: String) throws -> AudioBuffer {
    let second = [Float](repeating: 0, count: 16_000)
    return AudioBuffer(format: .speech, samples: second + (try read(name)).samples + second)
  }

  private func utterances(
    _ buffers: [AudioBuffer], detector: SpeechActivityDetector = .energy,
    policy: EndpointPolicy = EndpointPolicy()
  ) throws -> [SpokenUtterance] {
    var cutter = UtteranceCutter(detector: detector, policy: policy)
    return try buffers.flatMap { try cutter.process($0) } + cutter.flush()
  }

  /// Checks that the utterances have the frames of the audio.
  private func check(_ utterances: [SpokenUtterance], of audio: AudioBuffer, _ name: String) {
    for utterance in utterances {
      let buffer = utterance.buffer
      let range = buffer.firstFrame - audio.firstFrame..<buffer.endFrame - audio.firstFrame
      #expect(buffer == audio.frames(range), "\(name)")
      #expect((buffer.firstFrame...buffer.endFrame).contains(utterance.sound.lowerBound), "\(name)")
      #expect((buffer.firstFrame...buffer.endFrame).contains(utterance.sound.upperBound), "\(name)")
      #expect(utterance.lostFrames == 0, "\(name)")
    }
  }

  @Test(arguments: ["go-forward.wav", "two-utterances.wav", "window.wav"], [100, 1_600, 100_000])
  func `the cutter and the recognizer find the same utterances`(name: String, size: Int) throws {
    let audio = try read(name)
    var finder = UtteranceFinder()
    var expected: [(samples: [Float], sound: Range<FrameCount>)] = []
    var start: FrameCount = 0
    for action in try finder.add(audio.samples) + finder.flush() {
      switch action {
      case .begin(let at, let sound):
        start = at
        expected.append(([], sound..<sound))
      case .audio(let samples): expected[expected.count - 1].samples += samples
      case .end(let silence, _):
        let last = expected.removeLast()
        let end = start + FrameCount(last.samples.count) - silence
        expected.append((last.samples, last.sound.lowerBound..<end))
      case .pause, .resume: break
      }
    }
    let found = try utterances(audio.cut(size))
    #expect(found.map(\.buffer.samples) == expected.map(\.samples))
    #expect(found.map(\.sound) == expected.map(\.sound))
    check(found, of: audio, name)
  }

  /// Formats, gains, frames before the file, and lengths of buffers.
  private static let variants: [(AudioFormat, Float, Int, Int)] = {
    var numbers = SeededNumbers(seed: 36)
    return [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000].flatMap { rate in
      (1...3).map { channelCount in
        (
          AudioFormat(sampleRate: rate, channelCount: channelCount),
          Float.random(in: 0.1...1, using: &numbers),
          Int.random(in: 0...rate.hertz, using: &numbers),
          Int.random(in: rate.hertz / 100...rate.hertz, using: &numbers)
        )
      }
    }
  }()

  @Test(arguments: variants)
  func `the same utterances are found in audio of any rate, gain, and position`(
    format: AudioFormat, gain: Float, firstFrame: Int, size: Int
  ) throws {
    let expected = try utterances([try read("two-utterances.wav")]).map(\.times)
    try #require(expected.count == 2)
    var audio = try read("two-utterances.wav", as: format).mapSamples { $0 * gain }
    audio.firstFrame = FrameCount(firstFrame)
    let found = try utterances(audio.cut(size))
    check(found, of: audio, "\(format)")
    let shift = audio.firstFrame.duration(at: format.sampleRate)
    #expect(found.count == 2)
    // In quieter audio, the detector misses the soft edges of words, so the times may differ
    // by up to 0.1 s.
    for (times, expected) in zip(found.map(\.times), expected) {
      #expect(abs((times.lowerBound - shift - expected.lowerBound).inSeconds) < 0.1)
      #expect(abs((times.upperBound - shift - expected.upperBound).inSeconds) < 0.1)
    }
  }

  @Test(arguments: [8_000, 44_100, 48_000] as [SampleRate])
  func `the last utterance ends with the last frame of the audio`(rate: SampleRate) throws {
    let whole = try read("go-forward.wav", as: AudioFormat(sampleRate: rate, channelCount: 1))
    for length in stride(from: rate.hertz, to: rate.hertz + 50, by: 7) {
      let audio = whole.frames(0..<FrameCount(length))
      let found = try utterances(audio.cut(1_000))
      #expect(found.last?.buffer.endFrame == audio.endFrame)
      check(found, of: audio, "\(length)")
    }
  }

  /// Returns the sentence at 48 kHz in two parts, between which this number of frames is missing.
  private func interrupted(by missing: Int) throws -> (before: AudioBuffer, after: AudioBuffer) {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let audio = try read("go-forward.wav", as: format)
    return (audio.frames(0..<48_000), audio.frames(FrameCount(48_000 + missing)..<audio.frameCount))
  }

  @Test(arguments: [1, 480, 2_400])
  func `a short gap becomes silence within the utterance, which reports the loss`(missing: Int)
    throws
  {
    let (before, after) = try interrupted(by: missing)
    let found = try utterances(before.cut(4_800) + after.cut(4_800))
    try #require(found.count == 1)
    #expect(found[0].lostFrames == FrameCount(missing))
    let (first, samples) = (found[0].buffer.firstFrame.rawValue, found[0].buffer.samples)
    let gap = (48_000 - first) * 2..<(48_000 + missing - first) * 2
    #expect(samples[..<gap.lowerBound] == before.samples[(first * 2)...])
    #expect(samples[gap].allSatisfy { $0 == 0 })
    #expect(samples[gap.upperBound...] == after.samples[..<(samples.count - gap.upperBound)])
  }

  @Test func `a longer gap ends the utterance, and the utterances on both sides report the loss`()
    throws
  {
    let (before, after) = try interrupted(by: 9_600)
    let found = try utterances(before.cut(4_800) + after.cut(4_800))
    try #require(found.count == 2)
    #expect(found.map(\.lostFrames) == [9_600, 9_600])
    #expect(found[0].buffer.endFrame == 48_000 && found[1].buffer.firstFrame == 57_600)
    #expect(found[1].buffer.samples == Array(after.samples[..<found[1].buffer.samples.count]))
  }

  @Test func `a gap between two utterances is not counted as a loss of either utterance`() throws {
    let one = try padded("go-forward.wav")
    var later = try padded("window.wav")
    later.firstFrame = one.frameCount + 160_000
    let found = try utterances([one, later])
    #expect(found.map(\.lostFrames) == [0, 0])
    #expect(found.last.map { $0.buffer.firstFrame > later.firstFrame } == true)
  }

  @Test func `utterances are found in audio that restarts its frame numbers or changes its format`()
    throws
  {
    let one = try padded("go-forward.wav")
    let again = try utterances([one, one])
    #expect(again.count == 2)
    check(
      again, of: AudioBuffer(format: one.format, samples: one.samples + one.samples), "again")
    let other = try read("turn-44100-stereo.flac")
    let found = try utterances([one, other])
    #expect(found.map(\.buffer.format) == [one.format, other.format])
    #expect(found.map(\.lostFrames) == [0, 0])
  }

  @Test func `speech without a pause is cut into adjoining utterances, within limited memory`()
    throws
  {
    let noise = AudioSignal.noise(seed: 1, amplitude: 0.2)
    let quiet = AudioSignal.noise(seed: 1, amplitude: 0.001)
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let background = quiet.buffer(.seconds(2), format: format)
    let policy = EndpointPolicy(maximumLength: .seconds(2))
    var cutter = UtteranceCutter(detector: .energy, policy: policy)
    var found = try cutter.process(background)
    var most: FrameCount = 0
    for second in 2..<20 {
      for tenth in 0..<10 {
        // Quieter parts keep the noise from becoming the background.
        let signal = tenth % 2 == 0 ? noise : AudioSignal.noise(seed: 2, amplitude: 0.03)
        let first = FrameCount(second * 48_000 + tenth * 4_800)
        found += try cutter.process(signal.buffer(4_800, format: format, firstFrame: first))
        most = max(most, cutter.heldFrames)
      }
    }
    found += try cutter.flush()
    #expect(found.count > 6)
    #expect(most < 48_000 * 4)
    for (one, next) in zip(found, found.dropFirst()) {
      #expect(one.buffer.endFrame == next.buffer.firstFrame)
    }
    #expect(found.last?.buffer.endFrame == 960_000)
  }

  @Test func `silence and noise are held only as long as an utterance may begin with them`() throws
  {
    for amplitude in [0, 0.1] as [Float] {
      let signal = AudioSignal.noise(seed: 3, amplitude: amplitude)
      var cutter = UtteranceCutter(detector: .energy)
      var most: FrameCount = 0
      for tenth in 0..<3_000 {
        let buffer = signal.buffer(1_600, format: .speech, firstFrame: FrameCount(tenth * 1_600))
        _ = try cutter.process(buffer)
        if tenth > 100 { most = max(most, cutter.heldFrames) }
      }
      #expect(most < 16_000)
    }
  }

  @Test(arguments: [1_600, 16_000, 100_000])
  func `an utterance has its host time, and non-finite samples become silence`(size: Int) throws {
    var audio = try read("go-forward.wav")
    let start = ContinuousClock.now
    audio.hostTime = start
    audio.withMutableSamples { $0[20_000] = .nan }
    let found = try utterances(audio.cut(size))
    try #require(found.count == 1)
    let buffer = found[0].buffer
    #expect(buffer.hostTime == start + buffer.firstFrame.duration(at: .speech))
    #expect(buffer.samples[20_000 - buffer.firstFrame.rawValue] == 0)
    #expect(buffer.silencedSampleCount == 1)
  }

  @Test func `the error for a missing detector contains the path and the remedy`() async throws {
    let nowhere = URL(filePath: "/nowhere")
    let stream = stream([try read("go-forward.wav")])
      .utterances(detector: .silero(library: nowhere, model: nowhere))
    let error = await #expect(throws: SpeechEngineError.self) { try await stream.collect() }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("/nowhere") && message.contains("install"), "\(message)")
  }

  @Test(.installedSilero, arguments: [0.03, 0.3, 1] as [Float])
  func `Silero finds the same two utterances in other formats`(gain: Float) throws {
    let format = AudioFormat(sampleRate: 44_100, channelCount: 2)
    let audio = try read("two-utterances.wav", as: format).mapSamples { $0 * gain }
    let found = try utterances(audio.cut(4_410), detector: RealSilero.detector)
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.certainty > 0.8 })
    check(found, of: audio, "\(gain)")
  }

  @Test func `each utterance of a microphone is written to its own file`() async throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let spoken = try read("two-utterances.wav", as: format)
    let card = VirtualSoundCard(pace: .untimed, microphone: .buffer(spoken))
    let recorder = AudioRecorderClient.live(on: card.soundCard)
    let request = CaptureRequest(droppingOldestAfter: .seconds(60))
    let folder = try TestFolder()
    var found: [SpokenUtterance] = []
    for try await utterance in await recorder.capture(request: request)
      .utterances(detector: .energy)
    {
      let file = folder.file("\(found.count).wav")
      try await utterance.write(to: file, encoding: .wavFloat, atomically: true)
      found.append(utterance)
    }
    check(found, of: spoken, "files")
    #expect(try folder.names == ["0.wav", "1.wav"])
    for (number, utterance) in found.enumerated() {
      let file = try SoundFileReader(url: folder.file("\(number).wav")).read(atMost: 1_000_000)
      #expect(file.samples == utterance.buffer.samples)
    }
    #expect(found.allSatisfy { $0.buffer.hostTime != nil })
    #expect(card.openDeviceCount == 0)
  }

  /// Judges every frame to be speech, without delay.
  private final class Talkative: SpeechActivitySession {
    let frameLength: FrameCount = 160
    func process(_ frame: ArraySlice<Float>) -> [Double] { [1] }
    func flush() -> [Double] { [] }
  }

  @Test func `audio that ends where an utterance was cut has no empty utterance`() throws {
    let detector = SpeechActivityDetector(name: "talkative") { Talkative() }
    let samples = (0..<24_000).map { $0.isMultiple(of: 2) ? Float(0.5) : -0.5 }
    let audio = AudioBuffer(format: .speech, samples: samples)
    for length in stride(from: 160, through: 24_000, by: 160) {
      let found = try utterances(
        [audio.frames(0..<FrameCount(length))], detector: detector,
        policy: EndpointPolicy(maximumLength: .seconds(1)))
      #expect(!found.contains { $0.buffer.isEmpty }, "\(length)")
    }
  }

  // In a separate process, in which no other test uses threads, descriptors, or memory.
  @Test func `a thousand canceled streams of utterances leak no resources`() async {
    await #expect(processExitsWith: .success) {
      let detector = SpeechActivityDetector(name: "talkative") { Talkative() }
      let card = VirtualSoundCard(pace: .untimed, microphone: .signal(.noise(seed: 1)))
      let recorder = AudioRecorderClient.live(on: card.soundCard)
      var utteranceCount = 0
      let leftovers = try await ProcessResources.leftovers {
        for index in 0..<1_000 {
          let cutting = Task {
            let capture = await recorder.capture(request: CaptureRequest())
            let utterances = capture.prefix(.milliseconds(300)).utterances(detector: detector)
            for try await _ in utterances where index % 3 == 0 { return true }
            return false
          }
          if index % 3 == 2 { await recorder.stopRecording() }
          if index % 3 > 0 { cutting.cancel() }
          let result = await cutting.result
          // A slow machine loses the audio of some streams, but all end without an error.
          if index % 3 == 0, try result.get() { utteranceCount += 1 }
          await recorder.stopRecording()
        }
      }
      #expect(leftovers == nil)
      #expect(utteranceCount > 0)
      #expect(card.openDeviceCount == 0)
    }
  }
}
