import Syrinx
import SyrinxTestSupport
import Testing

/// The example in the article on `SyrinxTestSupport`.
@Suite struct FaultScriptTests {
  @Test func `captures report a busy microphone and a lost device`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock),
      faults: [
        .busy(holder: DeviceHolder(name: "arecord", processID: 4_711), times: 1),
        .refusedTransfers(every: 5),
        .hungUp(at: 24_000),
      ])
    await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let recorder = AudioRecorderClient.liveValue
      let refusal = await #expect(throws: AudioRecorderError.self) {
        for try await _ in await recorder.capture(request: CaptureRequest()) {}
      }
      #expect(refusal?.description.contains("arecord (process 4711)") == true)

      let blocks = await recorder.capture(request: CaptureRequest())
      let listening = Task { for try await _ in blocks {} }
      // Once the card waits for the clock, advances both by two seconds, which take no real time.
      await clock.sleepers(atLeast: 1)
      await clock.advance(by: .seconds(2))
      await #expect(throws: AudioRecorderError.deviceLost("virtual")) {
        try await listening.value
      }
    }
    // The loss is reported before the device is closed.
    while card.openDeviceCount > 0 { await Task.yield() }
  }
}
