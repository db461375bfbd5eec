import ClientDependencies
public import Foundation
public import SpeechClient

extension SpeechClient {
  /// A client that yields what was recorded with `recording(to:)`, when it was, on
  /// `\.continuousClock`.
  ///
  /// The calls of `startTask` and `recognition` get the recorded tasks in order, whatever they ask
  /// for and whichever of the two they were; their audio is not read. One call more than was
  /// recorded throws `ReplayError.noMoreTasks`. `finishTask` lets what is left come at once. The
  /// client is authorized, and tells no locales and no engines.
  ///
  /// - Throws: `ReplayError.unreadable`.
  public static func replaying(_ url: URL) throws -> SpeechClient {
    let replay = Replay(try RecordedTasks(url: url, header: .speech))
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { _ in replay.results() },
      recognition: { _ in replay.events() },
      finishTask: { replay.hurry() },
      supportedLocales: { [] },
      engines: { [] })
  }
}

extension Replay {
  /// The results of the next task.
  fileprivate func results() -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    do {
      let (_, lines, pace) = try begin()
      return ReplayedStream.replaying(lines.filter { $0.event == nil }, pace: pace) {
        $0.result?.value
      }
    } catch {
      return .finished(throwing: error)
    }
  }

  /// The next task's events; of one that has results alone, what follows from those.
  fileprivate func events() -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    do {
      let (_, lines, pace) = try begin()
      guard lines.contains(where: { $0.event != nil }) else {
        return ResultEvents.telling(
          ReplayedStream.replaying(lines, pace: pace) { $0.result?.value })
      }
      return ReplayedStream.replaying(lines, pace: pace) { line in
        line.event?.value ?? line.result.map { .result($0.value) }
      }
    } catch {
      return .finished(throwing: error)
    }
  }
}
