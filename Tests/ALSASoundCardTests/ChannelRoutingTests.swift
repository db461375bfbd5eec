import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct ChannelRoutingTests {
  @Test(arguments: 1...8)
  func `to a card with our own order every channel stays where it is`(count: Int) {
    for direction in AudioDevice.Direction.allCases {
      #expect(ChannelRouting(direction: direction, device: .wav(count)).isIdentity)
    }
  }

  @Test(arguments: 1...8)
  func `to a card with ALSA's order no channel is lost, and back it is what it was`(count: Int) {
    let there = ChannelRouting(direction: .playback, device: .alsa(count))
    let back = ChannelRouting(direction: .capture, device: .alsa(count))
    let frame = (1...count).map { Float($0) }
    #expect(routed(frame, there).sorted() == frame)
    #expect(routed(routed(frame, there), back) == frame)
  }

  @Test func `5.1 and 7.1 reach the loudspeakers of a card with ALSA's order`() {
    #expect(
      routed([1, 2, 3, 4, 5, 6], .init(direction: .playback, device: .alsa(6)))
        == [1, 2, 5, 6, 3, 4])
    #expect(
      routed([1, 2, 3, 4, 5, 6, 7, 8], .init(direction: .playback, device: .alsa(8)))
        == [1, 2, 5, 6, 3, 4, 7, 8])
  }

  @Test func `several frames are routed each by itself`() {
    let routing = ChannelRouting(
      direction: .playback, device: ChannelLayout([.frontRight, .frontLeft]))
    #expect(routed([1, 2, 3, 4], routing) == [2, 1, 4, 3])
  }

  @Test func `where a card has its loudspeakers beside the listener, rear channels go there`() {
    let card = ChannelLayout([
      .frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight,
    ])
    #expect(ChannelRouting(direction: .playback, device: card).isIdentity)
  }

  @Test func `a channel without a loudspeaker is heard in front at −3 dB, and nothing clips`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    let routing = ChannelRouting(direction: .playback, device: card)
    let gain = 1 / (1 + Float(0.5).squareRoot())
    #expect(routed([1, 0, 0, 0], routing) == [gain, 0, 0, 0])
    #expect(routed([0, 0, 0, 1], routing) == [0, Float(0.5).squareRoot() * gain, 0, 0])
    let loudest = routed([1, 1, 1, 1], routing).map(abs).max() ?? 2
    #expect(loudest <= 1.000_001)
  }

  @Test func `a channel that is not a number stays out of the others`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    let routing = ChannelRouting(direction: .playback, device: card)
    #expect(routed([0, 0, .nan, 0], routing).dropFirst() == [0, 0, 0])
  }

  @Test func `a microphone's channel without a place of ours is kept all the same`() {
    let card = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency])
    #expect(
      routed([1, 2, 3, 4], .init(direction: .capture, device: card)) == [1, 2, 3, 4])
  }

  @Test func `channels that a card knows nothing of follow in their order`() {
    let card = ChannelLayout([.unknown, .frontRight, .unknown, .frontLeft])
    #expect(
      routed([1, 2, 3, 4], .init(direction: .playback, device: card)) == [3, 2, 4, 1])
    #expect(
      ChannelRouting(direction: .playback, device: .wav(9)).isIdentity)
  }

  @Test func `nothing is played into a loudspeaker that is not there`() {
    let card = ChannelLayout([
      .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lowFrequency, .silent, .silent,
    ])
    let routing = ChannelRouting(direction: .playback, device: card)
    let side = routed([0, 0, 0, 0, 0, 0, 1, 0], routing)
    #expect(side[2] > 0.4 && side[6...] == [0, 0])
  }

  private func routed(_ samples: [Float], _ routing: ChannelRouting) -> [Float] {
    var output = [Float](repeating: 9, count: samples.count)
    output.withUnsafeMutableBufferPointer { output in
      samples.withUnsafeBufferPointer { samples in
        guard let input = samples.baseAddress, let target = output.baseAddress else { return }
        routing.apply(input, frames: samples.count / routing.channelCount, into: target)
      }
    }
    return output
  }
}
