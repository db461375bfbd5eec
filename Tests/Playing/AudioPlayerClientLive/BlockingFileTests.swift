import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Synchronization
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

/// A queue of files on disks that stall for longer than the audio read ahead.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) final class BlockingFileTests: Sendable {
  private static let length = 9_000
  /// The samples of both files, each slightly above the previous sample.
  private let sound = staircase(2 * length).samples
  // The card runs in real time, because in lockstep it would wait for a late source.
  private let card = VirtualSoundCard(pace: .realTime)
  private let log = Mutex<[PlaybackEvent]>([])

  /// The places where a read blocks: in the middle or at the end of the first file, and in the
  /// second file before the header, at the first frame, or in the middle.
  @Test(arguments: [
    (BlockedSourceCall.Kind.read(2), BlockedSourceCall.Kind.open), (.read(2), .read(1)),
    (.read(4), .read(2)),
  ])
  func `files on stalling disks are played completely, and the inserted silence is reported`(
    first: BlockedSourceCall.Kind, second: BlockedSourceCall.Kind
  ) async throws {
    let calls = [try BlockedSourceCall(first), try BlockedSourceCall(second)]
    let files = try (0..<2).map {
      try temporaryWAV(staircase(Self.length, from: $0 * Self.length))
    }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    let (silences, silence) = AsyncStream<Int>.makeStream()
    let session = try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let player = player(Dictionary(uniqueKeysWithValues: zip(files, calls)))
      let items = files.map { PlaybackItem(source: .file($0)) }
      return try await player.begin(PlaybackRequest(items: items)) { [self] event in
        let index = log.withLock { log in
          log.append(event)
          return log.count
        }
        if case .starved = event { silence.yield(index) }
      }
    }
    for call in calls {
      await call.made.wait()
      // The blocked call returns only after all earlier audio and some silence have been played.
      let earlier = log.withLock { $0.count }
      _ = await silences.first { $0 > earlier }
      call.letReturn()
    }
    try await session.ended()
    try check()
  }

  private func player(_ calls: [URL: BlockedSourceCall]) -> AudioPlayer {
    AudioPlayer(makeSource: { source, mailbox in
      let file = source.makeSource(mailbox)
      guard let url = file.url, let call = calls[url] else { return file }
      return BlockingFileSource(file, call)
    })
  }

  /// Checks that every frame is shifted by the silence reported before it, and that only the frames
  /// in the 5 ms fades are missing.
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
    // On a busy machine, xruns add more silence.
    if isUndisturbed { #expect(shifts.last == silence(in: events)) }
    #expect(silence(in: events) > 0)
    try checkPlaces(events)
    #expect(card.openDeviceCount == 0)
  }

  /// Returns the unchanged frames of the sound that have an unchanged neighbor; a single match may
  /// be a faded frame that has the value of another frame by chance.
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
    let played = events.compactMap(\.progress).map(\.played)
    #expect(played == played.sorted())
    #expect(events.compactMap(\.advanced).map(\.played) == [length])
    #expect(events.compactMap(\.advanced).map(\.item) == [1])
    let last = try #require(events.compactMap(\.progress).last)
    #expect(last.item == 1 && last.position == FrameCount(Self.length))
    #expect(events.last?.finish == PlaybackFinish(reason: .completed, played: length * 2))
  }
}
