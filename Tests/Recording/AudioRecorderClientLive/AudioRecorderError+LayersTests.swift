import AudioCore
import AudioRecorderClient
import Foundation
import Resampling
import SoundCard
import SoundFile
import Testing

@testable import AudioRecorderClientLive

@Suite struct AudioRecorderErrorLayersTests {
  private struct Refused: Error, CustomStringConvertible {
    let description = "the system refused"
  }

  @Test func `every error of a lower layer becomes a client error with the same message`() {
    let busy = SoundCardError.busy("x")
    #expect(AudioRecorderError(busy) == .device("x", reason: "\(busy)"))
    let failed = ResamplingError.failed(reason: "why")
    #expect(AudioRecorderError(failed) == .unsupportedFormat(reason: "\(failed)"))
    #expect(AudioRecorderError(Refused()) == .system(reason: "the system refused"))
  }

  @Test func `an unplugged or hanging device becomes deviceLost`() {
    #expect(AudioRecorderError(SoundCardError.deviceLost("x")) == .deviceLost("x"))
    let hanging = SoundCardError.notResponding("x", operation: "read")
    #expect(AudioRecorderError(hanging) == .deviceLost("x"))
    #expect(AudioRecorderError(SoundCardError.stalled("x", .capture)) == .deviceLost("x"))
  }

  @Test func `the client's own errors are unchanged`() {
    let own = AudioRecorderError.device(nil, reason: "busy")
    #expect(AudioRecorderError(own) == own)
  }

  @Test func `each kind of file error has its own case`() {
    let file = URL(fileURLWithPath: "/a.wav")
    #expect(AudioRecorderError(.diskFull(path: "/a.wav"), file: file) == .diskFull(file))
    #expect(AudioRecorderError(.tooLarge(path: "/a.wav"), file: file) == .fileTooLarge(file))
    #expect(AudioRecorderError(.removed(path: "/a.wav"), file: file) == .fileRemoved(file))
    #expect(
      AudioRecorderError(.recovered(path: "/a.wav", copy: "/b.wav"), file: file)
        == .fileRecovered(file, copy: URL(filePath: "/b.wav")))
    let other = AudioRecorderError(.permissionDenied(path: "/a.wav"), file: file)
    #expect("\(other)".contains("you do not have permission to open /a.wav"))
  }
}
