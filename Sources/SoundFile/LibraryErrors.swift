import AudioCore
import CSndFile

/// The one place where libsndfile's codes become errors of ours.
enum LibraryErrors {
  static func opening(_ path: String, _ failure: LibraryFailure, kind: FileKind) -> SoundFileError {
    if case .foreign(let what) = kind { return .unsupported(path: path, what: what) }
    switch Int(failure.code) {
    case Int(SF_ERR_SYSTEM): return SystemErrors.reading(path, code: failure.systemCode)
    case Int(SF_ERR_UNSUPPORTED_ENCODING):
      return .unsupported(path: path, what: "\(sentence(failure).lowercased())")
    // Also "File does not exist or is not a regular file", said of files too short for a header.
    case _ where kind == .unknown: return .notAudio(path: path)
    default: return .damaged(path: path, frame: 0, reason: sentence(failure))
    }
  }

  static func reading(
    _ path: String, _ failure: LibraryFailure, at frame: FrameCount
  ) -> SoundFileError {
    guard failure.code == SF_ERR_SYSTEM else {
      return .damaged(path: path, frame: frame, reason: sentence(failure))
    }
    return SystemErrors.reading(path, code: failure.systemCode)
  }

  /// For an encoder that knows of no system error, the code beside it still tells of a full disk.
  static func writing(_ path: String, _ failure: LibraryFailure) -> SoundFileError {
    guard failure.systemCode != 0 else {
      return .cannotWrite(path: path, reason: sentence(failure))
    }
    return SystemErrors.writing(path, code: failure.systemCode)
  }

  private static func sentence(_ failure: LibraryFailure) -> String {
    var text = failure.text[...]
    while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
