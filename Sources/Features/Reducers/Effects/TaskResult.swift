import ClientDependencies

/// The result of an effect's work, for an action that is `Equatable`.
///
/// Unlike a `Result` whose failure is `any Error`, a `TaskResult` can be compared. New features
/// need it only for comparisons, because `store.receive(\.loaded.success)` works with a `Result`,
/// too.
public enum TaskResult<Success: Sendable>: Sendable {
  /// The work succeeded.
  case success(Success)
  /// The work failed.
  case failure(any Error)

  /// Creates the result of an asynchronous operation.
  public init(catching operation: @Sendable () async throws -> Success) async {
    do {
      self = .success(try await operation())
    } catch {
      self = .failure(error)
    }
  }

  /// Creates the same result from a `Result`.
  public init(_ result: Result<Success, some Error>) {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value; throws the error of a failure.
  public var value: Success {
    get throws {
      switch self {
      case .success(let value): value
      case .failure(let error): throw error
      }
    }
  }

  /// The same result with its value converted.
  public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> TaskResult<NewSuccess> {
    switch self {
    case .success(let value): .success(transform(value))
    case .failure(let error): .failure(error)
    }
  }
}

extension TaskResult: CasePathable {
  /// The paths to the two cases.
  public struct AllCasePaths: Sendable {
    /// The path to the value.
    public var success: AnyCasePath<TaskResult, Success> {
      AnyCasePath(
        embed: { .success($0) },
        extract: { if case .success(let value) = $0 { value } else { nil } })
    }

    /// The path to the error.
    public var failure: AnyCasePath<TaskResult, any Error> {
      AnyCasePath(
        embed: { .failure($0) },
        extract: { if case .failure(let error) = $0 { error } else { nil } })
    }
  }

  /// The paths to all cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension TaskResult: Equatable where Success: Equatable {
  /// Whether the values or the errors are equal.
  ///
  /// If two errors have the same type, and it is not `Equatable`, they count as different, and an
  /// issue is reported.
  public static func == (result: Self, other: Self) -> Bool {
    switch (result, other) {
    case (.success(let value), .success(let other)): return value == other
    case (.failure(let error), .failure(let other)):
      // Without the cast to `Any`, the compiler warns that the cast of an error always succeeds.
      if !(error as Any is any Equatable), type(of: error) == type(of: other) {
        reportMissing("Equatable", of: error)
      }
      return isEqual(error, other)
    default: return false
    }
  }
}

extension TaskResult: Hashable where Success: Hashable {
  /// Hashes the value or the error; an error that is not `Hashable` is reported as an issue.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .success(let value): hasher.combine(value)
    case .failure(let error):
      guard let hashable = error as Any as? any Hashable else {
        return reportMissing("Hashable", of: error)
      }
      hasher.combine(AnyHashable(hashable))
    }
  }
}

private func reportMissing(_ conformance: String, of error: any Error) {
  reportIssue(
    "a TaskResult was compared, but its error is not \(conformance): declare 'extension "
      + "\(type(of: error)): \(conformance) {}'")
}
