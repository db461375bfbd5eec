import Testing

@testable import AudioPlayerClientLive

@Suite struct UnplayedFramesTests {
  private func frames(_ numbers: Range<Int>, in unplayed: UnplayedFrames) {
    let samples = numbers.flatMap { [Float($0), -Float($0)] }
    samples.withUnsafeBufferPointer { unplayed.keep($0) }
  }

  /// Returns the whole backlog, read in parts of at most `step` frames.
  private func rest(of unplayed: UnplayedFrames, by step: Int) -> [Float] {
    var given: [Float] = []
    while unplayed.backlog > 0 {
      let next = unplayed.next(atMost: step)
      given += next
      unplayed.advance(next.count / 2)
    }
    return given
  }

  @Test(arguments: [1, 3, 100])
  func `the last frames are written again in order, in parts of any size`(step: Int) {
    let unplayed = UnplayedFrames(capacity: 10, channels: 2)
    for start in stride(from: 0, to: 27, by: 3) { frames(start..<start + 3, in: unplayed) }
    let count = unplayed.rewind(8)
    #expect(count == 8)
    #expect(rest(of: unplayed, by: step) == (19..<27).flatMap { [Float($0), -Float($0)] })
  }

  @Test func `only frames that are still kept can be written again`() {
    let unplayed = UnplayedFrames(capacity: 10, channels: 2)
    frames(0..<4, in: unplayed)
    let few = unplayed.rewind(8)
    #expect(few == 4)
    unplayed.forget()
    let none = unplayed.rewind(8)
    #expect(none == 0)
    frames(0..<30, in: unplayed)
    let most = unplayed.rewind(30)
    #expect(most == 10)
  }

  @Test func `frames that are rewritten after a loss can be rewritten again after another loss`() {
    let unplayed = UnplayedFrames(capacity: 10, channels: 2)
    frames(0..<10, in: unplayed)
    _ = unplayed.rewind(6)
    unplayed.advance(4)
    let again = unplayed.rewind(3)
    #expect(again == 3 && unplayed.backlog == 5)
    #expect(rest(of: unplayed, by: 9).first == 5)
    _ = unplayed.rewind(7)
    let most = unplayed.rewind(7)
    #expect(most == 3 && unplayed.backlog == 10)
  }
}
