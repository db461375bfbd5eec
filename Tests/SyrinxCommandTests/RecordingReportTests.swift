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
