import AudioThreads
import ClientDependencies
import SoundFile
import SpeechClient
import SpeechEngine
import Synchronization

/// The tasks of one client.
final class SpeechTasks: Sendable {
  // Held to add and remove a task.
  private let running = Mutex<[ObjectIdentifier: SpeechTask]>([:])

  func authorizationStatus() -> AuthorizationStatus {
    @Dependency(\.speechEngine) var engine
    return AuthorizationStatus(engine.availability())
  }

  /// The status after a session has been made, on a thread for it alone; the engine keeps what was
  /// loaded.
  func requestAuthorization() async -> AuthorizationStatus {
    @Dependency(\.speechEngine) var engine
    return await withCheckedContinuation { [engine] continuation in
      do {
        _ = try DedicatedThread.start(name: "syrinx-speech") {
          continuation.resume(returning: Self.status(afterLoading: engine))
        }
      } catch {
        continuation.resume(returning: AuthorizationStatus(error))
      }
    }
  }

  /// Starts a task and gives its results.
  func start(
    _ request: SpeechRequest
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    let task = SpeechTask { [weak self] in self?.forget($0) }
    begin(task, request)
    // Only one that has begun can be finished; one that is over already will not be forgotten again.
    running.withLock { if !task.isOver { $0[ObjectIdentifier(task)] = task } }
    let consumer = ResultConsumer(task: task)
    return AsyncThrowingStream { try await consumer.next() }
  }

  /// Ends all tasks as if their audio ended now.
  func finishAll() async {
    await withDiscardingTaskGroup { group in
      for task in all {
        group.addTask { await task.finish() }
      }
    }
  }

  /// The tasks that are not over.
  var all: [SpeechTask] { running.withLock { Array($0.values) } }

  private func begin(_ task: SpeechTask, _ request: SpeechRequest) {
    @Dependency(\.speechEngine) var engine
    do {
      let options = SpeechSessionOptions(
        wantsPartialHypotheses: request.shouldReportPartialResults,
        grammar: try request.grammar?.text(), language: request.locale)
      let recogniser = try Recogniser(
        engine: engine, options: options, policy: request.endpointPolicy, mailbox: task.mailbox)
      task.start(request.source.audio, recogniser: recogniser)
    } catch {
      task.fail(error)
    }
  }

  private func forget(_ task: SpeechTask) {
    running.withLock { $0[ObjectIdentifier(task)] = nil }
  }

  private static func status(afterLoading engine: SpeechEngine) -> AuthorizationStatus {
    do {
      _ = try engine.makeSession(SpeechSessionOptions())
      return .authorized
    } catch {
      return AuthorizationStatus(error)
    }
  }
}

extension SpeechRequest.Source {
  /// The audio as it is asked for.
  fileprivate var audio: AudioPump.Audio {
    switch self {
    case .file(let url): SoundFile.buffers(of: url)
    case .buffers(let buffers): buffers
    }
  }
}
