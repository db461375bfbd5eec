import Testing

@testable import AudioPlayerClientLive

@Suite struct UnheardFramesTests {
  private func frames(_ numbers: Range<Int>, in unheard: UnheardFrames) {
    let samples = numbers.flatMap { [Float($0), -Float($0)] }
    samples.withUnsafeBufferPointer { unheard.keep($0) }
  }

  /// Gives all of the backlog, so many frames at a time.
  private func rest(of unheard: UnheardFrames, by step: Int) -> [Float] {
    var given: [Float] = []
    while unheard.backlog > 0 {
      let next = unheard.next(atMost: step)
      given += next
      unheard.gave(next.count / 2)
    }
    return given
  }

  @Test(arguments: [1, 3, 100])
  func `the last frames come once more, in order, however many at a time`(step: Int) {
    let unheard = UnheardFrames(capacity: 10, channels: 2)
    for start in stride(from: 0, to: 27, by: 3) { frames(start..<start + 3, in: unheard) }
    let count = unheard.rewind(8)
    #expect(count == 8)
    #expect(rest(of: unheard, by: step) == (19..<27).flatMap { [Float($0), -Float($0)] })
  }

  @Test func `no more comes again than it keeps`() {
    let unheard = UnheardFrames(capacity: 10, channels: 2)
    frames(0..<4, in: unheard)
    let few = unheard.rewind(8)
    #expect(few == 4)
    unheard.forget()
    let none = unheard.rewind(8)
    #expect(none == 0)
    frames(0..<30, in: unheard)
    let most = unheard.rewind(30)
    #expect(most == 10)
  }

  @Test func `what was given once more may be lost once more`() {
    let unheard = UnheardFrames(capacity: 10, channels: 2)
    frames(0..<10, in: unheard)
    _ = unheard.rewind(6)
    unheard.gave(4)
    let again = unheard.rewind(3)
    #expect(again == 3 && unheard.backlog == 5)
    #expect(rest(of: unheard, by: 9).first == 5)
    _ = unheard.rewind(7)
    let most = unheard.rewind(7)
    #expect(most == 3 && unheard.backlog == 10)
  }
}
