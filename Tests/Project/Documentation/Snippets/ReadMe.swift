import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Foundation
import ListeningFeatures
import MoonshineEngine
import SoundCard
import SpeechClient
import SpeechEngine
import Testing
import VirtualSoundCard
import VoskEngine

private let chime = URL(filePath: "chime.wav")

@DependencyClient
struct DoorbellClient: Sendable {
  var ring: @Sendable (_ times: Int) async throws -> Void
}

extension DoorbellClient {
  static let live: DoorbellClient = .init(ring: { times in
    @Dependency(\.audioPlayer) var player
    for _ in 0..<times { try await player.play(url: chime) }
  })
}

extension DependencyValues {
  @DependencyEntry(liveValue: DoorbellClient.live)
  var doorbell = DoorbellClient()
}

struct Visitor {
  @Dependency(\.doorbell) private var doorbell

  func arrive() async throws { try await doorbell.ring(times: 2) }
}

@Suite struct VisitorTests {
  @Test func `a visitor rings twice`() async throws {
    let rings = LockIsolated<[Int]>([])
    try await withDependencies {
      $0.doorbell.ring = { times in rings.withValue { $0.append(times) } }
    } operation: {
      try await Visitor().arrive()
    }
    #expect(rings.value == [2])
  }

  @Test(.dependencies { $0.doorbell = .live })
  func `each ring of the doorbell plays a sound`() async throws {
    let sounds = LockIsolated(0)
    try await withDependencies {
      $0.audioPlayer.play = { _ in sounds.withValue { $0 += 1 } }
    } operation: {
      try await Visitor().arrive()
    }
    #expect(sounds.value == 2)
  }
}

@Suite struct ReadMeTests {
  @Test(.dependencies { $0.audioPlayer.play = { _ in } })
  func `a file is played`() async throws {
    let file = URL(filePath: "song.flac")
    @Dependency(\.audioPlayer) var player
    try await player.play(url: file)  // returns when the last frame has been played
  }

  @Test func `sounds on buses are faded, and a preloaded sound is played`() async throws {
    let (file, music) = (URL(filePath: "chime.wav"), URL(filePath: "song.flac"))
    let told = LockIsolated<[String]>([])
    let player = withDependencies {
      $0.audioPlayer.preload = { _, _, _ in PreloadedSound(buffers: []) }
      $0.audioPlayer.setBusVolume = { bus, _, _ in told.withValue { $0.append(bus.rawValue) } }
      $0.audioPlayer.control = { _, command in told.withValue { $0.append("\(command)") } }
      $0.audioPlayer.playback = { request in
        told.withValue { $0.append(request.bus.rawValue) }
        return .finished()
      }
    } operation: {
      @Dependency(\.audioPlayer) var player
      return player
    }
    let chime = try await player.preload(source: .file(file), latency: .low)
    let song = PlaybackRequest(source: .file(music), fadeIn: .seconds(2), bus: .music)
    let playing = await player.playback(request: song)
    await player.setBusVolume(bus: .music, volume: 0.2, ramp: .milliseconds(300))
    try await player.control(id: song.id, command: .pause(fade: .milliseconds(500)))
    let ding = PlaybackRequest(source: .preloaded(chime), bus: .effects)
    for try await _ in await player.playback(request: ding) {}  // starts with the next period
    try await player.control(id: song.id, command: .resume(fade: .seconds(1)))
    try await player.control(id: song.id, command: .stop(fade: .seconds(3)))  // waits until silent
    for try await event in playing { print(event) }  // started, paused, resumed…, finished
    #expect(told.value.count == 6)
    #expect(told.value.first == "music" && told.value[3] == "effects")
  }

  @Test func `a prompt ducks the music`() async throws {
    let file = URL(filePath: "prompt.wav")
    let ducking = LockIsolated<[PlaybackBus: Decibels]>([:])
    let player = withDependencies {
      $0.audioPlayer.busVolume = { _ in 1 }
      $0.audioPlayer.playback = { request in
        ducking.setValue(request.ducking)
        return .finished()
      }
    } operation: {
      @Dependency(\.audioPlayer) var player
      return player
    }
    let prompt = PlaybackRequest(
      source: .file(file), bus: "speech", ducking: [.music: .decibels(-14)])
    for try await _ in await player.playback(request: prompt) {}  // the music is 14 dB lower
    print(await player.busVolume(bus: .music))  // 1.0
    #expect(ducking.value == [.music: Decibels(-14)])
  }

  @MainActor @Test func `a test replaces the events of the speech client`() async throws {
    let events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>.finished()
    let dictation = withDependencies {
      $0.speechClient.recognition = { _ in events }  // a stream that the test writes
    } operation: {
      Dictation()
    }
    try await dictation.listen()
    #expect(dictation.lines == [])
  }

  @Test func `a program selects the best engine`() {
    prepareDependencies {
      $0.speechEngine = .best
    }
    @Dependency(\.speechEngine) var engine
    #expect(["moonshine", "pocketsphinx"].contains(engine.name))
  }

  @Test func `a program selects another engine`() {
    let model = URL(filePath: "/usr/share/vosk/vosk-model-small-en-us-0.15")
    prepareDependencies {
      $0.speechEngine = .vosk(modelDirectory: model)
    }
    @Dependency(\.speechEngine) var engine
    #expect(engine.name == "vosk")
  }

  @Test func `the live player plays on a virtual card`() async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock), faults: [.xrun(at: 4_800, lost: 240)])
    let player = AudioPlayerClient.live(on: card.soundCard)
    await player.stop()
    #expect(clock.now.offset == .zero)
  }
}
