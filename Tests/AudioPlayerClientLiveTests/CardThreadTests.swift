import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioPlayerClientLive

@Suite struct CardThreadTests {
  let bench: CardBench
  let second = [Float](repeating: 0.5, count: 8_000)

  init() throws { bench = try CardBench() }

  @Test(arguments: [
    PCMWakeUp.interrupted(PCMInterruption(cause: .xrun, lost: 80_000)), .timedOut, .woken,
  ])
  func `a process that was stopped for longer than five seconds plays on`(first: PCMWakeUp) throws {
    bench.pcm.at(300) { $0.outcomes = [(first, .seconds(10))] }
    try bench.run([try bench.voice(second)])
    #expect(bench.pcm.written.prefix(8_000).elementsEqual(second))
  }

  @Test(arguments: [(50, 0), (1_000, 17)])
  func `where nobody follows closely the device is left alone until a third of it is free`(
    interval: Int, rests: Int
  ) throws {
    let bench = try CardBench(buffer: 1_200)
    let voice = try bench.voice(second, progressInterval: .milliseconds(interval))
    try bench.run([voice])
    #expect(bench.pcm.written.prefix(8_000).elementsEqual(second))
    #expect(bench.pcm.interruptions == 0)
    // Two periods each time, of the 34 that the sound has after the first six; three more as it
    // plays out.
    #expect(bench.pcm.rests.count { $0 == .milliseconds(50) } == rests + 3)
  }

  @Test func `a device that takes no frames is given up, and asked for them not without a pause`()
    throws
  {
    bench.pcm.takesFrames = false
    #expect(throws: SoundCardError.self) { try bench.run([try bench.voice(second)]) }
    #expect(bench.pcm.elapsed >= .seconds(5))
    #expect(bench.pcm.writes < 1_000)
  }

  @Test func `a device that has played and stands still is given up within a second`() throws {
    bench.pcm.at(300) { $0.isStuck = true }
    #expect(throws: SoundCardError.stalled("simulated", .playback)) {
      try bench.run([try bench.voice(second)])
    }
    #expect(bench.pcm.elapsed <= .milliseconds(300) + .seconds(1))
  }

  @Test func `a sound that is stopped on a device that takes no frames is over at once`() throws {
    let voice = try bench.voice(second)
    bench.pcm.at(300) { pcm in
      pcm.takesFrames = false
      voice.stop()
    }
    try bench.run([voice])
    // It plays 100 ms more, and is then waited for in vain: 2 buffers and 250 ms.
    #expect(bench.pcm.elapsed < .milliseconds(300 + 100 + 450 + 50))
  }

  @Test func `a device that is pulled out while it plays out is lost`() throws {
    bench.pcm.at(1_000) { pcm in
      pcm.claimedDelay = { _ throws(SoundCardError) in throw .deviceLost("simulated") }
    }
    #expect(throws: SoundCardError.deviceLost("simulated")) {
      try bench.run([try bench.voice(second)])
    }
    #expect(bench.events().isEmpty)
  }

  @Test(arguments: [1, 800, 8_000, 12_800])
  func `a sound is over after its length, the device's buffer and 250 ms, whatever the delay`(
    claimed: Int
  ) throws {
    bench.pcm.at(960) { $0.isStuck = true }
    bench.pcm.claimedDelay = { _ throws(SoundCardError) in claimed }
    let voice = try bench.voice(second)
    try bench.run([voice])
    #expect(bench.events() == [.finished(ObjectIdentifier(voice))])
    #expect(bench.pcm.elapsed <= .milliseconds(1_000 + 100 + 250 + 1))
  }

  private func largestStep(_ samples: some Sequence<Float>) -> Float {
    zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
  }

  @Test func `a source that is late is heard as silence without a click, and counted`() throws {
    let voice = try bench.voice(second, isComplete: false)
    bench.pcm.at(1_407) { _ in
      voice.give(second)
      voice.endInput()
    }
    try bench.run([voice])
    let silence = bench.pcm.written.count - 2 * second.count
    let missing = bench.events().reduce(into: 0) { sum, event in
      if case .starved(_, let frames) = event { sum += frames }
    }
    #expect(bench.pcm.interruptions == 0)
    #expect(missing > 2_400 && abs(missing - silence) <= 200)
    // A fade is 5 ms long: 40 frames.
    let sound = bench.pcm.written.prefix(2 * second.count + missing)
    #expect(largestStep(sound) <= 0.5 / 40 + 1e-6)
    #expect(voice.heardFrames.load(ordering: .relaxed) == 2 * second.count)
  }

  @Test func `a silence that lasts is told in parts of 50 ms, and when it ends`() throws {
    let voice = try bench.voice(second, isComplete: false)
    bench.pcm.at(12_345) { _ in
      voice.give(second)
      voice.endInput()
    }
    try bench.run([voice])
    let parts = bench.events().compactMap { event in
      if case .starved(_, let frames) = event { frames } else { nil }
    }
    #expect(parts.reduce(0, +) > 3_000)
    #expect(parts.dropLast().allSatisfy { $0 >= 400 }, "\(parts)")
  }

  @Test func `a source that stays away does not keep the device nearly dry for the others`() throws
  {
    let late = try bench.voice([Float](repeating: 0.25, count: 1_600), isComplete: false)
    let other = try bench.voice([Float](repeating: 0.25, count: 16_000))
    var shortest = Duration.seconds(1)
    for time in stride(from: 500, to: 1_500, by: 7) {
      bench.pcm.at(time) { shortest = min(shortest, $0.timeUntilDry) }
    }
    bench.pcm.at(1_500) { _ in
      late.give([Float](repeating: 0.25, count: 800))
      late.endInput()
    }
    try bench.run([late, other])
    #expect(shortest >= .milliseconds(70))
    #expect(late.heardFrames.load(ordering: .relaxed) == 2_400)
    #expect(other.heardFrames.load(ordering: .relaxed) == 16_000)
  }

  @Test func `what is heard of a late source never runs ahead of what it gave`() throws {
    let voice = try bench.voice(second, isComplete: false)
    var heard: [Int] = []
    let times = Array(stride(from: 1_000, to: 1_600, by: 10))
    for time in times {
      bench.pcm.at(time) { _ in heard.append(voice.heardFrames.load(ordering: .relaxed)) }
    }
    bench.pcm.at(1_300) { _ in voice.give(second) }
    bench.pcm.at(1_900) { _ in voice.endInput() }
    try bench.run([voice])
    let most = times.map { second.count + max(0, $0 - 1_300) * 8 }
    #expect(heard == heard.sorted())
    #expect(zip(heard, most).allSatisfy { $0 <= $1 })
    #expect(heard.dropFirst(10).prefix(20).allSatisfy { $0 == second.count })
    #expect(heard.last.map { $0 > second.count + 1_600 } == true)
  }

  @Test(arguments: [900, 920, 950, 990, 1_100])
  func `a voice whose source is late is stopped without a click`(milliseconds: Int) throws {
    let voice = try bench.voice(second, isComplete: false)
    bench.pcm.at(milliseconds) { _ in voice.stop() }
    try bench.run([voice])
    // What is held fades in 40 frames, and the stop in 80.
    let steepest: Float = 0.5 / 40 + 0.5 / 80
    #expect(largestStep(bench.pcm.written) <= steepest + 1e-6)
    #expect(bench.pcm.written.last == 0)
  }

  @Test func `silence is told of the voices that it falls in, and of no other`() throws {
    let sounding = try bench.voice(second)
    let later = try bench.voice(second)
    bench.pcm.at(500) { pcm in
      bench.add(later)
      let lost = PCMInterruption(cause: .xrun, lost: 400)
      // The new voice is taken over, but nothing of it is mixed yet.
      pcm.outcomes = [(.woken, .zero), (.interrupted(lost), .zero)]
    }
    try bench.run([sounding])
    #expect(
      bench.events() == [
        .silence(ObjectIdentifier(sounding), 400), .finished(ObjectIdentifier(sounding)),
        .finished(ObjectIdentifier(later)),
      ])
  }

  @Test func `silence that there is no room to tell of is told later, all of it`() throws {
    let voice = try bench.voice(second)
    let lost = PCMInterruption(cause: .xrun, lost: 400)
    bench.pcm.at(300) { pcm in
      while bench.link.events.tryWrite(.silence(.passUnretained(voice), frames: 0)) {}
      pcm.outcomes = [(.interrupted(lost), .zero), (.interrupted(lost), .zero)]
    }
    bench.pcm.at(600) { _ in _ = bench.events() }
    try bench.run([voice])
    #expect(bench.events().first == .silence(ObjectIdentifier(voice), 800))
  }

  @Test func `room is not signalled where nobody waits for it`() throws {
    let voice = try bench.voice(second)
    try bench.run([voice])
    #expect(!voice.room.clear())
  }

  @Test func `room that is wished for is signalled`() throws {
    let voice = try bench.voice(second)
    voice.roomWish.make()
    try bench.run([voice])
    #expect(voice.room.clear())
  }
}
