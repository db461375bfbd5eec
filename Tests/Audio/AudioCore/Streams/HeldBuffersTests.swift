import Testing

@testable import AudioCore

@Suite struct HeldBuffersTests {
  @Test func `held frames are removed oldest first, and buffers are divided as needed`() {
    var held = HeldBuffers()
    held.append(counting(0..<3))
    held.append(counting(7..<9))
    #expect(held.popFirst(1) == [counting(0..<1)])
    #expect(held.popFirst(3) == [counting(1..<3), counting(7..<8)])
    #expect(held.frameCount == 1)
    #expect(held.popFirst(9) == [counting(8..<9)])
    #expect(held.popFirst(1) == [])
  }

  @Test(arguments: [0, -5] as [FrameCount])
  func `removing a count of zero or less returns no frames`(count: FrameCount) {
    var held = HeldBuffers()
    held.append(counting(0..<3))
    #expect(held.popFirst(count) == [])
    #expect(held.popAll() == [counting(0..<3)])
  }
}
