import FilePaths
import Glibc
import SpeechEngine
import Testing

@testable import ONNXRuntime

@Suite struct SpeechEngineErrorONNXTests {
  private func error(_ error: ONNXError) -> SpeechEngineError {
    SpeechEngineError(error, remedy: "install it")
  }

  @Test func `a file that fails says how, and only a permission is blamed on the user`() {
    #expect(error(.fileUnreadable(path: "/a", code: EACCES)) == .modelUnreadable(path: "/a"))
    let broken = error(.fileUnreadable(path: "/a", code: EIO)).description
    #expect(broken.contains("/a") && broken.contains("Input/output error"))
    let unchecked = error(.fileUncheckable(path: "/a", reason: "it needs libcrypto")).description
    #expect(unchecked.contains("/a cannot be checked: it needs libcrypto"))
    #expect(error(.fileMissing(path: "/a")) == .modelDamaged(path: "/a", reason: "it is missing"))
  }

  @Test func `a library that cannot be used says why, and what brings one`() {
    let unusable = ONNXError.libraryUnusable(path: "/lib.so", reason: "it is too old")
    #expect(
      error(unusable)
        == .libraryMissing(searched: ["/lib.so"], remedy: "it is too old; install it"))
  }
}
