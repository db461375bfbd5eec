import AudioCore
import AudioThreads
import SoundCard
import Testing
import VirtualSoundCard

@testable import AudioRecorderClientLive

/// Openings of a microphone that fail.
@Suite(.timeLimit(.minutes(5))) struct CaptureHubFailureTests {
  @Test(arguments: 0..<20)
  func `a user after a failed opening reopens the microphone`(_: Int) async throws {
    let (asked, answer) = (Gate(), Gate())
    let card = VirtualSoundCard(.init(pace: .untimed))
    var soundCard = card.soundCard
    soundCard.openCapture = { request in
      guard !answer.isOpen else { return try await card.soundCard.openCapture(request: request) }
      asked.open()
      await answer.wait()
      throw SoundCardError.busy("virtual")
    }
    let request = PCMRequest(format: .speech)
    let hub = CaptureHub()
    // The hub's task has the priority of its first user.
    let first = Task(priority: .background) { [soundCard] in
      try await hub.acquire(request, on: soundCard)
    }
    await asked.wait()
    let users = (0..<40).map { _ in
      Task(priority: .high) { [soundCard] in
        // A user may retry at once while others have not received the failure yet.
        let early = try? await hub.acquire(request, on: soundCard)
        let capture =
          if let early { early } else { try await hub.acquire(request, on: soundCard) }
        capture.release()
      }
    }
    await hub.visit()
    answer.open()
    await #expect(throws: SoundCardError.busy("virtual")) { try await first.value }
    for user in users { try await user.value }
    #expect(await hub.canOpen(request, on: soundCard))
    #expect(card.openDeviceCount == 0)
  }
}

extension CaptureHub {
  fileprivate func visit() {}
}
