import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation
import Synchronization
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// A queue of files on disks that stall for longer than what has been read ahead.
@Suite(.timeLimit(.minutes(1))) final class SlowFilesTests: Sendable {
  private static let length = 9_000
  /// The samples of both files, each a little above the one before it.
  private let sound = staircase(2 * length).samples
  // In real time: a card in lockstep waits for a source that is late.
  private let card = VirtualSoundCard(.init(pace: .realTime))
  private let log = Mutex<[PlaybackEvent]>([])

  /// Where the disks stall: the second before its header, at its first frame and in its middle, the
  /// first in its middle and where its end is to be seen.
  @Test(arguments: [
    (HeldUpCall.Kind.read(2), HeldUpCall.Kind.open), (.read(2), .read(1)), (.read(4), .read(2)),
  ])
  func `a queue whose disks stall is heard whole, with told silence where they did`(
    first: HeldUpCall.Kind, second: HeldUpCall.Kind
  ) async throws {
    let calls = [try HeldUpCall(first), try HeldUpCall(second)]
    let files = try (0..<2).map {
      try temporaryWAV(staircase(Self.length, from: $0 * Self.length))
    }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    let (silences, silence) = AsyncStream<Int>.makeStream()
    let session = PlaybackSession(
      request: PlaybackRequest(items: files.map { PlaybackItem(source: .file($0)) }),
      setting: setting(Dictionary(uniqueKeysWithValues: zip(files, calls))),
      engines: EnginePool()
    ) { [self] event in
      let index = log.withLock { log in
        log.append(event)
        return log.count
      }
      if case .starved = event { silence.yield(index) }
    }
    session.start()
    for call in calls {
      await call.made.wait()
      // The disk answers when all that had been read has been heard, and then nothing.
      let earlier = log.withLock { $0.count }
      _ = await silences.first { $0 > earlier }
      call.letReturn()
    }
    try await session.ended()
    try check()
  }

  private func setting(_ calls: [URL: HeldUpCall]) -> EngineSetting {
    var setting = EngineSetting(
      soundCard: card.soundCard, idleTime: .zero, clock: ContinuousClock())
    setting.feeding = FeederSetting { source, mailbox in
      let file = makeSource(source, mailbox)
      guard let url = file.url, let call = calls[url] else { return file }
      return SlowFile(file, call)
    }
    return setting
  }

  /// Each frame is where the silence that was told before it puts it, and none is missing but for
  /// the 5 ms that fade out and in again.
  private func check() throws {
    let events = log.withLock { $0 }
    let played = try #require(card.played.first).samples
    let whole = unfaded(played)
    let shifts = whole.map { $0.place - $0.frame }
    #expect(shifts.first == 0 && shifts == shifts.sorted())
    let frames = Set(whole.map(\.frame))
    #expect(frames.count == whole.count)
    #expect(sound.count - frames.count <= Set(shifts).count * 80)
    let isUndisturbed = !events.contains { if case .xrun = $0 { true } else { false } }
    // A machine that is too busy makes silence of its own.
    if isUndisturbed { #expect(shifts.last == silence(in: events)) }
    #expect(silence(in: events) > 0)
    try checkPlaces(events)
    #expect(card.openDeviceCount == 0)
  }

  /// The frames of the sound that are as they were, each with a neighbour that is: a fade meets the
  /// value of another frame here and there.
  private func unfaded(_ played: [Float]) -> [(place: Int, frame: Int)] {
    let all = played.enumerated().compactMap { place, sample -> (place: Int, frame: Int)? in
      let frame = Int((sample - 0.25) * 65_536)
      guard sound.indices.contains(frame), sound[frame] == sample else { return nil }
      return (place, frame)
    }
    return all.indices.filter { index in
      [index - 1, index + 1].contains { other in
        let distance = other - index
        return all.indices.contains(other) && all[other].place == all[index].place + distance
          && all[other].frame == all[index].frame + distance
      }
    }.map { all[$0] }
  }

  private func silence(in events: [PlaybackEvent]) -> Int {
    events.reduce(0) { sum, event in
      if case .starved(let time) = event { sum + FrameCount(time, at: 8_000).rawValue } else { sum }
    }
  }

  private func checkPlaces(_ events: [PlaybackEvent]) throws {
    let length = FrameCount(Self.length).duration(at: 8_000)
    let heard = events.compactMap(\.progress).map(\.heard)
    #expect(heard == heard.sorted())
    #expect(events.compactMap(\.advanced).map(\.heard) == [length])
    #expect(events.compactMap(\.advanced).map(\.item) == [1])
    let last = try #require(events.compactMap(\.progress).last)
    #expect(last.item == 1 && last.position == FrameCount(Self.length))
    #expect(events.last?.finish == PlaybackFinish(reason: .completed, heard: length * 2))
  }
}
