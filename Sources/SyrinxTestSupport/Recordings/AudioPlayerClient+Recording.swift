public import AudioPlayerClient
import ClientDependencies
public import Foundation

extension AudioPlayerClient {
  /// Returns this client with playbacks that also record all events, for `replayingPlayback`.
  ///
  /// The file consists of JSON lines. The first line is `{"format":"syrinx-playback","version":1}`.
  /// Each other line has "task" (the call, counted from 0), "ns" (nanoseconds since the call, on
  /// `\.continuousClock`), and one of the following:
  ///
  /// - "playback", with "kind", the name of the event, and the event's values
  /// - "failed", with "kind", "reason", and the error of the "player"
  /// - "finished"
  ///
  /// `play` and `loop` become playbacks and are recorded, too. The played samples and the
  /// negotiated device configuration are not recorded. The first playback overwrites an existing
  /// file. If the file cannot be written, the playback's stream throws. The other endpoints are
  /// unchanged.
  ///
  /// - Parameter url: the path of the file.
  public func recordingPlayback(to url: URL) throws -> AudioPlayerClient {
    let journal = try RecordingJournal(url: url, header: .playback)
    var client = self
    client.playback = { request in
      await journal.recorded { _ in
        await self.playback(request: request)
      } note: { event, task, ns in
        try await journal.note(RecordedLine(task: task, ns: ns, playback: RecordedPlayback(event)))
      }
    }
    client.playFilesAsPlaybacks()
    return client
  }

  /// Returns a client whose playbacks yield a recording of `recordingPlayback(to:)`.
  ///
  /// The events are yielded at the recorded times on `\.continuousClock`.
  ///
  /// The calls of `playback`, `play`, and `loop` get the recorded playbacks in order, regardless of
  /// their requests. A further call throws `ReplayError.noMoreTasks`. The command `stop` yields the
  /// remaining events of its playback at once, and the endpoint `stop` yields those of all
  /// playbacks. Other commands and volumes have no effect: their events are in the recording. The
  /// other endpoints are unimplemented.
  ///
  /// - Parameter url: the path of the recording.
  /// - Throws: `ReplayError.unreadable`.
  public static func replayingPlayback(_ url: URL) throws -> AudioPlayerClient {
    let replay = Replay(try RecordedTasks(url: url, header: .playback))
    let paces = LockIsolated<[PlaybackID: ReplayPace]>([:])
    var client = AudioPlayerClient()
    client.playback = { request in
      do {
        let (_, lines, pace) = try replay.begin()
        paces.withValue { $0[request.id] = pace }
        return ReplayedStream.replaying(lines, pace: pace) { $0.playback?.value }
      } catch {
        return .finished(throwing: error)
      }
    }
    client.playFilesAsPlaybacks()
    client.stop = { replay.hurry() }
    client.control = { id, command in if case .stop = command { paces.value[id]?.hurry() } }
    client.setVolume = { _ in }
    client.setBusVolume = { _, _, _ in }
    return client
  }

  /// Makes `play` and `loop` call `playback`.
  private mutating func playFilesAsPlaybacks() {
    let playback = playback
    @Sendable func play(_ url: URL, _ repetition: PlaybackRepetition) async throws {
      let request = PlaybackRequest(source: .file(url), repetition: repetition)
      for try await _ in await playback(request) {}
      try Task.checkCancellation()
    }
    self.play = { try await play($0, .times(1)) }
    loop = { try await play($0, .forever) }
  }
}
