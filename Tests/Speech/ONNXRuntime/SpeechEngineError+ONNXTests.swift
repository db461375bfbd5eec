import FilePaths
import Glibc
import SpeechEngine
import Testing

@testable import ONNXRuntime

@Suite struct SpeechEngineErrorONNXTests {
  private func error(_ error: ONNXError) -> SpeechEngineError {
    SpeechEngineError(error, remedy: "install it")
  }

  @Test
  func `only a permission error becomes modelUnreadable, and other errors contain the cause`() {
    #expect(error(.fileUnreadable(path: "/a", code: EACCES)) == .modelUnreadable(path: "/a"))
    let broken = error(.fileUnreadable(path: "/a", code: EIO)).description
    #expect(broken.contains("/a") && broken.contains("Input/output error"))
    let unchecked = error(.fileUncheckable(path: "/a", reason: "it needs libcrypto")).description
    #expect(unchecked.contains("/a cannot be checked: it needs libcrypto"))
    #expect(error(.fileMissing(path: "/a")) == .modelDamaged(path: "/a", reason: "it is missing"))
  }

  @Test func `the error of an unusable library contains the cause and the remedy`() {
    let unusable = ONNXError.libraryUnusable(path: "/lib.so", reason: "it is too old")
    #expect(
      error(unusable)
        == .libraryMissing(searched: ["/lib.so"], remedy: "it is too old; install it"))
  }
}
