import AudioThreads
import FilePaths
import Glibc

/// The sound files in a folder, in order, followed by those in its subfolders.
///
/// The files are found one at a time. Hidden files are skipped, and so are folders that were
/// visited before, because a link may lead back to a parent folder.
struct FolderWalk: Sequence, IteratorProtocol {
  enum Element {
    /// A file and its status; the status is nil for a dangling link.
    case file(FilePath, stat?)
    /// A folder that cannot be read.
    case unreadable(FilePath)
  }

  private let order: (FilePath, FilePath) -> Bool
  private let accepts: (FilePath) -> Bool
  /// The folders to read, as a stack: the last one is read next.
  private var folders: [FilePath]
  private var visited: Set<[UInt64]> = []
  /// The folder that is being read.
  private var folder: FilePath
  /// The unread names in `folder`.
  private var names: ArraySlice<FilePath> = []
  /// The subfolders found so far in `folder`.
  private var subfolders: [FilePath] = []

  /// Begins a walk.
  ///
  /// `order` returns whether the first name comes before the second, and `accepts` returns whether
  /// to include a file with a given name.
  init(
    _ folder: FilePath, by order: @escaping (FilePath, FilePath) -> Bool,
    accepts: @escaping (FilePath) -> Bool = \.isSound
  ) {
    (self.folder, self.order, self.accepts) = (folder, order, accepts)
    folders = [folder]
  }

  mutating func next() -> Element? {
    while true {
      if let name = names.popFirst() {
        let entry = folder.appending(name)
        let status = entry.status
        if status?.isFolder == true {
          subfolders.append(entry)
        } else if accepts(name) {
          return .file(entry, status)
        }
        continue
      }
      folders += subfolders.reversed()
      subfolders = []
      guard let folder = folders.popLast() else { return nil }
      guard let status = folder.status else { return .unreadable(folder) }
      guard visited.insert(status.identity).inserted else { continue }
      guard let names = folder.names else { return .unreadable(folder) }
      self.folder = folder
      self.names = names.filter { $0.bytes.first != UInt8(ascii: ".") }.sorted(by: order)[...]
    }
  }
}

extension FilePath {
  /// Whether the path is an existing folder.
  var isFolder: Bool { status?.isFolder == true }

  /// Whether the extension belongs to a sound file, or to a video file whose sound FFmpeg can read.
  var isSound: Bool { Self.soundExtensions.contains(pathExtension.lowercased()) }

  /// Whether the name matches a shell pattern.
  ///
  /// The corresponding C function is `fnmatch`.
  func matches(_ pattern: FilePath) -> Bool {
    pattern.withCString { pattern in name.withCString { fnmatch(pattern, $0, 0) == 0 } }
  }

  private static let soundExtensions: Set<String> = [
    "3gp", "aac", "ac3", "aif", "aifc", "aiff", "al", "amr", "ape", "asf", "au", "avi", "caf",
    "dff", "dsf", "flac", "flv", "g722", "gsm", "m4a", "m4b", "m4v", "mka", "mkv", "mov", "mp2",
    "mp3", "mp4", "mpc", "oga", "ogg", "ogv", "opus", "rf64", "sln", "snd", "spx", "tta", "ul",
    "voc", "w64", "wav", "wave", "webm", "wma", "wmv", "wv",
  ]
}

/// Creates a folder if it does not exist.
func makeFolder(_ folder: FilePath) async throws {
  try await DedicatedThread.run(name: "syrinx-folder") {
    do throws(FilePathError) { try folder.makeFolder() } catch {
      throw CommandFailure("cannot create the folder \(folder): \(error.reason)")
    }
  }
}
