import AudioCore
import Testing

@testable import ALSASoundCard

@Suite struct DelayTests {
  @Test(arguments: [(0, 0), (480, 480), (1_920, 1_920), (-1, 0), (.min, 0), (5_000, 1_920)])
  func `a delay is kept within the buffer`(reported: Int, expected: Int) {
    let delay = Delay.plausible(reported: reported, held: 100, buffer: 1_920)
    #expect(delay.rawValue == expected)
  }

  @Test(arguments: [nil, 1_000_000, .max])
  func `an error or an absurd delay gives way to what the buffer holds`(reported: Int?) {
    #expect(Delay.plausible(reported: reported, held: 100, buffer: 1_920) == 100)
    #expect(Delay.plausible(reported: reported, held: nil, buffer: 1_920) == 0)
  }
}
