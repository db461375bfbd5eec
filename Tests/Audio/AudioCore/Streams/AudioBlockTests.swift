import AudioCore
import SyrinxTestSupport
import Testing

/// Operators keep the times and the counts of silenced samples of captured audio.
@Suite struct AudioBlockTests {
  private let start = ContinuousClock.now

  /// Two seconds of audio in five buffers, one of them after a gap, as a microphone captures them.
  private var captured: [AudioBuffer] {
    let places = [0..<4, 4..<8, 8..<10, 14..<18, 18..<20]
    return places.enumerated().map { number, frames in
      var buffer = counting(frames)
      buffer.hostTime = start + .milliseconds(100 * frames.lowerBound)
      buffer.silencedSampleCount = number == 1 ? 3 : 0
      return buffer
    }
  }

  private func check(_ output: [AudioBuffer], _ name: String) {
    let times = output.map { $0.hostTime.map { $0 - start } }
    let places = output.map { $0.firstFrame.duration(at: $0.format.sampleRate) }
    #expect(times == places, "\(name)")
    #expect(output.reduce(0) { $0 + $1.silencedSampleCount } == 3, "\(name)")
  }

  private func check(_ processor: some AudioProcessor<AudioBuffer, Never>) {
    var processor = processor
    let output = captured.flatMap { processor.process($0) } + processor.flush()
    check(output, "\(processor)")
  }

  @Test func `operators keep host times and the counts of silenced samples`() {
    check(Rechunker(size: 3))
    check(Rechunker(size: 7, rest: .padded))
    check(Amplifier(GainRamp(constant: 0.5)))
    check(Amplifier(GainRamp(from: 0, to: 1, at: 0, length: 30)))
    check(Fader(fadeIn: .seconds(1), fadeOut: .seconds(1)))
    check(TimeLimiter(.milliseconds(1_500)))
    check(SilenceTrimmer(SilencePolicy(threshold: .silence)))
  }

  @Test func `mapped channels keep host times and the counts of silenced samples`() throws {
    var mapper = ChannelMapper(.count(2))
    check(try captured.flatMap { try mapper.process($0) }, "channels")
  }

  @Test func `a mix has the host time of its live input, and counts all silenced samples`()
    async throws
  {
    let file = StreamOf(counting(0..<20))
    let microphone = AsyncStream<AudioBuffer> { continuation in
      for buffer in captured { continuation.yield(buffer) }
      continuation.finish()
    }
    let mix = try await file.mixed(with: microphone, end: .whenAnyEnds).collect()
    #expect(mix.allSatisfy { $0.hostTime == nil || $0.hostTime == $0.expected(from: start) })
    #expect(mix.contains { $0.hostTime != nil })
    #expect(mix.reduce(0) { $0 + $1.silencedSampleCount } == 3)
  }

  @Test func `renumbered audio keeps its host times`() {
    var renumberer = Renumberer(from: 100)
    let output = captured.flatMap { renumberer.process($0) }
    #expect(output.map(\.hostTime) == captured.map(\.hostTime))
  }

  @Test func `host times and silenced samples do not affect the equality of buffers`() {
    #expect(captured[1] == counting(4..<8))
  }

  @Test func `every block has the level of its buffer`() {
    let buffer = audio([0.5, -0.5])
    #expect(buffer.level.peak == Decibels(amplitude: 0.5))
    #expect(BroadcastAudio(buffer).level == buffer.level)
    #expect(MeteredAudio(buffer).level == MeteredAudio(buffer).reading.level)
  }

  @Test func `operators accept streams whose elements contain a buffer`() async throws {
    let source = StreamOf(counting(0..<2), counting(2..<4))
    let broadcast = source.metered().broadcast()
    let output = try await broadcast.consumer(.waiting).metered().amplified(by: 2).collect()
    #expect(output == [audio([0, 2]), audio([4, 6], at: 2)])
  }

  @Test func `collecting a stream in a canceled task throws CancellationError`() async throws {
    let (buffers, feed) = AsyncStream.makeStream(of: AudioBuffer.self)
    feed.yield(counting(0..<2))
    let collecting = Task { try await buffers.collect() }
    collecting.cancel()
    await #expect(throws: CancellationError.self) { try await collecting.value }
  }
}

extension AudioBuffer {
  fileprivate func expected(from start: ContinuousClock.Instant) -> ContinuousClock.Instant {
    start + firstFrame.duration(at: format.sampleRate)
  }
}
