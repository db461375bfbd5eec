import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import ClientDependencies
import ClientDependenciesTestSupport
import Foundation
import SoundCard
import Testing
import VirtualSoundCard

/// The examples of `AudioPlayerClient.docc`.
@Suite(.dependencies { $0.continuousClock = ImmediateClock() })
struct PlayerArticlesTests {
  private let file = URL(filePath: "chime.wav")

  @Test func `a file is repeated until its task is canceled`() async throws {
    let calls = LockIsolated<[String]>([])
    let player = withDependencies {
      $0.audioPlayer.setVolume = { volume in calls.withValue { $0.append("\(volume)") } }
      $0.audioPlayer.loop = { url in calls.withValue { $0.append(url.lastPathComponent) } }
    } operation: {
      @Dependency(\.audioPlayer) var player
      return player
    }
    await player.setVolume(volume: 0.5)
    try await player.loop(url: file)
    #expect(calls.value == ["0.5", "chime.wav"])
  }

  @Test func `devices are listed, and everything is stopped`() async throws {
    let player = AudioPlayerClient.previewValue
    for device in try await player.devices() { print(device.id, device.name) }
    await player.stop()
  }

  @Test func `the mix reader of a preview player returns no audio`() {
    let player = AudioPlayerClient.previewValue
    let played = player.makeMixReader()
    for block in played() { print(block.level.rms) }
    #expect(played().isEmpty)
  }

  @Test func `a list reports its progress`() async throws {
    let (intro, song) = (URL(filePath: "intro.wav"), URL(filePath: "song.flac"))
    let items = LockIsolated(0)
    let player = withDependencies {
      $0.audioPlayer.playback = { request in
        items.setValue(request.items.count)
        return AsyncThrowingStream { events in
          events.yield(.progress(PlaybackProgress(played: .seconds(1))))
          events.yield(.finished(PlaybackFinish(reason: .completed, played: .seconds(2))))
          events.finish()
        }
      }
    } operation: {
      @Dependency(\.audioPlayer) var player
      return player
    }
    var request = PlaybackRequest(source: .file(intro), fadeIn: .seconds(1))
    request.items.append(PlaybackItem(source: .file(song), repetition: .times(2)))
    for try await event in await player.playback(request: request) {
      switch event {
      case .progress(let progress): print(progress.item, progress.time)
      case .xrun(let silence), .starved(let silence): print("interrupted for \(silence)")
      case .finished(let finish): print("played \(finish.played)")
      default: break
      }
    }
    #expect(items.value == 2)
  }

  @Test func `an intercom plays a microphone by the microphone's clock`() async throws {
    let clocks = LockIsolated<[PlaybackClock]>([])
    let (door, handset): (AudioDevice.ID, AudioDevice.ID) = ("hw:CARD=Door", "hw:CARD=Phone")
    let (player, recorder) = withDependencies {
      $0.audioPlayer.playback = { request in
        clocks.withValue { $0.append(request.clock) }
        return AsyncThrowingStream { $0.finish() }
      }
      $0.audioRecorder = .previewValue
    } operation: {
      @Dependency(\.audioPlayer) var player
      @Dependency(\.audioRecorder) var recorder
      return (player, recorder)
    }
    let visitor = await recorder.capture(request: CaptureRequest(device: door))
    let request = PlaybackRequest(
      source: .sequence(visitor), device: handset, latency: .low, clock: .source)
    for try await event in await player.playback(request: request) { print(event) }
    #expect(clocks.value == [.source])
  }

  @Test func `an error has a case to branch on and a sentence for users`() async {
    #expect(await message(after: .deviceLost("hw:1")).hasPrefix("The loudspeaker is gone."))
    #expect(await message(after: .device(nil, reason: "no device")) == "no device")
  }

  private func message(after error: AudioPlayerError) async -> String {
    let player = withDependencies {
      $0.audioPlayer.play = { _ in throw error }
    } operation: {
      @Dependency(\.audioPlayer) var player
      return player
    }
    var message = ""
    do {
      try await player.play(url: file)
    } catch AudioPlayerError.deviceLost {
      message = "The loudspeaker is gone. Plug it in and play again."
    } catch {
      message = "\(error)"
    }
    return message
  }

  @Test func `a test replaces one endpoint of the player`() async throws {
    let played = LockIsolated<[URL]>([])
    try await withDependencies {
      $0.audioPlayer.play = { url in played.withValue { $0.append(url) } }
    } operation: {
      @Dependency(\.audioPlayer) var player
      try await player.play(url: file)
    }
    #expect(played.value == [file])
  }
}
