import ClientDependencies
public import Foundation
public import SpeechClient

extension SpeechClient {
  /// A client that yields what was recorded with `recording(to:)`, when it was, on
  /// `\.continuousClock`.
  ///
  /// The calls of `startTask` get the recorded tasks in order, whatever they ask for; their audio is
  /// not read. One call more than was recorded throws `ReplayError.noMoreTasks`. `finishTask` lets
  /// what is left come at once. The client is authorized.
  ///
  /// - Throws: `ReplayError.unreadable`.
  public static func replaying(_ url: URL) throws -> SpeechClient {
    let replay = Replay(try RecordedTasks(url: url, header: .speech))
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { _ in
        do {
          let (_, lines, pace) = try replay.begin()
          return ReplayedStream.replaying(lines, pace: pace) { $0.result?.value }
        } catch {
          return .finished(throwing: error)
        }
      },
      finishTask: { replay.hurry() })
  }
}
