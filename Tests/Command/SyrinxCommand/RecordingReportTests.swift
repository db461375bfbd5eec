import AudioCore
import AudioRecorderClient
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

struct RecordingReportTests {
  private let folder: TestFolder
  private let error: TestFolder.Output

  init() throws {
    folder = try TestFolder()
    error = try folder.output()
  }

  /// Creates a report that writes its messages to `error`.
  private func report() throws -> RecordingReport {
    let console = try Console(
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
    let context = CommandContext(console: console, signals: StopSignals())
    return RecordingReport(device: nil, context: context)
  }

  @Test
  func `the message that a device is back contains the duration of lost audio, if any`()
    async throws
  {
    var report = try report()
    await report.show(.deviceReturned(gap: .seconds(6)))
    // The device was lost before its first frame, so no audio is missing.
    await report.show(.deviceReturned(gap: .zero))
    #expect(
      try error.text()
        == "syrinx: the device is back; 6.000 s of audio lost\nsyrinx: the device is back\n")
  }

  @Test(arguments: [
    (RecordingFinish.Reason.failed, ""), (.stopped, "; is this machine too slow or busy?"),
  ])
  func `the message about lost audio suggests a slow machine unless the device failed`(
    reason: RecordingFinish.Reason, question: String
  ) async throws {
    var report = try report()
    await report.show(.xrun(.seconds(1)))
    await report.show(
      .closed(RecordingFinish(reason: reason, frameCount: 48_000, recorded: .seconds(1))))
    #expect(
      try error.text()
        == "syrinx: 1.000 s of audio was lost and is recorded as silence\(question)\n")
  }
}
