import AudioThreads
import FilePaths

extension DedicatedThread {
  /// Runs work that may wait for a disk or a pipe on a new thread and returns its result.
  ///
  /// - Throws: what the work throws, `ThreadError`, and `CancellationError` at once if the caller is
  ///   canceled; the work keeps running.
  static func run<Value: Sendable>(
    name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let result: Result<Value, any Error> = await run(
      name: name, abandoned: .failure(CancellationError()), failed: { .failure($0) }
    ) {
      Result { try work() }
    }
    return try result.get()
  }
}

/// Creates a folder if it does not exist.
func makeFolder(_ folder: FilePath) async throws {
  try await DedicatedThread.run(name: "syrinx-folder") {
    do throws(FilePathError) { try folder.makeFolder() } catch {
      throw CommandFailure("cannot create the folder \(folder): \(error.reason)")
    }
  }
}
