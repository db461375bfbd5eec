import AudioCore
import AudioPlayerClient
import Foundation
import Resampling
import TestTools
import Testing

/// Files at 44.1 kHz on a device at 48 kHz: the output equals a single resampling of all played
/// frames.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct ResampledPlaybackTests {
  private let harness = PlayerHarness(sampleRate: 48_000)
  private let format = AudioFormat(sampleRate: 44_100, channelCount: 1)
  /// A signal that is never silent and never repeats.
  private let sweep = AudioSignal { frame, rate in
    let time = Double(frame) / Double(rate.hertz)
    return Float(0.3 + 0.2 * sin(2 * Double.pi * (200 * time + 900 * time * time)))
  }
  /// The number of frames at each end of a reference that may differ, because the resampler has no
  /// samples beyond them.
  private let edge = 700
  private let fade = 480

  private func sound(_ range: Range<Int>) -> AudioBuffer {
    sweep.buffer(
      FrameCount(range.count), format: format, firstFrame: FrameCount(range.lowerBound))
  }

  /// Returns the number of device frames for `count` source frames.
  private func frames(_ count: Int) -> Int {
    FrameCount(count).converted(from: 44_100, to: 48_000).rawValue
  }

  /// Resamples all parts as one sound.
  private func reference(_ parts: [AudioBuffer]) throws -> [Float] {
    let samples = parts.flatMap(\.samples)
    let resampler = try Resampler(
      from: format, to: AudioFormat(sampleRate: 48_000, channelCount: 1))
    let given = try resampler.process(AudioBuffer(format: format, samples: samples)).samples
    return Array((given + (try resampler.flush().samples)).prefix(frames(samples.count)))
  }

  /// Returns the largest difference, except at the ends of the reference.
  private func error(_ played: some Sequence<Float>, _ reference: [Float]) -> Float {
    let errors = zip(played, reference).map { abs($0 - $1) }
    guard errors.count > 2 * edge else { return 1 }
    return errors[edge..<(errors.count - edge)].max() ?? 1
  }

  @Test(arguments: [(0, 13_007), (1_001, 12_000)])
  func `resampled repetitions join as if they were one sound`(start: Int, end: Int) async throws {
    let request = PlaybackRequest(
      source: .file(try temporaryWAV(sound(0..<13_007))), repetition: .times(3),
      range: PlaybackRange(
        start: .frame(FrameCount(start)), end: .frame(FrameCount(end))))
    try await harness.finish(await harness.start(request))
    let reference = try reference(Array(repeating: sound(start..<end), count: 3))
    let played = harness.played
    let error = error(played, reference)
    #expect(error < 1e-5)
    #expect(reference.count == frames(3 * (end - start)))
    let isExact =
      played[..<reference.count].allSatisfy { $0 != 0 }
      && played[reference.count...].allSatisfy { $0 == 0 }
    #expect(isExact)
    let loops = harness.events.compactMap { event -> PlaybackProgress? in
      if case .looped(let place, _) = event { place } else { nil }
    }
    #expect(loops.map(\.position.rawValue) == [start, start])
    let lengths = (1...2).map { FrameCount(frames($0 * (end - start))).duration(at: 48_000) }
    #expect(loops.map(\.played) == lengths)
    #expect(harness.events.compactMap(\.progress).last?.position.rawValue == end)
  }

  @Test func `resampled rounds of a list join as if they were one sound`() async throws {
    let (first, second) = (sound(0..<9_001), sound(20_000..<31_003))
    let items = try [first, second].map { PlaybackItem(source: .file(try temporaryWAV($0))) }
    try await harness.finish(
      await harness.start(PlaybackRequest(items: items, cycle: .times(2))))
    let reference = try reference([first, second, first, second])
    let error = error(harness.played, reference)
    #expect(error < 1e-5)
    let places = harness.events.compactMap(\.advanced)
    #expect(places.map(\.item) == [1, 0, 1])
    #expect(places.allSatisfy { $0.position == 0 })
    let starts = [9_001, 20_004, 29_005].map { FrameCount(frames($0)).duration(at: 48_000) }
    #expect(places.map(\.played) == starts)
  }

  @Test func `with resampling, a pause loses no frame and reports the source's next frame`()
    async throws
  {
    let request = PlaybackRequest(source: .file(try temporaryWAV(sound(0..<60_001))), id: "a")
    let playing = await harness.start(request)
    await harness.pass(11)
    try await harness.send("a", .pause())
    await harness.pass { $0.paused != nil }
    await harness.pass(9)
    try await harness.send("a", .resume())
    try await harness.finish(playing)
    let place = try #require(harness.events.compactMap(\.paused).first)
    let pause = FrameCount(place.played, at: 48_000).rawValue
    // The frame is rounded to the source's rate, so the time may be off by half a source frame.
    let distance = place.time.inSeconds - Double(pause) / 48_000
    #expect(abs(distance) <= 0.5 / 44_100 + 1e-8)
    #expect(harness.events.compactMap(\.resumed).map(\.position) == [place.position])
    let reference = try reference([sound(0..<60_001)])
    let played = harness.played
    let again = try #require(played[pause...].firstIndex { $0 != 0 })
    // The fade's only silent frame is its last, at `pause - 1`.
    #expect(again >= pause + 9 * 1_200)
    let joined = Array(played[..<pause] + played[again...])
    let fall = (0..<pause).map { min(1, Float(pause - 1 - $0) / Float(fade)) }
    let gains = fall + (1...(reference.count - pause)).map { min(1, Float($0) / Float(fade)) }
    let error = error(joined, zip(reference, gains).map { $0 * $1 })
    #expect(error < 1e-5)
    #expect(joined[reference.count...].allSatisfy { $0 == 0 })
    #expect(harness.events.compactMap(\.progress).last?.position == 60_001)
  }

  @Test func `with resampling, a seek goes to exactly the source's frame`() async throws {
    let request = PlaybackRequest(source: .file(try temporaryWAV(sound(0..<60_001))), id: "a")
    let playing = await harness.start(request)
    await harness.pass(9)
    try await harness.send("a", .seek(to: .frame(30_011)))
    try await harness.finish(playing)
    let place = try #require(harness.events.compactMap(\.sought).first)
    #expect(place.position == 30_011 && place.time == FrameCount(30_011).duration(at: 44_100))
    let left = FrameCount(place.played, at: 48_000).rawValue
    let played = harness.played
    let before = try reference([sound(0..<60_001)])
    let isUntouched = error(played[..<(left - fade)], Array(before[..<(left - fade)])) < 1e-5
    #expect(isUntouched)
    let target = try #require(played[left...].firstIndex { $0 != 0 })
    let after = try reference([sound(30_011..<60_001)])
    let error = error(played[target...], after)
    #expect(error < 1e-5)
    #expect(played[(target + after.count)...].allSatisfy { $0 == 0 })
    // The fade-in begins at the target's first frame.
    let level = sound(30_011..<30_012).samples[0]
    let isFadedIn = abs(played[target] - level / Float(fade)) < 1e-4
    #expect(isFadedIn)
    #expect(harness.events.compactMap(\.progress).last?.position == 60_001)
  }
}
