import Testing

@testable import AudioPlayerClientLive

@Suite struct DropoutFadeTests {
  /// The gains of blocks of 8 frames with these counts from the source, and fades of 4.
  private func gains(_ given: [Int]) -> [[Float]] {
    var fade = DropoutFade(length: 4)
    return given.map { faded(&fade, $0, isLate: $0 < 8) }
  }

  /// A block of 8 frames of 1, of which the source had this number.
  private func faded(_ fade: inout DropoutFade, _ frames: Int, isLate: Bool) -> [Float] {
    var block = [Float](repeating: 1, count: frames) + [Float](repeating: .nan, count: 8 - frames)
    var last: [Float] = [1]
    let count = block.withUnsafeMutableBufferPointer { block in
      last.withUnsafeMutableBufferPointer { last in
        fade.apply(to: block, frames: frames, isLate: isLate, last: last)
      }
    }
    return Array(block[..<count])
  }

  private let whole = [Float](repeating: 1, count: 8)

  @Test func `a source in time is not faded`() {
    #expect(gains([8, 8]) == [whole, whole])
  }

  @Test func `the frames before a dropout fade out and those after it fade in`() {
    let expected: [[Float]] = [
      [1, 1, 0.75, 0.5, 0.25, 0], [], [0.25, 0.5, 0.75, 1, 1, 1, 1, 1], whole,
    ]
    #expect(gains([6, 0, 8, 8]) == expected)
  }

  @Test(arguments: 0..<4)
  func `if less than a fade is left, the last frame is held while it fades`(frames: Int) {
    #expect(gains([8, frames]) == [whole, [0.75, 0.5, 0.25, 0]])
  }

  @Test func `frames between two dropouts fade in and out`() {
    #expect(gains([0, 5]).last == [0.25, 0.5, 0.5, 0.25, 0])
  }

  @Test func `a dropout at the end of the source ends in silence`() {
    var fade = DropoutFade(length: 4)
    _ = faded(&fade, 0, isLate: true)
    #expect(faded(&fade, 0, isLate: false).isEmpty)
  }
}
