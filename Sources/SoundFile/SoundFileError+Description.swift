import AudioCore
import FilePaths

extension SoundFileError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .notFound, .isDirectory, .permissionDenied, .empty, .notAudio, .unsupported, .silent,
      .damaged, .cannotRead, .notSeekable:
      readingText
    case .unsupportedFormat, .unknownExtension, .wrongFormat:
      formatText
    default:
      writingText
    }
  }

  private var readingText: String {
    switch self {
    case .notFound(let path): "there is no \(FilePath(path)); check the name and its folder"
    case .isDirectory(let path): "\(FilePath(path)) is a folder; give a file in it"
    case .permissionDenied(let path):
      "you may not open \(FilePath(path)); `ls -l` shows who may, `chmod` changes it"
    case .empty(let path): "\(FilePath(path)) is empty: there is no audio in it"
    case .notAudio(let path):
      "\(FilePath(path)) is not a sound file that is known; `file` may tell what it is"
    case .unsupported(let path, let what):
      "\(FilePath(path)) is \(what), which only FFmpeg reads; install ffmpeg, or convert the "
        + "file"
    case .silent(let path, let what): "\(FilePath(path)) is \(what): it contains no audio"
    case .damaged(let path, let frame, let reason):
      "\(FilePath(path)) is damaged after \(frame): \(reason)"
    case .cannotRead(let path, let reason): "cannot read \(FilePath(path)): \(reason)"
    case .notSeekable(let path):
      "\(FilePath(path)) is a stream and can only be read from its beginning; save it to a file first"
    default: ""
    }
  }

  private var formatText: String {
    switch self {
    case .unsupportedFormat(let format, let encoding, let reason):
      "\(encoding) cannot hold \(format): \(reason)"
    case .unknownExtension(let name):
      "no file format is known for the extension \"\(name)\"; "
        + "use one of \(SoundFileEncoding.pathExtensions.joined(separator: ", "))"
    case .wrongFormat(let expected, let actual):
      "the file holds \(expected), but the buffer is \(actual); convert it first"
    default: ""
    }
  }

  private var writingText: String {
    switch self {
    case .alreadyExists(let path): "\(FilePath(path)) is there already; choose another name"
    case .inUse(let path):
      "\(FilePath(path)) is being written by another recorder; stop it, or choose another name"
    case .cannotWrite(let path, let reason): "cannot write \(FilePath(path)): \(reason)"
    case .diskFull(let path):
      "no space is left on the disk for \(FilePath(path)); what was written before is kept"
    case .tooLarge(let path):
      "\(FilePath(path)) cannot grow any further: its format or a limit of the system (`ulimit -f`) forbids it"
    case .incomplete(let path, let written, let found):
      "\(FilePath(path)) is incomplete: \(written) were written, \(found) are in it"
    case .removed(let path):
      "\(FilePath(path)) was removed while it was written: what was recorded is lost"
    case .recovered(let path, let copy):
      "\(FilePath(path)) was removed while it was written: what was recorded is in \(FilePath(copy))"
    case .brokenPipe(let path): "the reader of \(FilePath(path)) has gone"
    case .closed(let path): "\(FilePath(path)) is already closed"
    default: ""
    }
  }
}
