import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct DelayTests {
  @Test(arguments: [(0, 0), (480, 480), (1_920, 1_920), (-1, 0), (.min, 0)])
  func `a delay is what the device says, and never below nothing`(reported: Int, expected: Int) {
    let delay = Delay.plausible(reported: reported, held: 100, buffer: 1_920)
    #expect(delay.rawValue == expected)
  }

  @Test(arguments: [5_000, 16 * 1_920])
  func `the latency of a sound server may be more than the device's buffer`(reported: Int) {
    #expect(Delay.plausible(reported: reported, held: 100, buffer: 1_920).rawValue == reported)
  }

  @Test(arguments: [nil, 16 * 1_920 + 1, 1_000_000, .max])
  func `an error or an absurd delay gives way to what the buffer holds`(reported: Int?) {
    #expect(Delay.plausible(reported: reported, held: 100, buffer: 1_920) == 100)
    #expect(Delay.plausible(reported: reported, held: nil, buffer: 1_920) == 0)
    #expect(Delay.plausible(reported: reported, held: 5_000, buffer: 1_920) == 1_920)
  }
}
