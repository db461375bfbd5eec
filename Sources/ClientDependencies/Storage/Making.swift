#if !PointFreeDependencies
import Dispatch

/// A value that is being made, for which all wait that need the same one.
///
/// No lock is held meanwhile. Whoever is known to be needed by the making does not wait: its
/// task-locals show that it makes the value itself, or one that the making waits for. A thread may be
/// needed and not known to be, such as one that the making blocks on: it waits until its patience
/// ends, then makes the value as well, and the first one is kept.
final class Making: Sendable {
  /// Where a value is kept: each place has one.
  struct Place: Hashable {
    var cache: ObjectIdentifier
    var test: RunningTest?
    var key: ObjectIdentifier
    var context: DependencyContext
  }

  @TaskLocal private static var current: Making?
  // Held to look up and to file, never while a value is made.
  private static let underway = Lock(MakingsUnderway())

  private let outer = Making.current
  private let end = DispatchGroup()

  init() {
    end.enter()
  }

  /// This making and those that the current task was doing before, which need it.
  var chain: [Making] {
    Array(sequence(first: self) { $0.outer })
  }

  /// Makes the value of a place, or waits for whoever is making it.
  ///
  /// - Parameter giveUp: called where the wait lasted as long as `patience`, before `make` is.
  /// - Returns: what `make` returns; nil where the value was made meanwhile.
  static func perform<Value>(
    at place: Place, patience: Duration, _ make: () -> Value, giveUp: () -> Void
  ) -> Value? {
    let chain = current?.chain ?? []
    switch underway.withLock({ $0.enter(place, from: chain) }) {
    case .first(let making):
      defer {
        underway.withLock { $0.leave(place) }
        making.end.leave()
      }
      return $current.withValue(making, operation: make)
    case .waits(for: let making):
      let end = making.end.wait(timeout: .now() + patience / .seconds(1))
      underway.withLock { $0.endWait(for: making, from: chain) }
      if end == .success { return nil }
      giveUp()
      return make()
    case .goesOn:
      return make()
    }
  }
}

/// The issue of a value that takes so long to make that a reader makes it as well.
struct LateValue {
  var key: any TestDependencyKey.Type
  var patience: Duration
  var location: SourceLocation

  func report(from origin: IssueOrigin) {
    origin.or(.current).reportIssue(
      """
      The value of '\(key)' is made a second time: another thread has been making it for \(patience), and may be \
      waiting for this one. Make the value without waiting for other threads.
      """,
      fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }
}

/// What is being made in the process, and which makings wait for which.
struct MakingsUnderway {
  enum Entrance {
    case first(Making)
    case waits(for: Making)
    case goesOn
  }

  private var makings: [Making.Place: Making] = [:]
  private var awaited: [ObjectIdentifier: [Making]] = [:]

  /// - Parameter chain: what the current task is making.
  mutating func enter(_ place: Making.Place, from chain: [Making]) -> Entrance {
    guard let making = makings[place] else {
      let making = Making()
      makings[place] = making
      return .first(making)
    }
    if needs(making, anyOf: chain) { return .goesOn }
    for waiting in chain { awaited[ObjectIdentifier(waiting), default: []].append(making) }
    return .waits(for: making)
  }

  mutating func leave(_ place: Making.Place) {
    makings[place] = nil
  }

  mutating func endWait(for making: Making, from chain: [Making]) {
    for waiting in chain {
      let id = ObjectIdentifier(waiting)
      guard let index = awaited[id]?.firstIndex(where: { $0 === making }) else { continue }
      awaited[id]?.remove(at: index)
      if awaited[id]?.isEmpty == true { awaited[id] = nil }
    }
  }

  /// Whether a making is one of these, or waits for one, directly or through others.
  private func needs(_ making: Making, anyOf chain: [Making]) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var open = [making]
    while let next = open.popLast() {
      if chain.contains(where: { $0 === next }) { return true }
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      open += awaited[ObjectIdentifier(next)] ?? []
    }
    return false
  }
}
#endif
