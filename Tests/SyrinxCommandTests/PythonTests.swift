import FilePaths
import Foundation
import Glibc
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(2)))
final class PythonTests: InstallBench {
  @Test
  func `without python3 or pip the package that brings it is named`() async throws {
    #expect(try await failure(shelf.python("PATH=/nowhere")).contains("apt install python3-pip"))
    let script = try shelf.script("echo \"$0: No module named pip\" >&2; exit 1")
    let sentence = try await failure(shelf.python(before: script))
    #expect(sentence.contains("python3 has no pip; `apt install python3-pip`"))
  }

  @Test(arguments: [
    ["PIP_FIND_LINKS="],
    ["PIP_FIND_LINKS=", "PIP_NO_INDEX=", "PIP_RETRIES=0", "PIP_INDEX_URL=http://127.0.0.1:9/"],
  ])
  func `offline it says what pip said, and what would help`(settings: [String]) async throws {
    var python = shelf.python()
    python.environment += settings.map { FilePath($0) }
    let sentence = try await failure(python)
    #expect(sentence.contains("cannot download alpha-1.0-py3-none-any.whl: No matching"))
    #expect(sentence.contains("pip config list") && sentence.contains("--from"))
  }

  @Test
  func `a disk without room ends it with the system's reason`() async throws {
    // No file may have more than a block of 512 bytes; Python ignores the signal for that.
    let sentence = try await failure(
      shelf.python(before: try shelf.script("trap '' XFSZ; ulimit -f 1; python \"$@\"")))
    #expect(sentence.contains("File too large"), "\(sentence)")
    let unpacking = try shelf.script(
      "trap '' XFSZ; [ \"$1\" = -m ] || ulimit -f 0; python \"$@\"", named: "other")
    let second = try await failure(shelf.python(before: unpacking))
    #expect(second.contains("model cannot be unpacked to \(target): "), "\(second)")
    #expect(second.contains("File too large"), "\(second)")
  }

  @Test
  func `cancelling ends Python at once and leaves nothing`() async throws {
    let fifo = folder.file("fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    let script = try shelf.script("echo $$ >'\(fifo)'; exec sleep 1000")
    let (installer, model) = (try installer(shelf.python(before: script)), shelf.model)
    let work = Task { try await installer.install([model]) }
    let process = try #require(
      await Int32(String(decoding: try text(of: fifo), as: UTF8.self).dropLast()))
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(kill(process, 0) < 0 && errno == ESRCH)
    #expect(names().isEmpty)
  }

  /// What is written into a named pipe, which is waited for outside Swift's pool.
  private func text(of path: String) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try FilePath(path).contents() }) }.start()
    }
  }
}
