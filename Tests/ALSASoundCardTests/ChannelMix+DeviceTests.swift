import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct ChannelMixDeviceTests {
  @Test(arguments: 1...8)
  func `to a card with our own order every channel stays where it is`(count: Int) {
    for direction in AudioDevice.Direction.allCases {
      #expect(ChannelMix(direction: direction, device: .wav(count)).isIdentity)
    }
  }

  @Test(arguments: 1...8)
  func `to a card with ALSA's order no channel is lost, and back it is what it was`(count: Int) {
    let there = ChannelMix(direction: .playback, device: .alsa(count))
    let back = ChannelMix(direction: .capture, device: .alsa(count))
    let frame = (1...count).map { Float($0) }
    #expect(there.apply(frame).sorted() == frame)
    #expect(back.apply(there.apply(frame)) == frame)
  }

  @Test func `5.1 and 7.1 reach the loudspeakers of a card with ALSA's order`() {
    #expect(
      ChannelMix(direction: .playback, device: .alsa(6)).apply([1, 2, 3, 4, 5, 6])
        == [1, 2, 5, 6, 3, 4])
    #expect(
      ChannelMix(direction: .playback, device: .alsa(8)).apply([1, 2, 3, 4, 5, 6, 7, 8])
        == [1, 2, 5, 6, 3, 4, 7, 8])
  }

  @Test func `several frames are routed each by itself`() {
    let routing = ChannelMix(
      direction: .playback, device: ChannelLayout([.frontRight, .frontLeft]))
    #expect(routing.apply([1, 2, 3, 4]) == [2, 1, 4, 3])
  }

  @Test func `where a card has its loudspeakers beside the listener, rear channels go there`() {
    let card = ChannelLayout([
      .frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight,
    ])
    #expect(ChannelMix(direction: .playback, device: card).isIdentity)
  }

  @Test func `a channel without a loudspeaker is heard in front at −3 dB, and nothing clips`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    let routing = ChannelMix(direction: .playback, device: card)
    let gain = 1 / (1 + Float(0.5).squareRoot())
    #expect(routing.apply([1, 0, 0, 0]) == [gain, 0, 0, 0])
    #expect(routing.apply([0, 0, 0, 1]) == [0, Float(0.5).squareRoot() * gain, 0, 0])
    let loudest = routing.apply([1, 1, 1, 1]).map(abs).max() ?? 2
    #expect(loudest <= 1.000_001)
  }

  @Test func `a channel that is not a number stays out of the others`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    let routing = ChannelMix(direction: .playback, device: card)
    #expect(routing.apply([0, 0, .nan, 0]).dropFirst() == [0, 0, 0])
  }

  @Test func `a microphone's channel without a place of ours is kept all the same`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    #expect(
      ChannelMix(direction: .capture, device: card).apply([1, 2, 3, 4]) == [1, 2, 3, 4])
  }

  @Test func `channels that a card knows nothing of follow in their order`() {
    let card = ChannelLayout([.unknown, .frontRight, .unknown, .frontLeft])
    #expect(
      ChannelMix(direction: .playback, device: card).apply([1, 2, 3, 4]) == [3, 2, 4, 1])
    #expect(
      ChannelMix(direction: .playback, device: .wav(9)).isIdentity)
  }

  @Test func `nothing is played into a loudspeaker that is not there`() {
    let card = ChannelLayout([
      .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lowFrequency, .silent, .silent,
    ])
    let routing = ChannelMix(direction: .playback, device: card)
    let side = routing.apply([0, 0, 0, 0, 0, 0, 1, 0])
    #expect(side[2] > 0.4 && side[6...] == [0, 0])
  }
}
