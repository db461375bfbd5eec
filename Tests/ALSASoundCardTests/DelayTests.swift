import AudioCore
import Glibc
import Testing

@testable import ALSASoundCard

@Suite struct DelayTests {
  @Test(arguments: [(0, 0), (480, 480), (1_920, 1_920), (-1, 0), (.min, 0)])
  func `a delay is what the device says, and never below nothing`(reported: Int, expected: Int) {
    let delay = Delay.plausible(reported: reported, held: 100, last: 0, buffer: 1_920)
    #expect(delay.rawValue == expected)
  }

  @Test(arguments: [5_000, 16 * 1_920])
  func `the latency of a sound server may be more than the device's buffer`(reported: Int) {
    #expect(
      Delay.plausible(reported: reported, held: 100, last: 0, buffer: 1_920).rawValue == reported)
  }

  @Test(arguments: [nil, 16 * 1_920 + 1, 1_000_000, .max])
  func `an error or an absurd delay gives way to what the buffer holds`(reported: Int?) {
    #expect(Delay.plausible(reported: reported, held: 100, last: 0, buffer: 1_920) == 100)
    #expect(Delay.plausible(reported: reported, held: nil, last: 70, buffer: 1_920) == 70)
    #expect(Delay.plausible(reported: reported, held: 5_000, last: 0, buffer: 1_920) == 1_920)
  }

  @Test func `a device whose word is believed is asked nothing else`() {
    var isAsked = false
    func held() -> Int? {
      isAsked = true
      return 100
    }
    _ = Delay.plausible(reported: 50, held: held(), last: 0, buffer: 1_920)
    #expect(!isAsked)
  }

  @Test func `an error says that the device has run dry, is gone, or does not know`() {
    #expect(Delay.Answer(0, isDisconnected: false) == .frames)
    #expect(Delay.Answer(-EPIPE, isDisconnected: false) == .dry)
    #expect([-ENODEV, -ENXIO].allSatisfy { Delay.Answer($0, isDisconnected: false) == .lost })
    #expect([-EIO, -ESTRPIPE].allSatisfy { Delay.Answer($0, isDisconnected: false) == .unknown })
    #expect(Delay.Answer(-EBADFD, isDisconnected: true) == .lost)
  }
}
