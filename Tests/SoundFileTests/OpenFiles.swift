import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Whether this process has the file open.
func isOpen(_ file: URL) throws -> Bool {
  let folder = "/proc/self/fd"
  return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
    var target = [UInt8](repeating: 0, count: 4_096)
    let size = target.withUnsafeMutableBytes { bytes in
      readlink("\(folder)/\(name)", bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
    }
    return size > 0 && String(decoding: target[..<size], as: UTF8.self) == file.path
  }
}
