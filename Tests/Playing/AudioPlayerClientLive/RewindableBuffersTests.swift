import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct RewindableBuffersTests {
  private func samples(_ tape: inout RewindableBuffers, atMost limit: FrameCount = 1_000) -> [Float]
  {
    var samples: [Float] = []
    while let buffer = tape.next(atMost: limit) { samples += buffer.samples }
    return samples
  }

  private func tape(_ lengths: [Int]) -> RewindableBuffers {
    var tape = RewindableBuffers()
    for length in lengths { tape.append(staircase(length, from: tape.end.rawValue)) }
    return tape
  }

  @Test(arguments: [1, 2, 1_000])
  func `rewindable buffers return all frames in order, again from any frame after a seek`(
    limit: Int
  ) {
    var tape = tape([3, 1, 6])
    #expect(samples(&tape, atMost: FrameCount(limit)) == staircase(10).samples)
    for frame in 0...12 {
      tape.seek(to: FrameCount(frame))
      #expect(tape.position.rawValue == min(frame, 10))
      let rest = staircase(max(0, 10 - frame), from: frame).samples
      #expect(samples(&tape, atMost: FrameCount(limit)) == rest)
    }
  }

  @Test func `rewindable buffers release only frames that have been returned`() {
    var tape = tape([3, 1, 6])
    _ = tape.next(atMost: 3)
    tape.forget(before: 4)
    #expect(tape.oldest == 4)
    #expect(samples(&tape) == staircase(7, from: 3).samples)
    tape.append(staircase(5, from: 10))
    tape.forget(before: 6)
    tape.seek(to: 6)
    #expect(samples(&tape) == staircase(9, from: 6).samples)
  }

  @Test func `rewindable buffers at another rate advance the position by their duration`() {
    var tape = tape([800])
    let fast = AudioFormat(sampleRate: 48_000, channelCount: 1)
    for _ in 0..<3 { tape.append(AudioSignal.sine(440).buffer(1_601, format: fast)) }
    #expect(tape.end.rawValue == 1_601)
    tape.append(staircase(400))
    #expect(tape.end.rawValue == 2_001)
    tape.seek(to: 1_000)
    #expect(tape.position == 1_000)
    #expect(tape.next(atMost: 1_000_000)?.frameCount == 401)
  }
}
