import ArgumentParser
import AudioCore
import AudioRecorderClient
import Foundation
import SoundCard
import Testing

@testable import SyrinxCommand

struct ErrorReportTests {
  @Test
  func `an error of ours is its sentence and status 1`() {
    let report = ErrorReport(SoundCardError.busy("hw:0"))
    #expect(report?.status == 1)
    #expect(report?.sentence == SoundCardError.busy("hw:0").description)
  }

  @Test
  func `a reader that has gone is no message`() {
    for error: any Error in [
      OutputError(name: "standard output", code: EPIPE),
      AudioRecorderError.brokenPipe(reason: "the reader has gone"),
    ] {
      #expect(ErrorReport(error)?.status == 141)
      #expect(ErrorReport(error)?.sentence == nil)
    }
    #expect(ErrorReport(OutputError(name: "standard output", code: ENOSPC))?.status == 1)
  }

  @Test
  func `a signal gives the status that shells know`() {
    #expect(ErrorReport(CommandEnd.interrupted(SIGINT))?.status == 130)
    #expect(ErrorReport(CommandEnd.interrupted(SIGTERM))?.status == 143)
  }

  @Test
  func `what has been reported is not reported again`() {
    #expect(ErrorReport(CommandEnd.reported)?.status == 1)
    #expect(ErrorReport(CommandEnd.reported)?.sentence == nil)
  }

  @Test
  func `wrong usage is left to the argument parser`() {
    #expect(ErrorReport(ValidationError("wrong")) == nil)
    #expect(ErrorReport(ExitCode(3)) == nil)
  }
}
