import ArgumentParser
import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import Foundation
import SoundCard
import SoundFile
import Testing
import SpeechServer

@testable import SyrinxCommand

struct ErrorReportTests {
  @Test
  func `the message for a library's error is the error's description, and the status is 1`() {
    let report = ErrorReport(SoundCardError.busy("hw:0"))
    #expect(report?.status == 1)
    #expect(report?.sentence == SoundCardError.busy("hw:0").description)
  }

  @Test
  func `the message for a library's error suggests the subcommand or option that helps`() {
    func playing(_ id: AudioDevice.ID?, _ error: SoundCardError) -> String {
      ErrorReport.sentence(AudioPlayerError.device(id, reason: "\(error)"))
    }
    func recording(_ id: AudioDevice.ID?, _ error: SoundCardError) -> String {
      ErrorReport.sentence(AudioRecorderError.device(id, reason: "\(error)"))
    }
    #expect(playing(nil, .noSoundCard(.playback)).contains("`syrinx devices`"))
    #expect(playing(nil, .noSoundCard(.playback)).contains("--device virtual plays"))
    #expect(recording(nil, .noSoundCard(.capture)).contains("--device virtual:FILE captures"))
    #expect(playing("hw:9", .unknownDevice("hw:9", .playback)).contains("`syrinx devices`"))
    #expect(recording("hw:9", .unknownDevice("hw:9", .capture)).contains("`syrinx devices`"))
    #expect(!playing("hw:0", .busy("hw:0")).contains("syrinx"))
    #expect(
      ErrorReport.sentence(SpeechServerError.remoteAddress("tcp://0.0.0.0:1"))
        .hasSuffix("(--allow-remote)"))
  }

  @Test
  func `a broken pipe ends the command without a message`() {
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
  func `after a signal, the exit status is 128 plus the number of the signal`() {
    #expect(ErrorReport(CommandEnd.interrupted(SIGINT))?.status == 130)
    #expect(ErrorReport(CommandEnd.interrupted(SIGTERM))?.status == 143)
  }

  @Test
  func `a reported error is not reported again`() {
    #expect(ErrorReport(CommandEnd.reported)?.status == 1)
    #expect(ErrorReport(CommandEnd.reported)?.sentence == nil)
  }

  @Test
  func `a full disk ends the whole command, but an unreadable file does not`() {
    #expect(!ErrorReport.isOfOneFile(SoundFileError.diskFull(path: "a.wav")))
    #expect(ErrorReport.isOfOneFile(SoundFileError.cannotRead(path: "a.wav", reason: "why")))
  }

  @Test
  func `the argument parser reports usage errors`() {
    #expect(ErrorReport(ValidationError("wrong")) == nil)
    #expect(ErrorReport(ExitCode(3)) == nil)
  }
}
