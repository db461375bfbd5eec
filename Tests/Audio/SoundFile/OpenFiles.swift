import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Whether this process has the file open.
func isOpen(_ file: URL) throws -> Bool { try descriptorCount(of: file) > 0 }

/// Returns the number of descriptors with which this process has the file open.
func descriptorCount(of file: URL) throws -> Int {
  let folder = "/proc/self/fd"
  return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
    var target = [CChar](repeating: 0, count: 4_096)
    let size = readlink("\(folder)/\(name)", &target, target.count)
    return size > 0
      && String(decoding: target[..<size].map(UInt8.init(bitPattern:)), as: UTF8.self) == file.path
  }.count
}
