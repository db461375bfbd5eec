import ALSASoundCard
import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Synchronization
import Testing

/// Tests playbacks and recordings on a card that is unplugged and returns.
@Suite(.timeLimit(.minutes(5))) struct DeviceReturnTests {
  let bench: EngineHarness

  init() throws {
    bench = try EngineHarness()
  }

  @Test func `after a card returns, playback continues at the playhead`() async throws {
    let file = bench.bench.file()
    let sound = ramp(24_000, from: 1)
    let played = await bench.play(
      sound, on: testCard("gone_at=9600 gone_for_ms=300 output=\(file.path())"),
      onDeviceLoss: .wait(atMost: .seconds(30)))
    #expect(played.error == nil)
    #expect(played.finish == PlaybackFinish(reason: .completed, played: .milliseconds(500)))
    #expect(played.isMonotonic(upTo: .milliseconds(500)))
    let gaps = played.events.compactMap { event -> Duration? in
      if case .deviceReturned(let gap) = event { gap } else { nil }
    }
    #expect(played.events.contains(.deviceLost))
    #expect(gaps.count == 1 && gaps[0] >= .milliseconds(300))
    // On a busy machine, fades change the samples, so the samples are not compared.
    guard !played.isStarved, !played.hasXrun else { return }
    // The frames that the card received but did not play before the loss are written again.
    let given = try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let end = zip(given, sound).prefix { $0 == $1 }.count
    let next = try #require(given.dropFirst(end).first)
    let start = try #require(sound.firstIndex(of: next))
    #expect(start < 9_600)
    #expect(end - start <= 4_800 + 1_200)
    #expect(given[end...].starts(with: sound[start...]))
  }

  @Test func `a playback fails if its card does not return in time`() async throws {
    let device = testCard("gone_at=9600 gone_for_ms=600000")
    let played = await bench.play(
      ramp(24_000), on: device, onDeviceLoss: .wait(atMost: .milliseconds(1_500)))
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(played.events.contains(.deviceLost))
  }

  @Test func `when a microphone returns, the recording gets silence for the gap and continues`()
    async throws
  {
    let recorded = try await bench.record(
      .seconds(3), from: testCard("gone_at=19200 gone_for_ms=300"),
      onDeviceLoss: .wait(atMost: .seconds(30)))
    #expect(recorded.error == nil)
    #expect(recorded.finish?.reason == .lengthReached)
    #expect(recorded.samples.count == 144_000)
    let gaps = recorded.events.compactMap { event -> Duration? in
      if case .deviceReturned(let gap) = event { gap } else { nil }
    }
    #expect(gaps.count == 1)
    let gap = FrameCount(try #require(gaps.first), at: 48_000).rawValue
    #expect(gap >= 14_400)
    guard recorded.lost == .zero else { return }
    // The ramp begins with a zero at each opening.
    let captured = try #require(recorded.samples.dropFirst().firstIndex(of: 0))
    #expect(captured <= 19_200 + 4_800)
    // On a busy machine, the gap may reach the end of the recording, so no frame follows it.
    let rest = recorded.samples[captured...]
    #expect(rest.prefix { $0 == 0 }.count == min(gap + 1, rest.count))
    #expect(rest.dropFirst(gap).elementsEqual(ramp(max(0, rest.count - gap))))
  }

  @Test(arguments: ["transfer", "pointer", "delay"])
  func `after a card hangs in a call, it is reopened and continues`(call: String) async throws {
    let doors = ReplacedDevice(first: "block_in=\(call) block_at=4800 block_ms=600000", later: "")
    let sound = AudioBuffer(
      format: AudioFormat(sampleRate: 48_000, channelCount: 1), samples: ramp(24_000, from: 1))
    let request = PlaybackRequest(
      source: .buffers([sound]), onDeviceLoss: .wait(atMost: .seconds(30)))
    let events = try await withDependencies {
      $0.soundCard = doors.soundCard
      $0.continuousClock = ContinuousClock()
    } operation: {
      try await AudioPlayerClient.liveValue.playback(request: request)
        .reduce(into: []) { $0.append($1) }
    }
    #expect(events.contains(.deviceLost) && doors.tries == 1)
    #expect(
      events.last
        == .finished(PlaybackFinish(reason: .completed, played: .milliseconds(500))))
  }

  @Test(arguments: AudioDevice.Direction.allCases)
  func `a hanging opening is not retried before it returns`(
    direction: AudioDevice.Direction
  ) async throws {
    let clock = TestClock<Duration>()
    let doors = ReplacedDevice(first: "gone_at=4800", later: "block_in=open block_ms=3000")
    await withDependencies {
      $0.soundCard = doors.soundCard
      $0.continuousClock = clock
    } operation: {
      let lost = Gate()
      let using = Task { try await use(direction) { lost.open() } }
      defer { using.cancel() }
      await lost.wait()
      for _ in 0..<10 {
        await clock.sleepers(atLeast: 1)
        await clock.advance(by: .seconds(5))
      }
    }
    #expect(doors.tries == 1)
  }

  /// Plays or records for an hour, even if the device is lost meanwhile.
  private func use(
    _ direction: AudioDevice.Direction, whenLost: @Sendable () -> Void
  ) async throws {
    let policy = DeviceLossPolicy.wait(atMost: .seconds(3_600))
    switch direction {
    case .playback:
      let silence = AudioBuffer(
        silence: 48_000, format: AudioFormat(sampleRate: 48_000, channelCount: 1))
      let request = PlaybackRequest(
        source: .buffers([silence]), repetition: .times(3_600), onDeviceLoss: policy)
      for try await event in await AudioPlayerClient.liveValue.playback(request: request)
      where event == .deviceLost { whenLost() }
    case .capture:
      let request = RecordingRequest(
        url: bench.bench.file().appendingPathExtension("wav"), onDeviceLoss: policy)
      for try await event in await AudioRecorderClient.liveValue.recording(request: request)
      where event == .deviceLost { whenLost() }
    }
  }

  /// A device that is one test card when it is first opened, and another test card when it is
  /// reopened.
  private final class ReplacedDevice: Sendable {
    private let cards: [AudioDevice.ID]
    private let openings = Mutex(0)

    init(first: String, later: String) {
      cards = [first, later].map { AudioDevice.ID(rawValue: testCard($0)) }
    }

    /// The number of times that the device was reopened.
    var tries: Int { openings.withLock { $0 - 1 } }

    var soundCard: SoundCard {
      SoundCard(
        devices: { [] },
        openPlayback: { [self] in
          try await SoundCard.liveValue.openPlayback(request: next($0))
        },
        openCapture: { [self] in
          try await SoundCard.liveValue.openCapture(request: next($0))
        })
    }

    private func next(_ request: PCMRequest) -> PCMRequest {
      var request = request
      request.device = openings.withLock { count in
        defer { count += 1 }
        return cards[min(count, 1)]
      }
      return request
    }
  }
}
