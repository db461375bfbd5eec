import AudioCore
import AudioThreads
import SoundCard
import Synchronization
import Testing

@testable import AudioPlayerClientLive

@Suite struct PlaybackThreadTests {
  let harness: AudioThreadHarness
  let second = [Float](repeating: 0.5, count: 8_000)

  init() throws { harness = try AudioThreadHarness() }

  @Test(arguments: [
    PCMWakeUp.interrupted(PCMInterruption(cause: .xrun, lost: 80_000)), .timedOut, .woken,
  ])
  func `playback continues in a process that was stopped for more than five seconds`(
    first: PCMWakeUp
  ) throws {
    harness.pcm.at(300) { $0.outcomes = [(first, .seconds(10))] }
    try harness.run([try harness.voice(second)])
    #expect(harness.pcm.written.prefix(8_000).elementsEqual(second))
  }

  @Test(arguments: [(50, 0), (1_000, 17)])
  func `with long progress intervals, the device is refilled when a third of its buffer is free`(
    interval: Int, rests: Int
  ) throws {
    let harness = try AudioThreadHarness(buffer: 1_200)
    let voice = try harness.voice(second, progressInterval: .milliseconds(interval))
    try harness.run([voice])
    #expect(harness.pcm.written.prefix(8_000).elementsEqual(second))
    #expect(harness.pcm.interruptions == 0)
    // After the first six periods, each wait covers two of the remaining 34 periods. Three more
    // waits drain the device.
    #expect(harness.pcm.rests.count { $0 == .milliseconds(50) } == rests + 3)
  }

  @Test func `a device that accepts no frames is reported as lost after spaced attempts to write`()
    throws
  {
    harness.pcm.takesFrames = false
    #expect(throws: SoundCardError.self) { try harness.run([try harness.voice(second)]) }
    #expect(harness.pcm.elapsed >= .seconds(5))
    #expect(harness.pcm.writes < 1_000)
  }

  @Test func `a device that stops playing is reported as lost within a second`() throws {
    harness.pcm.at(300) { $0.isStuck = true }
    #expect(throws: SoundCardError.stalled("simulated", .playback)) {
      try harness.run([try harness.voice(second)])
    }
    #expect(harness.pcm.elapsed <= .milliseconds(300) + .seconds(1))
  }

  @Test func `stop ends a sound within a second on a device that accepts no more frames`() throws {
    let voice = try harness.voice(second)
    harness.pcm.at(300) { pcm in
      pcm.takesFrames = false
      voice.stop()
    }
    try harness.run([voice])
    // The device plays for 100 ms; then the thread waits for two buffers and 250 ms.
    #expect(harness.pcm.elapsed < .milliseconds(300 + 100 + 450 + 50))
  }

  @Test(
    arguments: [
      (800, .milliseconds(10), 3_050...3_150), (16_000, .milliseconds(10), 3_000...3_050),
      (16_000, .seconds(1), 5_400...6_050),
    ] as [(FrameCount, Duration, ClosedRange<Int>)])
  func `a stop without a fade discards the frames in a long device buffer`(
    buffer: FrameCount, fade: Duration, milliseconds: ClosedRange<Int>
  ) throws {
    let harness = try AudioThreadHarness(buffer: buffer)
    let voice = try harness.voice(Array(repeating: 0.5, count: 64_000))
    harness.pcm.at(3_000) { _ in voice.stop(fade: fade) }
    try harness.run([voice])
    let played = voice.playedFrames.load(ordering: .relaxed)
    #expect(milliseconds.contains(played / 8), "\(played)")
    #expect(harness.pcm.elapsed < .milliseconds(milliseconds.upperBound + 250))
    #expect(harness.events() == [.finished(ObjectIdentifier(voice))])
  }

  @Test func `limiting is reported even if the limited block is discarded`() throws {
    let mixer = Mixer(
      period: 800, format: harness.pcm.configuration.format, events: harness.link.events,
      volume: BusVolume())
    let voices = harness.link.ports
    voices.put(try harness.voice(Array(repeating: 2, count: 8_000)), in: 0)
    voices.serve(0)
    mixer.mix(voices, at: 0, held: 0)
    #expect(harness.events().isEmpty)
    mixer.discard(at: 800)
    #expect(harness.events() == [.limited(0.5)])
  }

  @Test func `a device unplugged during its last frames is reported as lost`() throws {
    harness.pcm.at(1_000) { pcm in
      pcm.claimedDelay = { _ throws(SoundCardError) in throw .deviceLost("simulated") }
    }
    #expect(throws: SoundCardError.deviceLost("simulated")) {
      try harness.run([try harness.voice(second)])
    }
    #expect(harness.events().isEmpty)
  }

  @Test(arguments: [1, 800, 8_000, 12_800])
  func `a sound ends at most one buffer plus 250 ms late, whatever delay is reported`(
    claimed: Int
  ) throws {
    harness.pcm.at(960) { $0.isStuck = true }
    harness.pcm.claimedDelay = { _ throws(SoundCardError) in claimed }
    let voice = try harness.voice(second)
    try harness.run([voice])
    #expect(harness.events() == [.finished(ObjectIdentifier(voice))])
    #expect(harness.pcm.elapsed <= .milliseconds(1_000 + 100 + 250 + 1))
  }

  private func largestStep(_ samples: some Sequence<Float>) -> Float {
    zip(samples.dropFirst(), samples).map { abs($0 - $1) }.max() ?? 0
  }

  @Test func `a late source causes silence without a click, and the silence's length is reported`()
    throws
  {
    let voice = try harness.voice(second, isComplete: false)
    harness.pcm.at(1_407) { _ in
      voice.give(second)
      voice.endInput()
    }
    try harness.run([voice])
    let silence = harness.pcm.written.count - 2 * second.count
    let missing = harness.events().reduce(into: 0) { sum, event in
      if case .starved(_, let frames) = event { sum += frames }
    }
    #expect(harness.pcm.interruptions == 0)
    #expect(missing > 2_400 && abs(missing - silence) <= 200)
    // A fade is 5 ms long: 40 frames.
    let sound = harness.pcm.written.prefix(2 * second.count + missing)
    #expect(largestStep(sound) <= 0.5 / 40 + 1e-6)
    #expect(voice.playedFrames.load(ordering: .relaxed) == 2 * second.count)
  }

  @Test
  func `after its first two periods, a source may be almost a period late without causing silence`()
    throws
  {
    let twoPeriods = 2 * harness.pcm.configuration.period.rawValue
    let voice = try harness.voice(Array(second[..<twoPeriods]), isComplete: false)
    harness.pcm.at(20) { _ in
      voice.give(Array(second[twoPeriods...]))
      voice.endInput()
    }
    try harness.run([voice])
    #expect(harness.events() == [.finished(ObjectIdentifier(voice))])
    #expect(harness.pcm.written.starts(with: second))
  }

  @Test func `a long dropout is reported in parts of 50 ms and when it ends`() throws {
    let voice = try harness.voice(second, isComplete: false)
    harness.pcm.at(12_345) { _ in
      voice.give(second)
      voice.endInput()
    }
    try harness.run([voice])
    let parts = harness.events().compactMap { event in
      if case .starved(_, let frames) = event { frames } else { nil }
    }
    #expect(parts.reduce(0, +) > 3_000)
    #expect(parts.dropLast().allSatisfy { $0 >= 400 }, "\(parts)")
  }

  @Test func `a late source does not drain the device's buffer while another voice plays`()
    throws
  {
    let late = try harness.voice([Float](repeating: 0.25, count: 1_600), isComplete: false)
    let other = try harness.voice([Float](repeating: 0.25, count: 16_000))
    var shortest = Duration.seconds(1)
    for time in stride(from: 500, to: 1_500, by: 7) {
      harness.pcm.at(time) { shortest = min(shortest, $0.timeUntilUnderrun) }
    }
    harness.pcm.at(1_500) { _ in
      late.give([Float](repeating: 0.25, count: 800))
      late.endInput()
    }
    try harness.run([late, other])
    #expect(shortest >= .milliseconds(70))
    #expect(late.playedFrames.load(ordering: .relaxed) == 2_400)
    #expect(other.playedFrames.load(ordering: .relaxed) == 16_000)
  }

  @Test func `the playhead of a late source never passes the frames that the source has delivered`()
    throws
  {
    let voice = try harness.voice(second, isComplete: false)
    var played: [Int] = []
    let times = Array(stride(from: 1_000, to: 1_600, by: 10))
    for time in times {
      harness.pcm.at(time) { _ in played.append(voice.playedFrames.load(ordering: .relaxed)) }
    }
    harness.pcm.at(1_300) { _ in voice.give(second) }
    harness.pcm.at(1_900) { _ in voice.endInput() }
    try harness.run([voice])
    let most = times.map { second.count + max(0, $0 - 1_300) * 8 }
    #expect(played == played.sorted())
    #expect(zip(played, most).allSatisfy { $0 <= $1 })
    #expect(played.dropFirst(10).prefix(20).allSatisfy { $0 == second.count })
    #expect(played.last.map { $0 > second.count + 1_600 } == true)
  }

  @Test(arguments: [900, 920, 950, 990, 1_100])
  func `a voice with a late source stops without a click`(milliseconds: Int) throws {
    let voice = try harness.voice(second, isComplete: false)
    harness.pcm.at(milliseconds) { _ in voice.stop() }
    try harness.run([voice])
    // Two fades may overlap: the dropout's fade of 40 frames and the stop's fade of 80 frames.
    let steepest: Float = 0.5 / 40 + 0.5 / 80
    #expect(largestStep(harness.pcm.written) <= steepest + 1e-6)
    #expect(harness.pcm.written.last == 0)
  }

  @Test func `silence of the device is reported only for the voices playing at that time`() throws {
    let sounding = try harness.voice(second)
    let later = try harness.voice(second)
    harness.pcm.at(500) { pcm in
      harness.add(later)
      let lost = PCMInterruption(cause: .xrun, lost: 400)
      // The new voice is in the table, but has not been mixed yet.
      pcm.outcomes = [(.woken, .zero), (.interrupted(lost), .zero)]
    }
    try harness.run([sounding])
    #expect(
      harness.events() == [
        .silence(ObjectIdentifier(sounding), 400), .finished(ObjectIdentifier(sounding)),
        .finished(ObjectIdentifier(later)),
      ])
  }

  @Test func `discarded frames are reported only to the voices to which they belong`() throws {
    let voice = try harness.voice(second)
    harness.pcm.at(500) { pcm in
      let loss = PCMInterruption(cause: .xrun, lost: 0, discarded: 600)
      pcm.outcomes = [(.interrupted(loss), .zero)]
    }
    try harness.run([voice])
    #expect(
      harness.events() == [
        .silence(ObjectIdentifier(voice), 600), .finished(ObjectIdentifier(voice)),
      ])
  }

  @Test func `a sound that the device discards completely is an error, not a completed playback`()
    throws
  {
    // The sound is shorter than the device's buffer, so it is discarded while the device drains.
    let voice = try harness.voice([Float](repeating: 0.5, count: 400))
    harness.pcm.at(10) { pcm in
      let loss = PCMInterruption(cause: .xrun, lost: 0, discarded: FrameCount(pcm.level))
      pcm.outcomes = [(.interrupted(loss), .zero)]
    }
    #expect(throws: SoundCardError.stalled("simulated", .playback)) { try harness.run([voice]) }
  }

  @Test func `a device that discards all frames is reported as lost before the sound's end`() throws
  {
    let loss = PCMInterruption(cause: .xrun, lost: 0, discarded: 800)
    for time in stride(from: 50, to: 1_000, by: 10) {
      harness.pcm.at(time) { $0.outcomes = [(.interrupted(loss), .zero)] }
    }
    #expect(throws: SoundCardError.stalled("simulated", .playback)) {
      try harness.run([try harness.voice(second)])
    }
    #expect(harness.pcm.elapsed < .milliseconds(300))
  }

  @Test func `if the event ring is full, silence is reported later at its full length`() throws {
    let voice = try harness.voice(second)
    let lost = PCMInterruption(cause: .xrun, lost: 400)
    harness.pcm.at(300) { pcm in
      while harness.link.events.tryWrite(.silence(0, frames: 0)) {}
      pcm.outcomes = [(.interrupted(lost), .zero), (.interrupted(lost), .zero)]
    }
    harness.pcm.at(600) { _ in _ = harness.events() }
    try harness.run([voice])
    #expect(harness.events().first == .silence(ObjectIdentifier(voice), 800))
  }

  @Test func `free space in a voice's ring is not signaled unless a thread has requested it`()
    throws
  {
    let voice = try harness.voice(second)
    try harness.run([voice])
    #expect(!voice.feederRequest.consume())
  }

  @Test func `after a request, free space in a voice's ring is signaled`() throws {
    let voice = try harness.voice(second)
    voice.roomRequest.make()
    try harness.run([voice])
    #expect(voice.feederRequest.consume())
  }
}
