import AudioThreads
import FilePaths

/// Creates a folder if it does not exist, on a thread that may wait for a disk.
func makeFolder(_ folder: FilePath) async throws {
  let result: Result<Void, any Error> = await DedicatedThread.run(
    name: "syrinx-folder", abandoned: .failure(CancellationError()), failed: { .failure($0) }
  ) {
    do throws(FilePathError) {
      try folder.makeFolder()
      return .success(())
    } catch {
      return .failure(
        CommandFailure("cannot create the folder \(folder): \(error.reason)"))
    }
  }
  try result.get()
}
