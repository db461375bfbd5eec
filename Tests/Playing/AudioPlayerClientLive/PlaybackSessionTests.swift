import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct PlaybackSessionTests {
  private let card = VirtualSoundCard(pace: .untimed)
  private let silence = AudioBuffer(
    silence: 800, format: AudioFormat(sampleRate: 8_000, channelCount: 1))

  @Test func `when a playback reports its end, isOver is already true`() async throws {
    let playing = Mutex<PlaybackSession?>(nil)
    let isOver = Mutex<Bool?>(nil)
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let request = PlaybackRequest(source: .buffers([silence]))
      let session = PlaybackSession(request, by: AudioPlayer(), lockstep: nil) { event in
        guard case .finished = event else { return }
        let session = playing.withLock { $0 }
        isOver.withLock { $0 = session?.isOver }
      }
      playing.withLock { $0 = session }
      session.start()
      try await session.ended()
    }
    playing.withLock { $0 = nil }
    #expect(isOver.withLock { $0 } == true)
  }

  @Test func `an ID can be used again once its end is reported`() async throws {
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let player = AudioPlayerClient.liveValue
      let request = PlaybackRequest(source: .buffers([silence]), id: "again")
      var events = await player.playback(request: request).makeAsyncIterator()
      for _ in 0..<20 {
        while let event = try await events.next() {
          if case .finished = event { break }
        }
        events = await player.playback(request: request).makeAsyncIterator()
      }
      while try await events.next() != nil {}
    }
    #expect(card.openDeviceCount == 0)
  }
}
