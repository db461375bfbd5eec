public import AudioCore

/// Why a sound file could not be read or written; `path` is the file that was asked for.
///
/// In a path a byte that is not UTF-8 is the private character U+EF00 + byte; the description shows
/// it, and what a terminal would obey, escaped.
public enum SoundFileError: Error, Equatable {
  /// There is no such file; for a file to be written, its folder is missing.
  case notFound(path: String)
  /// A folder was given where a file is needed.
  case isDirectory(path: String)
  /// The user may not read or write the file.
  case permissionDenied(path: String)
  /// The file, or the stream, has no byte in it.
  case empty(path: String)
  /// What is in the file is not audio in any known container.
  case notAudio(path: String)
  /// The container or the encoding is known but cannot be read without FFmpeg; `what` names it.
  case unsupported(path: String, what: String)
  /// What is in the file is known and holds no sound; `what` names it.
  case silent(path: String, what: String)
  /// The file is audio, but broken at or before `frame`, up to which it was read.
  case damaged(path: String, frame: FrameCount, reason: String)
  /// The system failed to read the file.
  case cannotRead(path: String, reason: String)
  /// This file, a pipe for example, can only be read from beginning to end.
  case notSeekable(path: String)
  /// There is a file, or something else, of this name, which was not to be replaced.
  case alreadyExists(path: String)
  /// Another writer, of this process or of another, has not closed the file yet.
  case inUse(path: String)
  /// The file cannot be made or written.
  case cannotWrite(path: String, reason: String)
  /// The encoding cannot hold this format: `SoundFileEncoding.supportedRate(for:)` tells a rate.
  case unsupportedFormat(AudioFormat, encoding: SoundFileEncoding, reason: String)
  /// No encoding is known for this file name extension.
  case unknownExtension(String)
  /// A buffer had another format than the file.
  case wrongFormat(expected: AudioFormat, actual: AudioFormat)
  /// The disk, or the user's quota on it, is full; what was written before is in the file.
  case diskFull(path: String)
  /// The file would be longer than its container or the system's limit allows.
  case tooLarge(path: String)
  /// The file is shorter than what was written to it: the last part is lost.
  case incomplete(path: String, written: FrameCount, found: FrameCount)
  /// The file, or its folder, was removed while it was written, and what had been written could
  /// not be saved: nothing is left of it.
  case removed(path: String)
  /// The file, or its folder, was removed while it was written; all that had been written is, as a
  /// complete file, in `copy`: beside it, in the nearest folder above it, or in the system's
  /// temporary folder.
  case recovered(path: String, copy: String)
  /// The reader of the pipe has gone; for a command this is the usual way to end.
  case brokenPipe(path: String)
  /// The file was closed before.
  case closed(path: String)
}
