import Testing

@testable import AudioPlayerClientLive

@Suite struct DropoutFadeTests {
  /// The gains of blocks of 8 frames with these counts from the source, and fades of 4.
  private func gains(_ given: [Int]) -> [[Float]?] {
    var fade = DropoutFade(length: 4)
    return given.map { frames in
      fade.gains(frames, of: 8, isLate: frames < 8).map { gains in
        (0..<gains.end).map { gains[$0] }
      }
    }
  }

  @Test func `a source in time is not faded`() {
    #expect(gains([8, 8]) == [nil, nil])
  }

  @Test func `the frames before a dropout fade out and those after it fade in`() {
    let expected: [[Float]?] = [
      [1, 1, 0.75, 0.5, 0.25, 0], [], [0.25, 0.5, 0.75, 1, 1, 1, 1, 1], nil,
    ]
    #expect(gains([6, 0, 8, 8]) == expected)
  }

  @Test(arguments: 0..<4)
  func `if less than a fade is left, the last frame is held while it fades`(frames: Int) {
    #expect(gains([8, frames]) == [nil, [0.75, 0.5, 0.25, 0]])
  }

  @Test func `frames between two dropouts fade in and out`() {
    #expect(gains([0, 5]).last == [0.25, 0.5, 0.5, 0.25, 0])
  }

  @Test func `a dropout at the end of the source ends in silence`() {
    var fade = DropoutFade(length: 4)
    _ = fade.gains(0, of: 8, isLate: true)
    #expect(fade.gains(0, of: 8, isLate: false)?.end == 0)
  }
}
