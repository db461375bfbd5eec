import ClientDependencies

/// The sentences that a preview is hearing.
actor TypedSentences {
  private var typings: [ObjectIdentifier: Weak] = [:]

  private struct Weak {
    weak var typing: Typing?
  }

  /// Types a sentence: a stream in which every word takes its time on the clock.
  func type(
    _ sentence: TypedSentence
  ) -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    @Dependency(\.continuousClock) var clock
    let typing = Typing(steps: sentence.steps) { [clock] in
      try await clock.sleep(for: TypedSentence.timePerWord)
    }
    typings = typings.filter { $0.value.typing != nil }
    typings[ObjectIdentifier(typing)] = Weak(typing: typing)
    return AsyncThrowingStream { await typing.next() }
  }

  /// Ends all sentences with their final results.
  func finishAll() async {
    let running = typings.values.compactMap(\.typing)
    typings = [:]
    for typing in running { await typing.finish() }
  }
}

/// Which step of a sentence comes next.
private actor Typing {
  private var rest: ArraySlice<SpeechRecognitionResult>
  private var shown: SpeechRecognitionResult?
  private let wait: @Sendable () async throws -> Void
  private var waiting: Task<Void, any Error>?
  private var isFinished = false

  init(
    steps: [SpeechRecognitionResult], wait: @escaping @Sendable () async throws -> Void
  ) {
    rest = steps[...]
    self.wait = wait
  }

  /// The next step in its time; nil at the end, and for a consumer that is cancelled.
  func next() async -> SpeechRecognitionResult? {
    if let partial = rest.first, !partial.isFinal {
      await waitForWord()
      if Task.isCancelled {
        rest = []
      } else if !isFinished {
        shown = rest.popFirst()
        return shown
      }
    }
    return rest.popFirst()
  }

  /// Leaves of the steps only a final one, of what has been typed; without any of it, none.
  func finish() {
    isFinished = true
    let wasOver = rest.isEmpty
    rest = []
    if !wasOver, var final = shown {
      final.isFinal = true
      final.speechRecognitionMetadata = SpeechRecognitionMetadata(final.bestTranscription)
      rest = [final]
    }
    waiting?.cancel()
  }

  private func waitForWord() async {
    let waiting = Task { [wait] in try await wait() }
    self.waiting = waiting
    await withTaskCancellationHandler {
      _ = await waiting.result
    } onCancel: {
      waiting.cancel()
    }
  }
}
