package import FilePaths
import Glibc
package import SpeechEngine

/// The reason that ONNX Runtime, or a component that is installed for it, cannot be used.
package enum ONNXError: Error, Equatable {
  /// The library is in none of the places searched.
  case libraryMissing(searched: [String])
  /// The library cannot be loaded, is another library, or is too old.
  case libraryUnusable(path: FilePath, reason: String)
  /// The file does not exist.
  case fileMissing(path: FilePath)
  /// The file differs from the installed file.
  case fileDamaged(path: FilePath, reason: String)
  /// Another user can change the file or its folder.
  case fileUnsafe(path: FilePath, reason: String)
  /// The process has no permission to read or write the file.
  case fileUnreadable(path: FilePath, code: Int32)
  /// The digest of the file cannot be computed.
  case fileUncheckable(path: FilePath, reason: String)
  /// The library rejects the model, or the model has unexpected inputs or outputs.
  case modelUnusable(path: FilePath, reason: String)
  /// There is not enough memory.
  case outOfMemory(reason: String)
  /// The run was terminated.
  case terminated
  /// The library failed; the reason is its own message.
  case failed(reason: String)
}

extension ONNXError: CustomStringConvertible {
  /// A short description for users.
  package var description: String {
    switch self {
    case .libraryMissing(let searched):
      """
      ONNX Runtime was not found in \(searched.joined(separator: ", ").printable); install it, or \
      set \(ONNXLibrary.variable) to the path of its library
      """
    case .libraryUnusable(let path, let reason):
      """
      \(path) cannot be used as ONNX Runtime: \(reason); install ONNX Runtime \
      \(ONNXLibrary.leastVersion) or later, or set \(ONNXLibrary.variable) to the path of its library
      """
    case .fileMissing(let path): "\(path) is missing; install it again"
    case .fileDamaged(let path, let reason): "\(path) is damaged: \(reason); install it again"
    case .fileUnsafe(let path, let reason):
      "\(path) is not trusted: \(reason); remove that permission, or install it again"
    case .fileUnreadable(let path, let code):
      "\(path) cannot be read or written: \(FilePathError(code: code).reason)"
    case .fileUncheckable(let path, let reason): "\(path) cannot be checked: \(reason)"
    case .modelUnusable(let path, let reason):
      "the model \(path) cannot be used: \(reason); install it again, or use another model"
    case .outOfMemory(let reason):
      "ONNX Runtime is out of memory: \(reason.printable); close other programs, or use a smaller model"
    case .terminated: "ONNX Runtime was terminated"
    case .failed(let reason): "ONNX Runtime failed: \(reason.printable)"
    }
  }
}

extension SpeechEngineError {
  /// Creates an engine's error from a failure of the library or of the installed files.
  ///
  /// `remedy` explains how to install the library.
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

extension ONNXError {
  /// Creates the error for a failed file operation from its `errno`.
  package init(code: Int32, path: FilePath) {
    self =
      switch code {
      case ENOENT, ENOTDIR: .fileMissing(path: path)
      case ENOMEM: .outOfMemory(reason: "\(path) does not fit into memory")
      case ENODEV: .fileDamaged(path: path, reason: "it is not a regular file")
      default: .fileUnreadable(path: path, code: code)
      }
  }
}

extension MappedFile {
  /// Maps a component's file, which must not be empty.
  package convenience init(component path: FilePath) throws(ONNXError) {
    do throws(FilePathError) { try self.init(path) } catch {
      throw ONNXError(code: error.code, path: path)
    }
    if bytes.isEmpty { throw .fileDamaged(path: path, reason: "it is empty") }
  }
}
