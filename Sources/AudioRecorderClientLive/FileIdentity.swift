import FoundationEssentials
import Glibc

/// Which regular file a name leads to; its name may lead to another one later.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// Nil where there is no regular file; the corresponding C function is `stat`.
  init?(of url: URL) {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}
