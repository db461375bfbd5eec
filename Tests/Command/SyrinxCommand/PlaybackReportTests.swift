import AudioCore
import AudioPlayerClient
import FilePaths
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

struct PlaybackReportTests {
  @Test
  func `the status line shows the position in the file and the length if it is known`() {
    let place = PlaybackProgress(played: .seconds(9), time: .seconds(4), length: .seconds(6))
    #expect(PlaybackReport.status(place) == "0:04.0 / 0:06.0")
    let unknown = PlaybackProgress(played: .seconds(9), time: .seconds(4))
    #expect(PlaybackReport.status(unknown) == "0:04.0")
  }

  @Test
  func `a reported error is added to the report's failures`() async throws {
    let context = CommandContext(console: try Console(), signals: StopSignals())
    var report = PlaybackReport(files: ["a.wav"], json: false, context: context)
    let error = AudioPlayerError.source(nil, reason: "a.wav is empty")
    try await report.show(.failed(item: 0, error))
    #expect(report.failures == [error])
  }

  @Test(arguments: [
    (AudioPlayerError.deviceLost("hw:1"), ""),
    (.source(nil, reason: "it ends"), "; is this machine too slow or busy?"),
  ])
  func `the message about dropouts suggests a slow machine unless the device was lost`(
    failure: AudioPlayerError, question: String
  ) async throws {
    let folder = try TestFolder()
    let error = try folder.output()
    let console = try Console(
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"),
      isQuiet: true)
    let context = CommandContext(console: console, signals: StopSignals())
    var report = PlaybackReport(files: ["a.wav"], json: false, context: context)
    try await report.show(.xrun(.milliseconds(500)))
    try await report.end(after: failure)
    #expect(try error.text() == "syrinx: a.wav: dropouts of 0.500 s in total\(question)\n")
  }
}
