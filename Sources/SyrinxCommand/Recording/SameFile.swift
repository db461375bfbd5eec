import FilePaths
import Glibc

/// Whether two paths lead to one file that exists.
func isSameFile(_ first: FilePath, _ second: FilePath) -> Bool {
  guard let one = first.status, let other = second.status else { return false }
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino
}
