import AudioPlayerClient
import FilePaths
import FoundationEssentials
import Glibc

extension PlaybackSource {
  /// Whether what was taken from it is gone: a stream, or a file that may keep its reader waiting
  /// and cannot be sought in, like a named pipe.
  var comesOnce: Bool {
    switch self {
    case .stream: true
    case .file(let url): url.comesOnce
    case .buffers, .preloaded: false
    }
  }
}

extension URL {
  /// What does not exist is for whoever opens it to find out.
  fileprivate var comesOnce: Bool {
    guard let status = FilePath(self).status else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}
