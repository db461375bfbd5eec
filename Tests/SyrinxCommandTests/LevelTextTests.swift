import AudioCore
import Testing

@testable import SyrinxCommand

struct LevelTextTests {
  @Test(arguments: [
    (0.0, 20), (-30, 10), (-60, 0), (-90, 0), (-Double.infinity, 0), (6, 20),
  ])
  func `the bar is as long as the peak is high`(peak: Double, length: Int) {
    let level = AudioLevel(peak: Decibels(dBFS: peak), rms: .silence)
    #expect(level.meterText.count { $0 == "#" } == length)
    #expect(level.meterText.hasSuffix("\(Decibels(dBFS: peak))"))
  }
}
