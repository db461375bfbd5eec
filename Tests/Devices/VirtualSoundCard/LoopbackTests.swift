import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import ClientDependencies
import SoundCard
import Testing

@testable import VirtualSoundCard

/// Tests a card whose microphone captures the card's playback, and the times of both directions.
@Suite(.timeLimit(.minutes(5))) struct LoopbackTests {
  private static let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
  private static let lead = FrameCount(4_800)

  /// Half a second of silence with a click after 100 ms.
  private let click: AudioBuffer = {
    var samples = AudioBuffer(silence: 24_000, format: format).samples
    samples[lead.rawValue] = 0.8
    return AudioBuffer(format: format, samples: samples)
  }()

  /// A click in a capture.
  private struct Click: Equatable {
    /// The time since the click left the loudspeaker.
    var delay: Duration
    var level: Float
  }

  /// Plays the click and returns a `Click` for each captured frame that exceeds a level.
  private func clicks(on card: VirtualSoundCard, above level: Float = 0.05) async throws -> [Click]
  {
    try await withDependencies {
      $0.continuousClock = ContinuousClock()
      $0.soundCard = card.soundCard
      $0.audioPlayer = .liveValue
      $0.audioRecorder = .liveValue
    } operation: {
      @Dependency(\.audioPlayer) var player
      @Dependency(\.audioRecorder) var recorder
      async let captured = blocks(of: recorder, above: level)
      var begin: ContinuousClock.Instant?
      for try await event in await player.playback(
        request: PlaybackRequest(source: .buffers([click])))
      {
        if case .progress(let progress) = event {
          begin = progress.hostTime.map { $0 - progress.played }
        }
      }
      let played = try #require(begin) + Self.lead.duration(at: 48_000)
      var clicks: [Click] = []
      for block in try await captured {
        for (frame, sample) in block.channel(0).enumerated() where sample > level {
          let offset = FrameCount(frame).duration(at: block.format.sampleRate)
          clicks.append(Click(delay: try #require(block.hostTime) + offset - played, level: sample))
        }
      }
      return clicks
    }
  }

  /// Captures until half a second after the first frame that exceeds a level.
  private func blocks(
    of recorder: AudioRecorderClient, above level: Float
  ) async throws -> [AudioBuffer] {
    var (blocks, end) = ([AudioBuffer](), FrameCount?.none)
    for try await block in await recorder.capture(request: CaptureRequest()).prefix(.seconds(20)) {
      blocks.append(block.buffer)
      if end == nil, block.samples.contains(where: { $0 > level }) {
        end = block.endFrame + FrameCount(.milliseconds(500), at: block.format.sampleRate)
      }
      if let end, block.endFrame >= end { break }
    }
    return blocks
  }

  @Test(arguments: [0, 35, 120])
  func `a loopback captures each frame after its delay on the host's clock, with its gain`(
    delay: Int
  ) async throws {
    let clock = TestClock()
    let card = VirtualSoundCard(
      pace: .lockstep(clock),
      microphone: .loopback(delay: .milliseconds(delay), gain: 0.5))
    let measuring = Task { try await clicks(on: card) }
    await clock.advance(until: measuring)
    let found = try await measuring.value
    #expect(found.count == 1)
    let click = try #require(found.first)
    #expect(abs((click.delay - .milliseconds(delay)).inSeconds) < 0.000_03)
    #expect(abs(click.level - 0.4) < 0.001)
  }

  @Test func `in real time, playback and capture agree within 5 ms on the time of a click`()
    async throws
  {
    // A free-running card would lose frames on a busy machine.
    let card = VirtualSoundCard(
      pace: .lockstep(ContinuousClock()), microphone: .loopback(delay: .milliseconds(60)))
    let found = try await clicks(on: card)
    #expect(found.count == 1)
    #expect(abs(try #require(found.first).delay.inSeconds - 0.060) < 0.005)
  }

  @Test func `two nested loopbacks add two reflections to the room's own signal`()
    async throws
  {
    let clock = TestClock()
    let hum = VirtualMicrophone.signal(AudioSignal { _, _ in 0.01 })
    let room = VirtualMicrophone.loopback(
      delay: .milliseconds(90), gain: 0.25, over: .loopback(delay: .milliseconds(20), over: hum))
    let card = VirtualSoundCard(pace: .lockstep(clock), microphone: room)
    let measuring = Task { try await clicks(on: card) }
    await clock.advance(until: measuring)
    let found = try await measuring.value
    #expect(found.map { ($0.delay.inSeconds * 1_000).rounded() } == [20, 90])
    #expect(zip(found, [0.81, 0.21]).allSatisfy { abs($0.level - $1) < 0.001 })
  }

  @Test func `if playback restarts before all frames are kept, only the kept frames echo`() {
    var playback = KeptPlayback(format: Self.format)
    playback.samples = [Float](repeating: 0.5, count: 960)
    playback.play(from: 0, at: .zero)
    playback.play(from: 1_440, at: .seconds(1))
    var captured = [Float](repeating: 0, count: 1_920)
    captured.withUnsafeMutableBufferPointer { playback.add(to: $0, 1, at: .zero, gain: 1) }
    #expect(captured.firstIndex(of: 0) == 960)
  }

  @Test func `a card with a loopback has one rate, and cannot be untimed`() async throws {
    let request = PCMRequest(format: AudioFormat(sampleRate: 44_100, channelCount: 2))
    let loopback = VirtualMicrophone.loopback(delay: .zero)
    let card = VirtualSoundCard(microphone: loopback)
    let pcm = try await card.soundCard.openCapture(request: request)
    #expect(pcm.configuration.format.sampleRate == 48_000)
    let quiet = AudioBuffer(silence: 10, format: .speech)
    let speech = VirtualSoundCard(microphone: .loopback(delay: .zero, over: .buffer(quiet)))
    #expect(
      try await speech.soundCard.openPlayback(request: request).configuration.format.sampleRate
        == .speech)
    await #expect(throws: SoundCardError.self) {
      _ = try await VirtualSoundCard(pace: .untimed, microphone: loopback).soundCard
        .openCapture(request: request)
    }
  }
}
