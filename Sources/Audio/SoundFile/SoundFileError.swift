public import AudioCore
import CSndFile
import FilePaths
import Glibc

/// The reason that a sound file could not be read or written; `path` is the requested file.
///
/// A path represents a byte that is not UTF-8 by the private character U+EF00 + byte. The
/// description escapes such bytes and control characters.
public enum SoundFileError: Error, Equatable {
  /// There is no such file.
  case notFound(path: String)
  /// The folder of a file to be written does not exist.
  case noFolder(path: String)
  /// A folder was given where a file is needed.
  case isDirectory(path: String)
  /// The process has no permission to read or write the file.
  case permissionDenied(path: String)
  /// The file or the stream has no bytes.
  case empty(path: String)
  /// The file is not audio in a known container.
  case notAudio(path: String)
  /// The container or the encoding, `what`, is known but needs FFmpeg.
  case unsupported(path: String, what: String)
  /// The file has a known format, `what`, but contains no audio.
  case silent(path: String, what: String)
  /// The audio was read up to `frame`, and is damaged there or earlier.
  case damaged(path: String, frame: FrameCount, reason: String)
  /// The system failed to read the file.
  case cannotRead(path: String, reason: String)
  /// The file, such as a pipe, can only be read sequentially.
  case notSeekable(path: String)
  /// A file of this name exists and must not be replaced.
  case alreadyExists(path: String)
  /// Another writer, possibly in another process, has the file open.
  case inUse(path: String)
  /// The file cannot be created or written.
  case cannotWrite(path: String, reason: String)
  /// The encoding cannot store this format.
  ///
  /// `SoundFileEncoding.supportedRate(for:)` returns a supported rate.
  case unsupportedFormat(AudioFormat, encoding: SoundFileEncoding, reason: String)
  /// No encoding is known for this file name extension.
  case unknownExtension(String)
  /// The format of a buffer differs from the format of the file.
  case wrongFormat(expected: AudioFormat, actual: AudioFormat)
  /// The disk or the user's quota is full; the file keeps the audio written before.
  case diskFull(path: String)
  /// The file would exceed the limit of its container or of the system.
  case tooLarge(path: String)
  /// The file is shorter than the written audio: the last part is lost.
  case incomplete(path: String, written: FrameCount, found: FrameCount)
  /// The file or its folder was removed during writing, and the audio could not be saved.
  case removed(path: String)
  /// The file or its folder was removed during writing, and the audio was saved to `copy`.
  ///
  /// The copy is a complete file beside the original, in the nearest folder above it, or in the
  /// system's temporary folder.
  case recovered(path: String, copy: String)
  /// The reader has closed the pipe; a command treats this as its normal end.
  case brokenPipe(path: String)
  /// The file has been closed.
  case closed(path: String)
}

extension SoundFileError: CustomStringConvertible {
  /// A sentence for users.
  public var description: String { readingText ?? formatText ?? writingText }

  private var readingText: String? {
    switch self {
    case .notFound(let path): "there is no \(FilePath(path)); check the name and its folder"
    case .isDirectory(let path): "\(FilePath(path)) is a folder; name a file in it"
    case .permissionDenied(let path):
      "you do not have permission to open \(FilePath(path)); "
        + "check with `ls -l`, change it with `chmod`"
    case .empty(let path): "\(FilePath(path)) is empty: there is no audio in it"
    case .notAudio(let path):
      "\(FilePath(path)) is not a sound file of a known kind; `file` may identify it"
    case .unsupported(let path, let what):
      "\(FilePath(path)) is \(what), which only FFmpeg reads; install ffmpeg, or convert the "
        + "file"
    case .silent(let path, let what): "\(FilePath(path)) is \(what) and has no audio track"
    case .damaged(let path, let frame, let reason):
      "\(FilePath(path)) is damaged after \(frame): \(reason)"
    case .cannotRead(let path, let reason): "cannot read \(FilePath(path)): \(reason)"
    case .notSeekable(let path):
      "\(FilePath(path)) is a stream and can only be read from its beginning; save it to a file first"
    default: nil
    }
  }

  private var formatText: String? {
    switch self {
    case .unsupportedFormat(let format, let encoding, let reason):
      "\(encoding) cannot hold \(format): \(reason)"
    case .unknownExtension(let name):
      "no file format is known for the extension \"\(name)\"; "
        + "use one of \(SoundFileEncoding.pathExtensions.joined(separator: ", "))"
    case .wrongFormat(let expected, let actual):
      "the file holds \(expected), but the buffer is \(actual); convert it first"
    default: nil
    }
  }

  private var writingText: String {
    switch self {
    case .noFolder(let path):
      "cannot write \(FilePath(path)): the folder \(FilePath(path).folder) does not exist; create it "
        + "first"
    case .alreadyExists(let path): "\(FilePath(path)) already exists; choose another name"
    case .inUse(let path):
      "\(FilePath(path)) is being written by another recorder; stop it, or choose another name"
    case .cannotWrite(let path, let reason): "cannot write \(FilePath(path)): \(reason)"
    case .diskFull(let path):
      "no space is left on the disk for \(FilePath(path)); what was written before is kept"
    case .tooLarge(let path):
      "\(FilePath(path)) has reached the size limit of its format or of the system (`ulimit -f`)"
    case .incomplete(let path, let written, let found):
      "\(FilePath(path)) is incomplete: \(written) were written, "
        + "but the file contains only \(found)"
    case .removed(let path):
      "\(FilePath(path)) was removed while it was being written; the recording is lost"
    case .recovered(let path, let copy):
      "\(FilePath(path)) was removed while it was being written; "
        + "the recording was saved to \(FilePath(copy))"
    case .brokenPipe(let path): "the reader of \(FilePath(path)) has gone"
    case .closed(let path): "\(FilePath(path)) is already closed"
    default: ""
    }
  }
}

/// Converts libsndfile's codes to errors.
extension LibraryFailure {
  /// Converts this failure to the error of opening a file.
  ///
  /// `kind` is the kind that the first bytes indicate; nil if unknown.
  func opening(_ path: String, kind: FileKind?) -> SoundFileError {
    if code == SF_ERR_SYSTEM { return .reading(path, code: systemCode) }
    // libsndfile's own message is misleading for a file that is too short for a header: "File does
    // not exist or is not a regular file".
    guard let kind else { return .notAudio(path: path) }
    // libsndfile's public header lacks the codes of two errors, so their texts are compared:
    // "unimplemented format" and "unsupported encoding".
    let isEncoding = ["unimplemented", "unsupported"].contains { text.lowercased().contains($0) }
    return isEncoding
      ? .unsupported(path: path, what: "\(kind.name) in an encoding that libsndfile does not know")
      : .damaged(path: path, frame: 0, reason: "its header is wrong or incomplete")
  }

  func reading(_ path: String, at frame: FrameCount) -> SoundFileError {
    code == SF_ERR_SYSTEM
      ? .reading(path, code: systemCode) : .damaged(path: path, frame: frame, reason: sentence)
  }

  /// Converts this failure to the error of a write.
  ///
  /// The system's code takes precedence, because it indicates a full disk even if an encoder
  /// reports another error.
  func writing(_ path: String) -> SoundFileError {
    systemCode == 0
      ? .cannotWrite(path: path, reason: sentence) : .writing(path, code: systemCode)
  }

  private var sentence: String {
    var text = text[...]
    while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
    return String(text)
  }
}

/// Creates errors from the system's error codes.
extension SoundFileError {
  static func reading(_ path: String, code: Int32) -> SoundFileError {
    switch code {
    case ENOENT, ENOTDIR: .notFound(path: path)
    case EISDIR: .isDirectory(path: path)
    case EACCES, EPERM: .permissionDenied(path: path)
    default: .cannotRead(path: path, reason: FilePathError(code: code).readingReason)
    }
  }

  static func writing(_ path: String, code: Int32) -> SoundFileError {
    switch code {
    case ENOENT, ENOTDIR: .noFolder(path: path)
    case EISDIR: .isDirectory(path: path)
    case EEXIST: .alreadyExists(path: path)
    case EACCES, EPERM: .permissionDenied(path: path)
    case ENOSPC, EDQUOT: .diskFull(path: path)
    case EFBIG: .tooLarge(path: path)
    case EPIPE: .brokenPipe(path: path)
    case ETIMEDOUT: .cannotWrite(path: path, reason: "its reader takes nothing")
    default: .cannotWrite(path: path, reason: FilePathError(code: code).reason)
    }
  }
}
