public import AudioCore
import FilePaths
import Glibc

/// Saves a file that others have removed while it was written: what a descriptor still has becomes
/// a file in the nearest folder that is left.
enum FileRescue {
  /// How long copying may take in all; a file for which that is not enough is lost.
  static let patience = Duration.seconds(20)

  /// Copies all that `descriptor` has into a new file beside `path`, or in the nearest folder above
  /// it where one can be made, or else in the system's temporary folder.
  ///
  /// Beside the first one it may be read by the same people. Elsewhere by its owner alone: the
  /// folder that has gone may have been what kept others out.
  ///
  /// - Returns: the new file; nil where there is no room for it or no time.
  static func save(_ descriptor: Descriptor, path: String) -> String? {
    let end = ContinuousClock.now + patience
    for (place, folder) in folders(above: path).enumerated() {
      guard ContinuousClock.now < end else { break }
      guard let copy = make(in: folder, named: path) else { continue }
      if hasRoom(copy.descriptor, descriptor.size),
        fill(copy.descriptor, with: descriptor, until: end, as: place == 0 ? nil : 0o600)
      {
        return copy.path
      }
      FilePath(copy.path).remove()
    }
    return nil
  }

  /// The nearest first; the root of the disk is no place for a recording.
  private static func folders(above path: String) -> [String] {
    var folders: [String] = []
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/"), slash > rest.startIndex {
      rest = rest[..<slash]
      folders.append(String(rest))
    }
    return folders + [FilePath.temporaryFolder.text, "/tmp"]
  }

  /// A file that was not there before: a name that others have prepared is left alone.
  private static func make(
    in folder: String, named path: String
  ) -> (descriptor: Descriptor, path: String)? {
    let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    for number in 1...100 {
      let mark = number == 1 ? "recovered" : "recovered-\(number)"
      let copy = "\(folder)/\(name[..<dot])-\(mark)\(name[dot...])"
      let file = FilePath(copy).withCString {
        open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      }
      if file >= 0 { return (Descriptor(owning: file), copy) }
      guard errno == EEXIST else { return nil }
    }
    return nil
  }

  private static func hasRoom(_ descriptor: Descriptor, _ size: Int) -> Bool {
    descriptor.freeSpace.map { $0 >= size } ?? true
  }

  /// The corresponding C function is `sendfile`.
  private static func fill(
    _ copy: Descriptor, with original: Descriptor, until end: ContinuousClock.Instant,
    as mode: mode_t?
  ) -> Bool {
    let status = original.status
    var offset = off_t(0)
    while offset < status.st_size {
      guard ContinuousClock.now < end else { return false }
      let count = sendfile(copy.number, original.number, &offset, 1 << 24)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
    }
    fchmod(copy.number, mode ?? status.st_mode & 0o777)
    return fdatasync(copy.number) == 0 || errno == EINVAL
  }
}

/// What others did to a file while it was written; the system does not report it to the writer.
enum FileLoss: Equatable {
  /// The file has no name any more: it goes when it is closed.
  case removed
  /// The file was cut; so many bytes are left.
  case cut(Int)

  /// - Parameters:
  ///   - linkCount: the names that the file has.
  ///   - size: in bytes, as the system has it.
  ///   - written: in bytes, as we have it.
  init?(linkCount: Int, size: Int, written: Int) {
    if linkCount == 0 {
      self = .removed
    } else if size < written {
      self = .cut(size)
    } else {
      return nil
    }
  }
}

/// What is missing at the end of a file.
public struct SoundFileShortfall: Equatable, Sendable, CustomStringConvertible {
  /// The length in the header; nil if it has none and the end is missing.
  public let announced: FrameCount?
  /// What there was.
  public let decoded: FrameCount
  /// The frames of a second.
  public let sampleRate: SampleRate

  /// A promise and what became of it.
  public init(announced: FrameCount?, decoded: FrameCount, sampleRate: SampleRate) {
    (self.announced, self.decoded, self.sampleRate) = (announced, decoded, sampleRate)
  }

  /// A short text for people.
  public var description: String {
    Self.text(
      announced: announced?.duration(at: sampleRate), decoded: decoded.duration(at: sampleRate))
  }

  /// The same of durations.
  package static func text(announced: Duration?, decoded: Duration) -> String {
    guard let announced else { return "the file breaks off after \(decoded.secondsText)" }
    return "\((announced - decoded).secondsText) of \(announced.secondsText) are missing"
  }
}
