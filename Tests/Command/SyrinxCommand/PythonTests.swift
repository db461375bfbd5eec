import FilePaths
import Foundation
import Glibc
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
final class PythonTests: InstallFixture {
  @Test
  func `without python3 or pip, the error contains the package to install`() async throws {
    #expect(try await failure(index.python("PATH=/nowhere")).contains("apt install python3-pip"))
    let script = try index.script("echo \"$0: No module named pip\" >&2; exit 1")
    let sentence = try await failure(index.python(before: script))
    #expect(sentence.contains("python3 has no pip; `apt install python3-pip`"))
  }

  @Test(arguments: [
    ["PIP_FIND_LINKS="],
    ["PIP_FIND_LINKS=", "PIP_NO_INDEX=", "PIP_RETRIES=0", "PIP_INDEX_URL=http://127.0.0.1:9/"],
  ])
  func `offline, the error contains pip's message and a remedy`(settings: [String]) async throws {
    var python = index.python()
    python.environment += settings.map { FilePath($0) }
    let sentence = try await failure(python)
    #expect(sentence.contains("cannot download alpha-1.0-py3-none-any.whl: No matching"))
    #expect(sentence.contains("pip config list") && sentence.contains("--from"))
  }

  @Test
  func `the error after a full disk contains the system's reason`() async throws {
    // `ulimit` limits files to 512 bytes. SIGXFSZ is ignored, so a write beyond the limit fails with
    // an error.
    let sentence = try await failure(
      index.python(before: try index.script("trap '' XFSZ; ulimit -f 1; python \"$@\"")))
    #expect(sentence.contains("File too large"), "\(sentence)")
    let unpacking = try index.script(
      "trap '' XFSZ; [ \"$1\" = -m ] || ulimit -f 0; python \"$@\"", named: "other")
    let second = try await failure(index.python(before: unpacking))
    #expect(second.contains("model cannot be unpacked to \(target): "), "\(second)")
    #expect(second.contains("File too large"), "\(second)")
  }

  @Test
  func `canceling ends Python at once and leaves no files`() async throws {
    let fifo = folder.file("fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    let script = try index.script("echo $$ >'\(fifo)'; exec sleep 1000")
    let (installer, model) = (try installer(index.python(before: script)), index.model)
    let work = Task { try await installer.install([model]) }
    let process = try #require(
      await Int32(String(decoding: try text(of: fifo), as: UTF8.self).dropLast()))
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(kill(process, 0) < 0 && errno == ESRCH)
    #expect(names().isEmpty)
  }

  /// Reads a named pipe to its end, outside the thread pool.
  private func text(of path: String) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try FilePath(path).contents() }) }.start()
    }
  }
}
