public import SpeechClient
import Synchronization

extension SpeechClient {
  /// A client that tells what a script says when it says so, on `\.continuousClock`, whatever its
  /// tasks are given to hear.
  ///
  /// Each call of `startTask` and `recognition` begins the script anew; their audio is not read.
  /// With a `TestClock` nothing comes before the clock is advanced. As with an engine, `finishTask`
  /// brings the final result of the utterance that has begun, at once, and ends the streams; what
  /// would come later does not. The client is authorized and speaks `en-US`.
  ///
  /// `ScriptedSpeechEngine` follows the audio in place of a clock, below the live client.
  public static func scripted(_ script: SpeechScript) -> SpeechClient {
    let tasks = ScriptedTasks(script.ordered)
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { tasks.begin($0).results() },
      recognition: { tasks.begin($0).events() },
      finishTask: { tasks.finishAll() },
      supportedLocales: { ["en-US"] },
      engines: {
        [
          SpeechEngineDescription(
            name: "scripted", models: [.init(language: "en-US", location: "script")],
            isInUse: true)
        ]
      })
  }
}

/// The tasks of a scripted client.
private final class ScriptedTasks: Sendable {
  private let steps: [SpeechScript.Step]
  // Held to note a task, and to look at all.
  private let running = Mutex<[Running]>([])

  private struct Running {
    weak var task: ScriptedTask?
  }

  init(_ steps: [SpeechScript.Step]) {
    self.steps = steps
  }

  func begin(_ request: SpeechRequest) -> ScriptedTask {
    let task = ScriptedTask(steps, for: request)
    running.withLock { running in
      running.removeAll { $0.task == nil }
      running.append(Running(task: task))
    }
    return task
  }

  func finishAll() {
    let tasks = running.withLock { $0.compactMap(\.task) }
    for task in tasks { task.finish() }
  }
}
