import AudioCore
import AudioRecorderClient
import AudioThreads
import ClientDependencies
import Glibc
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

/// Requests for permission while an exclusive microphone is in use.
@Suite(.timeLimit(.minutes(5))) struct PermissionTests {
  private let folder = RecordingFolder()
  private let card = ExclusiveCard()

  @Test func `a device that this process is opening counts as available`() async throws {
    try await with(card) { recorder in
      let recording = Task { try await recorder.startRecording(url: folder.url("wav")) }
      await card.asked.wait()
      let permission = Task.immediate { await recorder.requestRecordPermission() }
      card.answer.open()
      #expect(await permission.value)
      let hasRecorded = try await recording.value
      #expect(hasRecorded)
    }
    #expect(card.openings == 1)
  }

  @Test func `a consumer that joins while a device is being probed opens the device afterward`()
    async throws
  {
    let devices = CaptureDevices()
    let opening = DeviceOpening(
      PCMRequest(format: .speech), on: card.soundCard, clock: ContinuousClock())
    let probing = Task { try await devices.probe(opening) }
    await card.asked.wait()
    let user = Task.immediate { try await devices.acquire(opening) }
    // The pool handles one call at a time, so when this call returns, the pool has received the
    // user's request.
    await devices.visit()
    card.answer.open()
    try await probing.value
    await devices.release(try await user.value)
    #expect(card.openings == 2)
  }

  @Test func `a probed device is closed again`() async throws {
    card.answer.open()
    await with(card) { recorder in
      for _ in 0..<2 { #expect(await recorder.requestRecordPermission()) }
    }
    #expect(card.openings == 2)
    #expect(card.openCount == 0)
  }

  @Test(arguments: [
    (DeviceHolder(name: "we", processID: getpid()), true),
    (DeviceHolder(name: "perhaps we", processID: getpid(), isGuess: true), false),
    (DeviceHolder(name: "they", processID: 1), false), (nil, false),
  ])
  func `a device that this process uses by another name counts as available`(
    holder: DeviceHolder?, isAllowed: Bool
  ) async {
    await withDependencies {
      $0.soundCard.openCapture = { _ in throw SoundCardError.busy("hw:0", holder: holder) }
    } operation: {
      #expect(await AudioRecorderClient.liveValue.requestRecordPermission() == isAllowed)
    }
  }

  private func with(
    _ card: ExclusiveCard, _ body: (AudioRecorderClient) async throws -> Void
  ) async rethrows {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await body(AudioRecorderClient.liveValue)
    }
  }
}

/// A sound card whose microphone can be opened only once at a time, and opens only after `answer`.
private final class ExclusiveCard: Sendable {
  /// Opens when the microphone is first asked to open.
  let asked = Gate()
  /// Lets the microphone open.
  let answer = Gate()
  private let card = VirtualSoundCard(
    pace: .untimed,
    microphone: .buffer(AudioSignal.noise(seed: 7).buffer(.seconds(1), format: .speech)))
  private let state = Mutex((open: 0, openings: 0))

  var openings: Int { state.withLock { $0.openings } }
  var openCount: Int { state.withLock { $0.open } }

  var soundCard: SoundCard {
    var soundCard = card.soundCard
    soundCard.openCapture = { [self] request in
      let isFree = state.withLock { state in
        guard state.open == 0 else { return false }
        (state.open, state.openings) = (1, state.openings + 1)
        return true
      }
      guard isFree else { throw SoundCardError.busy("virtual") }
      asked.open()
      await answer.wait()
      return WatchedCapture(try await card.soundCard.openCapture(request: request)) { [self] in
        state.withLock { $0.open = 0 }
      }
    }
    return soundCard
  }
}

extension CaptureDevices {
  fileprivate func visit() {}
}
