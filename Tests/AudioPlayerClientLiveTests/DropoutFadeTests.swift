import Testing

@testable import AudioPlayerClientLive

@Suite struct DropoutFadeTests {
  /// The gains of blocks of 8 frames that hold what the source gave, with fades of 4.
  private func gains(_ given: [Int]) -> [[Float]?] {
    var fade = DropoutFade(length: 4)
    return given.map { frames in
      fade.gains(frames, of: 8, isLate: frames < 8).map { gains in
        (0..<gains.end).map { gains[$0] }
      }
    }
  }

  @Test func `a source that is in time is left as it is`() {
    #expect(gains([8, 8]) == [nil, nil])
  }

  @Test func `what is left fades out and what comes then fades in`() {
    let expected: [[Float]?] = [
      [1, 1, 0.75, 0.5, 0.25, 0], [], [0.25, 0.5, 0.75, 1, 1, 1, 1, 1], nil,
    ]
    #expect(gains([6, 0, 8, 8]) == expected)
  }

  @Test(arguments: 0..<4)
  func `where less than a fade is left, the last frame is held while it fades`(frames: Int) {
    #expect(gains([8, frames]) == [nil, [0.75, 0.5, 0.25, 0]])
  }

  @Test func `what comes between two holes rises and falls`() {
    #expect(gains([0, 5]).last == [0.25, 0.5, 0.5, 0.25, 0])
  }

  @Test func `a hole that ends with the source ends in silence`() {
    var fade = DropoutFade(length: 4)
    _ = fade.gains(0, of: 8, isLate: true)
    #expect(fade.gains(0, of: 8, isLate: false)?.end == 0)
  }
}
