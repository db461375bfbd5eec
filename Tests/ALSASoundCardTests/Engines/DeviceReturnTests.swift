import AudioCore
import AudioPlayerClient
import AudioRecorderClient
import Foundation
import SoundCard
import Testing

/// The engines above a card that is pulled out and put back.
@Suite(.timeLimit(.minutes(1))) struct DeviceReturnTests {
  let bench: EngineBench

  init() throws {
    bench = try EngineBench()
  }

  @Test func `a card that is back plays on from what had been heard`() async throws {
    let file = bench.bench.file()
    let sound = ramp(24_000, from: 1)
    let played = await bench.play(
      sound, on: testCard("gone_at=9600 gone_for_ms=300 output=\(file.path())"),
      onDeviceLoss: .wait(atMost: .seconds(30)))
    #expect(played.error == nil)
    #expect(played.finish == PlaybackFinish(reason: .completed, heard: .milliseconds(500)))
    #expect(played.isMonotonic(upTo: .milliseconds(500)))
    let gaps = played.events.compactMap { event -> Duration? in
      if case .deviceReturned(let gap) = event { gap } else { nil }
    }
    #expect(played.events.contains(.deviceLost))
    #expect(gaps.count == 1 && gaps[0] >= .milliseconds(300))
    // The card was given what it did not play any more; a machine too busy to decode fades.
    guard !played.isStarved, !played.hasXrun else { return }
    let given = try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let end = zip(given, sound).prefix { $0 == $1 }.count
    let next = try #require(given.dropFirst(end).first)
    let start = try #require(sound.firstIndex(of: next))
    #expect(start < 9_600)
    #expect(end - start <= 4_800 + 1_200)
    #expect(given[end...].starts(with: sound[start...]))
  }

  @Test func `a card that is not back in time is an error`() async throws {
    let device = testCard("gone_at=9600 gone_for_ms=600000")
    let played = await bench.play(
      ramp(24_000), on: device, onDeviceLoss: .wait(atMost: .milliseconds(1_500)))
    #expect(played.error == .deviceLost(AudioDevice.ID(rawValue: device)))
    #expect(played.events.contains(.deviceLost))
  }

  @Test func `a microphone that is back is recorded on, after silence of the gap's length`()
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
    let heard = try #require(recorded.samples.dropFirst().firstIndex(of: 0))
    #expect(heard <= 19_200 + 4_800)
    // On a machine that was busy for long the gap reaches to the end of the recording.
    let rest = recorded.samples[heard...]
    #expect(rest.prefix { $0 == 0 }.count == min(gap + 1, rest.count))
    #expect(rest.dropFirst(gap).elementsEqual(ramp(max(0, rest.count - gap))))
  }
}
