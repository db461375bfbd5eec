import AudioCore
import Glibc
import SoundCard
import Testing

@testable import ALSASoundCard

@Suite struct SoundCardErrorTests {
  @Test(arguments: [ENOENT, ENODEV, ECONNREFUSED])
  func `an unreachable default device throws noSoundCard`(code: Int32) {
    #expect(
      SoundCardError.opening("default", for: .capture, code: -code) == .noSoundCard(.capture))
  }

  @Test func `the error of an unreachable server contains the device name and the cause`() {
    let error = SoundCardError.opening("pulse", for: .playback, code: -ECONNREFUSED)
    #expect(
      error
        == .failed(
          "pulse", operation: "snd_pcm_open", code: ECONNREFUSED,
          reason: "its sound server: Connection refused"))
  }

  @Test func `error codes from opening a device map to error cases`() {
    #expect(SoundCardError.opening("pulse", for: .playback, code: -EBUSY) == .busy("pulse"))
    #expect(SoundCardError.opening("x", for: .playback, code: -EACCES) == .permissionDenied("x"))
    #expect(SoundCardError.opening("x", for: .playback, code: -EPERM) == .permissionDenied("x"))
    #expect(
      SoundCardError.opening("x", for: .capture, code: -ENOENT) == .unknownDevice("x", .capture))
  }

  @Test func `the errors of failed operations contain ALSA's messages`() {
    #expect(SoundCardError.operating("x", "snd_pcm_start", code: -ENODEV) == .deviceLost("x"))
    #expect(
      SoundCardError.operating("x", "snd_pcm_start", code: -EIO)
        == .failed("x", operation: "snd_pcm_start", code: EIO, reason: "Input/output error"))
  }

  @Test func `a refused parameter becomes the error unsupported, which names the parameter`() {
    #expect(
      SoundCardError.negotiating("x", "sample rate", code: -EINVAL, for: .playback)
        == .unsupported("x", reason: "it offers no sample rate"))
    let failure = SoundCardError.negotiating(
      "x", "period and buffer of this length", code: -EIO, for: .playback)
    #expect(
      failure.description == """
        the device "x" failed in setting a period and buffer of this length: \
        Input/output error (code \(EIO))
        """)
  }

  @Test func `the error of an unknown PulseAudio sink or source contains its name`() {
    let sink = SoundCardError.negotiating("pulse:nosuch", "rate", code: -EIO, for: .playback)
    #expect(
      sink.description == """
        the device "pulse:nosuch" cannot be used: the sound server has no sink "nosuch", or refuses it
        """)
    let source = SoundCardError.negotiating("pulse:nosuch", "rate", code: -EIO, for: .capture)
    #expect(source.description.contains("has no source \"nosuch\""))
  }

  @Test func `the message of a stall contains no error code`() {
    #expect(
      SoundCardError.stalled("x", .playback).description
        == "the device \"x\" failed in playback: it accepts no frames")
  }
}
