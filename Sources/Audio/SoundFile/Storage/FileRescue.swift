public import AudioCore
import AudioThreads
import FilePaths
import Glibc

extension Descriptor {
  /// The time limit for a rescue; a file that takes longer is lost.
  private static let rescueTimeout = Duration.seconds(20)

  /// Saves a file that was removed while it was written.
  ///
  /// The file is copied to a new file beside `path`, in the nearest writable folder above it, or in
  /// the system's temporary folder. In the original folder, the copy has the same permissions.
  /// Elsewhere, only the owner may read the copy, because the removed folder may have restricted
  /// access.
  ///
  /// - Returns: the path of the new file; nil if space or time is insufficient.
  func rescue(path: String) -> String? {
    let end = ContinuousClock.now + Self.rescueTimeout
    for (place, folder) in folders(above: path).enumerated() {
      guard ContinuousClock.now < end else { break }
      guard let copy = makeCopy(in: folder, named: path) else { continue }
      let hasRoom = copy.descriptor.freeSpace.map { $0 >= size } ?? true
      if hasRoom, fill(copy.descriptor, until: end, as: place == 0 ? nil : 0o600) {
        return copy.path
      }
      FilePath(copy.path).remove()
    }
    return nil
  }

  /// Copies this file to another; the corresponding C function is `sendfile`.
  private func fill(
    _ copy: Descriptor, until end: ContinuousClock.Instant, as mode: mode_t?
  ) -> Bool {
    let status = status
    var offset = off_t(0)
    while offset < status.st_size {
      guard ContinuousClock.now < end else { return false }
      let count = sendfile(copy.number, number, &offset, 1 << 24)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
    }
    fchmod(copy.number, mode ?? status.st_mode & 0o777)
    return fdatasync(copy.number) == 0 || errno == EINVAL
  }
}

/// Returns the candidate folders for a rescue, the nearest first, without the root folder.
private func folders(above path: String) -> [String] {
  var folders: [String] = []
  var rest = path[...]
  while let slash = rest.lastIndex(of: "/"), slash > rest.startIndex {
    rest = rest[..<slash]
    folders.append(String(rest))
  }
  return folders + [FilePath.temporaryFolder.text, "/tmp"]
}

/// Creates a new file; an existing file, which another user may have prepared, is never used.
private func makeCopy(
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

/// The missing audio at the end of a file.
public struct SoundFileShortfall: Equatable, Sendable, CustomStringConvertible {
  /// The length in the header; nil if the header has none.
  ///
  /// Without a length, an incomplete last block can show that the end is missing.
  public let announced: FrameCount?
  /// The number of decoded frames.
  public let decoded: FrameCount
  /// Whether `decoded` is an estimate, because the audio was not decoded.
  public let isEstimate: Bool
  /// The sample rate of the file.
  public let sampleRate: SampleRate
  /// The reason that reading stopped early; nil if the file itself is too short.
  public let reason: String?

  /// Creates a shortfall.
  public init(
    announced: FrameCount?, decoded: FrameCount, isEstimate: Bool = false, sampleRate: SampleRate,
    reason: String? = nil
  ) {
    (self.announced, self.decoded, self.sampleRate) = (announced, decoded, sampleRate)
    (self.isEstimate, self.reason) = (isEstimate, reason)
  }

  /// A short description for users.
  public var description: String {
    let (announced, decoded) = durations
    if let reason { return "after \(decoded.secondsText), \(reason)" }
    return Self.text(announced: announced, decoded: decoded, isEstimate: isEstimate)
  }

  /// The lengths as durations.
  package var durations: (announced: Duration?, decoded: Duration) {
    (announced?.duration(at: sampleRate), decoded.duration(at: sampleRate))
  }

  /// Returns the description of a shortfall that has no `reason`, given its lengths as durations.
  package static func text(
    announced: Duration?, decoded: Duration, isEstimate: Bool = false
  ) -> String {
    let about = isEstimate ? "about " : ""
    guard let announced else { return "the file breaks off after \(about)\(decoded.secondsText)" }
    return "\(about)\((announced - decoded).secondsText) of \(announced.secondsText) are missing"
  }
}
