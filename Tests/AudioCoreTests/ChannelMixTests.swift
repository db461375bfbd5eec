import Testing

@testable import AudioCore

@Suite struct ChannelMixTests {
  @Test func `stereo becomes mono as the average`() {
    #expect(ChannelMix(from: 2, to: 1).apply([1, 0, 0.5, -0.5, 1, 1]) == [0.5, 0, 1])
  }

  @Test func `many channels become mono as the average`() {
    #expect(ChannelMix(from: 4, to: 1).apply([1, 2, 3, 4]) == [2.5])
  }

  @Test func `mono goes to every channel`() {
    #expect(ChannelMix(from: 1, to: 3).apply([1, 2]) == [1, 1, 1, 2, 2, 2])
  }

  @Test func `channels that are added are silent`() {
    #expect(ChannelMix(from: 2, to: 4).apply([1, 2]) == [1, 2, 0, 0])
  }

  @Test func `surround becomes stereo with the centre on both sides and no low frequencies`() {
    let mix = ChannelMix(from: 6, to: 2)
    let left = mix.apply([1, 0, 0, 0, 0, 0])
    #expect(left[0] > 0.4 && left[1] == 0)
    let centre = mix.apply([0, 0, 1, 0, 0, 0])
    #expect(centre[0] > 0.2 && centre[0] == centre[1])
    #expect(mix.apply([0, 0, 0, 1, 0, 0]) == [0, 0])
    let surround = mix.apply([0, 0, 0, 0, 0, 1])
    #expect(surround[0] == 0 && surround[1] > 0.2)
  }

  @Test func `no mix is louder than full scale, and none loses the front channels`() {
    for from in 1...9 {
      for to in 1...9 {
        let mix = ChannelMix(from: from, to: to)
        let full = mix.apply([Float](repeating: 1, count: from))
        #expect(full.count == to)
        #expect(full.allSatisfy { $0 <= 1.000_001 })
        #expect(full[0] > 0.999)
      }
    }
  }
}
