import AudioCore
import AudioPlayerClient
import Foundation
import Synchronization
import TestTools
import Testing

@testable import AudioPlayerClientLive

/// The memory of a playback to which sounds are enqueued.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct EnqueuedMemoryTests {
  private let living = SoundCounter()

  @Test func `thousands of enqueued sounds are released once they have been played`()
    async throws
  {
    let harness = PlayerHarness()
    let playing = await harness.start(
      PlaybackRequest(source: .buffers([staircase(4_000)]), id: "a"))
    var most = 0
    for batch in 0..<100 {
      let sounds = (0..<20).map { sound(batch * 20 + $0, 100) }
      try await harness.player.control(id: "a", command: .enqueue(sounds))
      // As much audio is played as was just enqueued, so half a second always remains to be
      // played.
      await harness.pass(10)
      if batch >= 4 { await harness.sees { ($0.advanced?.item ?? 0) >= 20 * (batch - 4) } }
      most = max(most, living.count)
    }
    try await harness.finish(playing)
    #expect(most <= 200)
    let told = harness.events.compactMap(\.advanced)
    #expect(told.map(\.item) == Array(1...2_000))
    #expect(told.allSatisfy { $0.position == 0 })
    let starts = (0..<2_000).map { FrameCount(4_000 + $0 * 100).duration(at: 8_000) }
    #expect(told.map(\.played) == starts)
    let expected = staircase(4_000).samples + (0..<2_000).flatMap { samples($0, 100) }
    let isWhole = harness.played.prefix(expected.count).elementsEqual(expected)
    #expect(isWhole)
  }

  @Test
  func `a seek can reach the request's own items, but not an enqueued item that was released`()
    async throws
  {
    let harness = PlayerHarness()
    let playing = await harness.start(
      PlaybackRequest(source: .buffers([staircase(2_000)]), id: "a"))
    let sounds = [sound(1, 16_000), sound(2, 40_000)]
    try await harness.player.control(id: "a", command: .enqueue(sounds))
    await harness.pass { $0.progress?.item == 1 }
    try await harness.send("a", .seek(to: .frame(15_000), item: 1))
    await harness.pass { ($0.progress?.item ?? 0) == 2 && ($0.progress?.position ?? 0) > 1_000 }
    await #expect(throws: AudioPlayerError.notSeekable(nil)) {
      try await harness.send("a", .seek(to: .frame(0), item: 1))
    }
    try await harness.send("a", .seek(to: .frame(500), item: 0))
    await #expect(throws: AudioPlayerError.notSeekable(nil)) { try await harness.finish(playing) }
    #expect(harness.events.compactMap(\.sought).map(\.item) == [1, 0])
    // A released item is reported as failed, like a played stream, and the next item follows.
    #expect(harness.events.compactMap(\.failedItem) == [1])
    let end = staircase(1_420, from: 580).samples + samples(2, 40_000)
    let isPlayed = harness.hasPlayed(end)
    #expect(isPlayed)
  }

  @Test func `a repeated list keeps its enqueued items`() async throws {
    let harness = PlayerHarness()
    let playing = await harness.start(
      PlaybackRequest(
        items: [PlaybackItem(source: .buffers([staircase(9_000)]))], cycle: .times(2), id: "a"))
    let sounds = [sound(1, 2_000), sound(2, 16_000)]
    try await harness.player.control(id: "a", command: .enqueue(sounds))
    try await harness.finish(playing)
    let round = staircase(9_000).samples + samples(1, 2_000) + samples(2, 16_000)
    let isWhole = harness.played.prefix(54_000).elementsEqual(round + round)
    #expect(isWhole)
  }

  @Test func `a seek reaches the last thousand enqueued files, but no earlier file`()
    throws
  {
    let files = (0..<10_000).map { PlaybackItem(source: .file(URL(filePath: "\($0).wav"))) }
    var items = QueueItems(Array(files.prefix(10)))
    var most = 0
    for index in 10..<10_000 {
      items.append([files[index]])
      items.release(before: index)
      most = max(most, items.entryCount)
    }
    #expect(most <= 10 + 2 * QueueItems.playedLimit + 2)
    #expect(items.count == 10_000)
    for index in [0, 9, 9_999 - QueueItems.playedLimit, 9_999] {
      guard case .file(let url) = try items[index].source else { continue }
      #expect(url.lastPathComponent == "\(index).wav")
    }
    #expect(throws: AudioPlayerError.notSeekable(nil)) { try items[10] }
  }

  private func sound(_ number: Int, _ length: Int) -> PlaybackItem {
    let buffer = AudioBuffer(format: PlayerHarness.format, samples: samples(number, length))
    return PlaybackItem(
      source: .preloaded(
        PreloadedSound(buffers: [buffer], device: nil, hold: CountedObject(living))))
  }

  /// Returns samples that identify their sound.
  private func samples(_ number: Int, _ length: Int) -> [Float] {
    (0..<length).map { 0.25 + Float(number) / 16_384 + Float($0) / 16_777_216 }
  }
}

/// The number of sounds in memory.
private final class SoundCounter: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func change(by difference: Int) { number.withLock { $0 += difference } }
}

/// An object counted during its lifetime.
private final class CountedObject: Sendable {
  private let living: SoundCounter

  init(_ living: SoundCounter) {
    self.living = living
    living.change(by: 1)
  }

  deinit { living.change(by: -1) }
}
