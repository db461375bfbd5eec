import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioPlayerClientLive

/// What the card is given when a voice is told something, in every phase of a period of 25 ms.
@Suite struct TransportOnCardTests {
  let bench: CardBench
  let second = [Float](repeating: 0.5, count: 8_000)

  init() throws { bench = try CardBench() }

  @Test(arguments: 300..<325) func `nothing that a voice is told clicks`(milliseconds: Int) throws {
    let voice = try bench.voice(second)
    let wishes: [(inout TransportWishes) -> Void] = [
      { $0.isPaused = true }, { $0.isPaused = false },
      { ($0.gain, $0.ramp) = (0.2, .milliseconds(20)) },
      { ($0.gain, $0.ramp) = (1, .milliseconds(20)) },
    ]
    for (index, wish) in wishes.enumerated() {
      bench.pcm.at(milliseconds + 107 * index) { _ in voice.board.update(wish) }
    }
    bench.pcm.at(milliseconds + 500) { _ in voice.stop() }
    try bench.run([voice])
    // 10 ms are 80 steps.
    #expect(largestStep(Array(bench.pcm.written.drop { $0 == 0.5 })) <= 0.5 / 80 + 1e-6)
    #expect(bench.pcm.written.last == 0)
    #expect(voice.settlement.serial == 5)
    let isStarved = bench.events().contains { if case .starved = $0 { true } else { false } }
    #expect(!isStarved)
  }

  @Test(arguments: [0, 1, 12, 24]) func `a pause lasts as long as it is wished, and costs no frame`(
    phase: Int
  ) throws {
    let voice = try bench.voice(second)
    bench.pcm.at(300 + phase) { _ in voice.board.update { $0.isPaused = true } }
    var heard: [Int] = []
    for time in stride(from: 500, to: 1_500, by: 100) {
      bench.pcm.at(time) { _ in heard.append(voice.heardFrames.load(ordering: .relaxed)) }
    }
    bench.pcm.at(1_500) { _ in voice.board.update { $0.isPaused = false } }
    try bench.run([voice])
    #expect(Set(heard).count == 1)
    let (serial, frame, isPaused) = voice.settlement
    #expect(serial == 2 && frame == heard.first && !isPaused)
    #expect(voice.heardFrames.load(ordering: .relaxed) == 8_000)
    let silence = bench.pcm.written.count - 8_000
    #expect(silence >= 8_000 && silence <= 10_000)
  }

  @Test(arguments: 300..<325) func `a flush throws away what the ring holds, without a click`(
    milliseconds: Int
  ) throws {
    let voice = try bench.voice(second, isComplete: false)
    let other = [Float](repeating: 0.25, count: 4_000)
    bench.pcm.at(milliseconds) { _ in voice.board.update { $0.epoch += 1 } }
    bench.pcm.at(milliseconds + 150) { _ in
      #expect(voice.flushed(1) != nil)
      #expect(voice.ring.readable == 0)
      voice.give(other)
      voice.endInput()
    }
    try bench.run([voice])
    #expect(largestStep(Array(bench.pcm.written.dropFirst().prefix(4_000))) <= 0.5 / 80 + 1e-6)
    let before = voice.flushed(1) ?? 0
    #expect(voice.heardFrames.load(ordering: .relaxed) == before + 4_000)
    #expect(bench.pcm.written.filter { $0 == 0.25 }.count >= 3_900)
  }

  @Test(arguments: [300, 311]) func `a long ramp goes on where a pause left it`(start: Int) throws {
    let voice = try bench.voice([Float](repeating: 0.5, count: 24_000))
    let wishes: [(time: Int, change: (inout TransportWishes) -> Void)] = [
      (0, { ($0.gain, $0.ramp) = (0, .seconds(10)) }), (500, { $0.isPaused = true }),
      (1_000, { $0.isPaused = false }),
    ]
    for (time, change) in wishes {
      bench.pcm.at(start + time) { _ in voice.board.update(change) }
    }
    var settled = 0
    bench.pcm.at(start + 1_300) { _ in settled = voice.settlement.serial }
    bench.pcm.at(start + 1_500) { _ in voice.stop() }
    try bench.run([voice])
    #expect(settled == 3)
    let afterwards = bench.pcm.written[((start + 1_250) * 8)...].prefix(800)
    #expect(afterwards.allSatisfy { $0 > 0.44 && $0 < 0.48 })
    #expect(largestStep(Array(bench.pcm.written.drop { $0 == 0.5 })) <= 0.5 / 80 + 1e-3)
  }

  @Test func `what asks for no volume does not wait for one`() throws {
    let voice = try bench.voice(second)
    bench.pcm.at(200) { _ in voice.board.update { ($0.gain, $0.ramp) = (0, .seconds(60)) } }
    bench.pcm.at(400) { _ in
      #expect(voice.settlement.serial == 0)
      voice.board.update { $0.isPaused = false }
    }
    bench.pcm.at(600) { _ in #expect(voice.settlement.serial == 2) }
    try bench.run([voice])
  }

  @Test func `silence after a flush is told where the source is late with what follows`() throws {
    let voice = try bench.voice(second, isComplete: false)
    let other = [Float](repeating: 0.25, count: 4_000)
    bench.pcm.at(300) { _ in voice.board.update { $0.epoch += 1 } }
    bench.pcm.at(700) { _ in
      voice.give(other)
      voice.endInput()
    }
    try bench.run([voice])
    let silence = bench.pcm.written.prefix { $0 != 0.25 }.filter { $0 == 0 }.count
    let missing = bench.events().reduce(into: 0) { sum, event in
      if case .starved(_, let frames) = event { sum += frames }
    }
    #expect(missing > 1_600 && abs(missing - silence) <= 200)
  }

  @Test func `a voice that is paused at its end ends when it goes on`() throws {
    let voice = try bench.voice([Float](repeating: 0.5, count: 1_200))
    bench.pcm.at(30) { _ in voice.board.update { $0.isPaused = true } }
    bench.pcm.at(900) { _ in voice.board.update { $0.isPaused = false } }
    try bench.run([voice])
    #expect(bench.pcm.elapsed >= .milliseconds(900))
    #expect(voice.heardFrames.load(ordering: .relaxed) == 1_200)
  }
}
