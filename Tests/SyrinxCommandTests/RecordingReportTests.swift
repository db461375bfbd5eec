import AudioCore
import AudioRecorderClient
import Foundation
import Testing

@testable import SyrinxCommand

struct RecordingReportTests {
  @Test
  func `of a device that is back is said what was not heard, where that is anything`()
    async throws
  {
    let folder = try TestFolder()
    let error = try folder.output()
    let console = try Console(
      error: StandardDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
    let context = CommandContext(console: console, signals: StopSignals())
    var report = RecordingReport(device: nil, context: context)
    await report.show(.deviceReturned(gap: .seconds(6)))
    // It was lost before it gave anything.
    await report.show(.deviceReturned(gap: .zero))
    #expect(
      try error.text()
        == "syrinx: the device is back; 6.000 s were lost\nsyrinx: the device is back\n")
  }
}

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
