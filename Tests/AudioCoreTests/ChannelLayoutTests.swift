import AudioCore
import Testing

@Suite struct ChannelLayoutTests {
  @Test(arguments: 1...12)
  func `the order of WAV files has a position for each channel, each once`(count: Int) {
    let positions = ChannelLayout.wav(count).positions
    #expect(positions.count == count)
    #expect(count > 8 || Set(positions).count == count)
  }

  @Test func `5.1 is written as everybody writes it`() {
    #expect("\(ChannelLayout.wav(6))" == "FL FR FC LFE RL RR")
    #expect("\(ChannelLayout.wav(9))" == "? ? ? ? ? ? ? ? ?")
  }

  @Test func `every position has a name of its own`() {
    #expect(
      Set(ChannelPosition.allCases.map(\.abbreviation)).count == ChannelPosition.allCases.count)
  }
}
