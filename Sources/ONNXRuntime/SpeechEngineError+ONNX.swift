import FilePaths
import Glibc
package import SpeechEngine

extension SpeechEngineError {
  /// An engine's error for a failure of the library or of the installed files.
  ///
  /// - Parameter remedy: how to install the library.
  package init(_ error: ONNXError, remedy: String) {
    switch error {
    case .libraryMissing(let searched): self = .libraryMissing(searched: searched, remedy: remedy)
    case .libraryUnusable(let path, let reason):
      self = .libraryMissing(searched: [path.text], remedy: "\(reason); \(remedy)")
    case .fileMissing(let path): self = .modelDamaged(path: path.text, reason: "it is missing")
    case .fileDamaged(let path, let reason), .modelUnusable(let path, let reason):
      self = .modelDamaged(path: path.text, reason: reason)
    case .fileUnreadable(let path, EACCES), .fileUnreadable(let path, EPERM):
      self = .modelUnreadable(path: path.text)
    case .terminated: self = .interrupted
    case .fileUnreadable, .fileUncheckable, .fileUnsafe, .outOfMemory, .failed:
      self = .failed(reason: "\(error)")
    }
  }
}
