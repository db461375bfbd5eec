import AudioCore
import CSndFile

/// The one place where libsndfile's codes become errors of ours.
enum LibraryErrors {
  /// - Parameter kind: what the first bytes say; nil where they are not known.
  static func opening(
    _ path: String, _ failure: LibraryFailure, kind: FileKind?
  ) -> SoundFileError {
    if failure.code == SF_ERR_SYSTEM { return SystemErrors.reading(path, code: failure.systemCode) }
    // Also "File does not exist or is not a regular file", said of files too short for a header.
    guard let kind else { return .notAudio(path: path) }
    // libsndfile has codes for these two, but not in its header: "unimplemented format" and
    // "unsupported encoding".
    let isEncoding = ["unimplemented", "unsupported"].contains { word in
      failure.text.lowercased().contains(word)
    }
    return isEncoding
      ? .unsupported(path: path, what: "\(kind.name) in an encoding that libsndfile does not know")
      : .damaged(path: path, frame: 0, reason: "its header is wrong or incomplete")
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
