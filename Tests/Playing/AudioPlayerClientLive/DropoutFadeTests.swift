import AudioCore
import Testing

@testable import AudioPlayerClientLive

@Suite struct DropoutFadeTests {
  /// A voice at 800 Hz, where a fade of 5 ms has 4 frames.
  private let voice: Voice

  init() throws {
    voice = Voice(
      format: AudioFormat(sampleRate: 800, channelCount: 1), capacity: .seconds(1), volume: 1
    ) { _ in }
    voice.lastFrame[0] = 1
  }

  /// Returns the gains in blocks of 8 frames, given the number of source frames in each block.
  private func gains(_ given: [Int]) -> [[Float]] {
    given.map { faded($0, isLate: $0 < 8) }
  }

  /// Returns a faded block of 8 frames with the value 1, of which only `frames` frames have
  /// arrived.
  private func faded(_ frames: Int, isLate: Bool) -> [Float] {
    var block = [Float](repeating: 1, count: frames) + [Float](repeating: .nan, count: 8 - frames)
    let count = block.withUnsafeMutableBufferPointer { block in
      voice.fadeDropout(in: block, frames: frames, isLate: isLate)
    }
    return Array(block[..<count])
  }

  private let whole = [Float](repeating: 1, count: 8)

  @Test func `a source that is on time is not faded`() {
    #expect(gains([8, 8]) == [whole, whole])
  }

  @Test func `frames before a dropout fade out, and frames after the dropout fade in`() {
    let expected: [[Float]] = [
      [1, 1, 0.75, 0.5, 0.25, 0], [], [0.25, 0.5, 0.75, 1, 1, 1, 1, 1], whole,
    ]
    #expect(gains([6, 0, 8, 8]) == expected)
  }

  @Test(arguments: 0..<4)
  func `if too few frames are left for the fade-out, the last frame is repeated while it fades`(
    frames: Int
  ) {
    #expect(gains([8, frames]) == [whole, [0.75, 0.5, 0.25, 0]])
  }

  @Test func `frames between two dropouts fade in and out`() {
    #expect(gains([0, 5]).last == [0.25, 0.5, 0.5, 0.25, 0])
  }

  @Test func `if the source ends during a dropout, no further frame is audible`() {
    _ = faded(0, isLate: true)
    #expect(faded(0, isLate: false).isEmpty)
  }
}
