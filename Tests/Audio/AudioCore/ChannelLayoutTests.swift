import AudioCore
import Testing

@Suite struct ChannelLayoutTests {
  @Test(arguments: 1...12)
  func `the WAV layout assigns a unique position to each channel`(count: Int) {
    let positions = ChannelLayout.wav(count).positions
    #expect(positions.count == count)
    #expect(count > 8 || Set(positions).count == count)
  }

  @Test func `the 5.1 layout is described as FL FR FC LFE RL RR`() {
    #expect("\(ChannelLayout.wav(6))" == "FL FR FC LFE RL RR")
    #expect("\(ChannelLayout.wav(9))" == "? ? ? ? ? ? ? ? ?")
  }

  @Test(arguments: [(1, 0x4), (2, 0x3), (3, 0x7), (4, 0x33), (5, 0x37), (6, 0x3F), (7, 0x70F)])
  func `a layout has the mask of WAVE_FORMAT_EXTENSIBLE`(count: Int, mask: UInt32) {
    #expect(ChannelLayout.wav(count).wavMask == mask)
    #expect(ChannelLayout.wav(8).wavMask == 0x63F)
    #expect(ChannelLayout.wav(9).wavMask == 0)
    #expect(ChannelLayout([.frontLeft, .unknown]).wavMask == 0)
  }

  @Test(arguments: 1...9)
  func `any channel order can be converted to the WAV order`(count: Int) {
    let layout = ChannelLayout.wav(count)
    #expect(ChannelLayout(layout.positions.reversed()).inWAVOrder == layout)
  }

  @Test func `every channel position has a unique abbreviation`() {
    #expect(
      Set(ChannelPosition.allCases.map(\.abbreviation)).count == ChannelPosition.allCases.count)
  }
}
