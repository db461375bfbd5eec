import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioPlayerClientLive

/// Tests the device's output after a command to a voice, at every position in a 25 ms period.
@Suite struct VoiceMixingTests {
  let harness: AudioThreadHarness
  let second = [Float](repeating: 0.5, count: 8_000)

  init() throws { harness = try AudioThreadHarness() }

  @Test(arguments: 300..<325) func `no command makes a voice click`(milliseconds: Int) throws {
    let voice = try harness.voice(second)
    let parameters: [(inout VoiceParameters) -> Void] = [
      { $0.isPaused = true }, { $0.isPaused = false },
      { ($0.gain, $0.ramp) = (0.2, .milliseconds(20)) },
      { ($0.gain, $0.ramp) = (1, .milliseconds(20)) },
    ]
    for (index, wish) in parameters.enumerated() {
      harness.pcm.at(milliseconds + 107 * index) { _ in voice.parameters.update(wish) }
    }
    harness.pcm.at(milliseconds + 500) { _ in voice.stop() }
    try harness.run([voice])
    // A fade of 10 ms has 80 steps.
    #expect(largestStep(Array(harness.pcm.written.drop { $0 == 0.5 })) <= 0.5 / 80 + 1e-6)
    #expect(harness.pcm.written.last == 0)
    #expect(voice.settlement.serial == 5)
    let isStarved = harness.events().contains { if case .starved = $0 { true } else { false } }
    #expect(!isStarved)
  }

  @Test(arguments: [0, 1, 12, 24]) func `a pause lasts until resume and loses no frame`(
    phase: Int
  ) throws {
    let voice = try harness.voice(second)
    harness.pcm.at(300 + phase) { _ in voice.parameters.update { $0.isPaused = true } }
    var played: [Int] = []
    for time in stride(from: 500, to: 1_500, by: 100) {
      harness.pcm.at(time) { _ in played.append(voice.playedFrames.load(ordering: .relaxed)) }
    }
    harness.pcm.at(1_500) { _ in voice.parameters.update { $0.isPaused = false } }
    try harness.run([voice])
    #expect(Set(played).count == 1)
    let (serial, frame, isPaused) = voice.settlement
    #expect(serial == 2 && frame == played.first && !isPaused)
    #expect(voice.playedFrames.load(ordering: .relaxed) == 8_000)
    let silence = harness.pcm.written.count - 8_000
    #expect(silence >= 8_000 && silence <= 10_000)
  }

  @Test(arguments: 300..<325) func `a flush discards the ring's content without a click`(
    milliseconds: Int
  ) throws {
    let voice = try harness.voice(second, isComplete: false)
    let other = [Float](repeating: 0.25, count: 4_000)
    harness.pcm.at(milliseconds) { _ in voice.parameters.update { $0.flushCount += 1 } }
    harness.pcm.at(milliseconds + 150) { _ in
      #expect(voice.frameAfterFlush(1) != nil)
      #expect(voice.ring.readable == 0)
      voice.give(other)
      voice.endInput()
    }
    try harness.run([voice])
    #expect(largestStep(Array(harness.pcm.written.dropFirst().prefix(4_000))) <= 0.5 / 80 + 1e-6)
    let before = voice.frameAfterFlush(1) ?? 0
    #expect(voice.playedFrames.load(ordering: .relaxed) == before + 4_000)
    #expect(harness.pcm.written.filter { $0 == 0.25 }.count >= 3_900)
  }

  @Test(arguments: [300, 311]) func `a long ramp continues after a pause`(start: Int) throws {
    let voice = try harness.voice([Float](repeating: 0.5, count: 24_000))
    let parameters: [(time: Int, change: (inout VoiceParameters) -> Void)] = [
      (0, { ($0.gain, $0.ramp) = (0, .seconds(10)) }), (500, { $0.isPaused = true }),
      (1_000, { $0.isPaused = false }),
    ]
    for (time, change) in parameters {
      harness.pcm.at(start + time) { _ in voice.parameters.update(change) }
    }
    var settled = 0
    harness.pcm.at(start + 1_300) { _ in settled = voice.settlement.serial }
    harness.pcm.at(start + 1_500) { _ in voice.stop() }
    try harness.run([voice])
    #expect(settled == 3)
    let afterwards = harness.pcm.written[((start + 1_250) * 8)...].prefix(800)
    #expect(afterwards.allSatisfy { $0 > 0.44 && $0 < 0.48 })
    #expect(largestStep(Array(harness.pcm.written.drop { $0 == 0.5 })) <= 0.5 / 80 + 1e-3)
  }

  @Test func `a command that does not set the volume takes effect during a volume ramp`() throws {
    let voice = try harness.voice(second)
    harness.pcm.at(200) { _ in voice.parameters.update { ($0.gain, $0.ramp) = (0, .seconds(60)) } }
    harness.pcm.at(400) { _ in
      #expect(voice.settlement.serial == 0)
      voice.parameters.update { $0.isPaused = false }
    }
    harness.pcm.at(600) { _ in #expect(voice.settlement.serial == 2) }
    try harness.run([voice])
  }

  @Test func `silence after a flush is reported if the source is late`() throws {
    let voice = try harness.voice(second, isComplete: false)
    let other = [Float](repeating: 0.25, count: 4_000)
    harness.pcm.at(300) { _ in voice.parameters.update { $0.flushCount += 1 } }
    harness.pcm.at(700) { _ in
      voice.give(other)
      voice.endInput()
    }
    try harness.run([voice])
    let silence = harness.pcm.written.prefix { $0 != 0.25 }.filter { $0 == 0 }.count
    let missing = harness.events().reduce(into: 0) { sum, event in
      if case .starved(_, let frames) = event { sum += frames }
    }
    #expect(missing > 1_600 && abs(missing - silence) <= 200)
  }

  @Test func `a voice paused at its end finishes on resume`() throws {
    let voice = try harness.voice([Float](repeating: 0.5, count: 1_200))
    harness.pcm.at(30) { _ in voice.parameters.update { $0.isPaused = true } }
    harness.pcm.at(900) { _ in voice.parameters.update { $0.isPaused = false } }
    try harness.run([voice])
    #expect(harness.pcm.elapsed >= .milliseconds(900))
    #expect(voice.playedFrames.load(ordering: .relaxed) == 1_200)
  }
}
