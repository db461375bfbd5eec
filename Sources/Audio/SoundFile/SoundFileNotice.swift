/// A fact that the user of a sound file should know, although no audio is known to be missing.
public enum SoundFileNotice: Hashable, Sendable, CustomStringConvertible {
  /// The header claims less audio than the file contains; all of it is read.
  case unfinishedHeader
  /// The decoded audio differs from the MD5 sum in the header of FLAC.
  case wrongDigest
  /// Metadata that is not read, or not in the output, such as tags for which it has no place.
  case omitted(String, reason: String)

  /// A sentence for users, which continues the name of the file.
  public var description: String {
    switch self {
    case .unfinishedHeader:
      "the header was never finished; the audio after its claimed end is read as well"
    case .wrongDigest: "the audio differs from the MD5 sum in its header; the file may be damaged"
    case .omitted(let what, let reason): "left out: \(what); \(reason)"
    }
  }
}
