import AudioCore
import SoundCard
import Testing

@Suite struct SoundCardErrorLossTests {
  @Test(arguments: [
    (SoundCardError.deviceLost("x"), true), (.notResponding("x", operation: "write"), true),
    (.stalled("x", .playback), true), (.stalled("x", .capture), true), (.busy("x"), false),
    (.failed("x", operation: "snd_pcm_start", code: 5, reason: "no"), false),
  ])
  func `an error is a loss only if the device may come back`(error: SoundCardError, isLoss: Bool) {
    #expect(error.isLoss == isLoss)
    #expect(error.lostDevice == (isLoss ? "x" : nil))
  }
}
