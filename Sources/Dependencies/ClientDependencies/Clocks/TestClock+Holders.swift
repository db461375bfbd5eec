#if !PointFreeDependencies
/// Work that a test clock waits for before it advances, for example the consumers of a virtual
/// sound card's audio.
package protocol TimeHolder: AnyObject, Sendable {
  /// Returns when no consumer keeps the clock from advancing.
  func settled() async
  /// Whether the app's code has received a result and may still be handling it.
  var isReacting: Bool { get }
  /// Lets the clock advance even if the app's code has not finished handling a result.
  ///
  /// Call this when no task can be running: the app's code then waits for something else.
  func endReactions()
  /// The names of the consumers that keep the clock from advancing, or kept it from advancing until
  /// a timeout.
  var holders: [String] { get }
}

/// A weak reference to work that a test clock waits for.
struct WeakTimeHolder: Sendable {
  weak let holder: (any TimeHolder)?
}

extension TestClock {
  /// Adds a holder that the clock waits for before it advances.
  ///
  /// The clock does not retain the holder.
  package func add(_ holder: any TimeHolder) {
    state.withLock { $0.holders.append(WeakTimeHolder(holder: holder)) }
  }

  private var holders: [any TimeHolder] {
    state.withLock { $0.holders }.compactMap(\.holder)
  }

  /// Returns when no consumer keeps the clock from advancing.
  ///
  /// Woken tasks run first, because they may become such consumers. The call also waits for app
  /// code that may still be handling a result, until no task of the process can be running. The app
  /// code then waits for something else, perhaps for the time to advance.
  func waitForHolders() async {
    let holders = holders
    guard !holders.isEmpty else { return }
    if state.withLock({ $0.queue.isWaking }) { await letOthersRun(until: { !$0.isWaking }) }
    while true {
      for holder in holders { await holder.settled() }
      guard holders.contains(where: \.isReacting) else { return }
      await letOthersRun(until: { _ in !holders.contains(where: \.isReacting) })
      for holder in holders { holder.endReactions() }
    }
  }

  /// Advances the time, from sleeper to sleeper, until the task has finished.
  ///
  /// The time moves only while the task waits for the clock. If nothing sleeps, the call waits for
  /// the next sleeper, because a feature may do other work first, such as opening a device.
  ///
  /// If the task does not finish, the call reports an issue and cancels the task, so that a test
  /// that awaits the task ends.
  ///
  /// - Parameters:
  ///   - task: the task to wait for.
  ///   - stepLimit: the number of ended sleeps after which the call gives up, in case a task sleeps
  ///     in an endless loop. A virtual sound card sleeps once for each period.
  ///   - timeout: the real time without an ended sleep after which the call gives up; the whole
  ///     call may take longer.
  public func advance<Success: Sendable, Failure: Error>(
    until task: Task<Success, Failure>,
    stepLimit: Int = 50_000,
    timeout: Swift.Duration = .seconds(60),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let isOver = Lock(false)
    let steps = Lock(0)
    let giveUp: @Sendable (String) -> Void = { [self] reason in
      guard
        !isOver.withLock({ isOver in
          defer { isOver = true }
          return isOver
        })
      else { return }
      reportIssue(
        "The task has not finished \(reason). \(sleepersAndHolders)",
        fileID: fileID, filePath: filePath, line: line, column: column)
      task.cancel()
    }
    let advancing = Task {
      await letOthersRun()
      while !Task.isCancelled, !isOver.withLock({ $0 }) {
        if state.withLock({ $0.queue.count == 0 }) {
          await watch(for: 1)
          await letOthersRun()
        }
        await waitForHolders()
        guard !isOver.withLock({ $0 }) else { break }
        guard let next = state.withLock({ $0.queue.nextDeadline }) else { continue }
        guard await wakeNext(until: next) else { continue }
        let count = steps.withLock { steps in
          steps += 1
          return steps
        }
        if count >= stepLimit { return giveUp("after \(count) sleeps have ended") }
      }
    }
    let watchdog = Task {
      var before: Int
      repeat {
        before = steps.withLock { $0 }
        try await ContinuousClock().sleep(for: timeout)
      } while steps.withLock { $0 } > before
      giveUp("and no sleep has ended for \(timeout)")
      advancing.cancel()
    }
    let ending = Task {
      _ = await task.result
      isOver.withLock { $0 = true }
      advancing.cancel()
    }
    await withTaskCancellationHandler {
      await advancing.value
    } onCancel: {
      advancing.cancel()
    }
    watchdog.cancel()
    ending.cancel()
  }

  /// A sentence that lists the sleepers and the consumers that keep the clock from advancing.
  private var sleepersAndHolders: String {
    let names = holders.flatMap(\.holders)
    guard !names.isEmpty else { return sleepersDescription }
    return "\(sleepersDescription) No answer from: \(names.joined(separator: ", "))."
  }
}
#endif
