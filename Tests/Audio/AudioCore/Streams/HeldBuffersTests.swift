import Testing

@testable import AudioCore

@Suite struct HeldBuffersTests {
  @Test func `frames come out oldest first, and a buffer is cut where needed`() {
    var held = HeldBuffers()
    held.append(counting(0..<3))
    held.append(counting(7..<9))
    #expect(held.take(1) == [counting(0..<1)])
    #expect(held.take(3) == [counting(1..<3), counting(7..<8)])
    #expect(held.frameCount == 1)
    #expect(held.take(9) == [counting(8..<9)])
    #expect(held.take(1) == [])
  }

  @Test(arguments: [0, -5] as [FrameCount])
  func `no frames are taken for a count that is not above 0`(count: FrameCount) {
    var held = HeldBuffers()
    held.append(counting(0..<3))
    #expect(held.take(count) == [])
    #expect(held.takeAll() == [counting(0..<3)])
  }
}
