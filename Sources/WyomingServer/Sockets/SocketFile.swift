import FilePaths
import Glibc
import Wyoming

/// The place of a Unix socket in the file system; SwiftNIO removes the socket when it is closed.
enum SocketFile {
  /// Makes room: removes a socket at which nobody listens any more.
  ///
  /// - Throws: `WyomingServerError.addressInUse` where somebody does, or something else is there.
  static func makeRoom(at path: String) throws(WyomingServerError) {
    var status = stat()
    guard FilePath(path).withCString({ lstat($0, &status) }) == 0 else { return }
    let address = WyomingAddress.unix(path: path).description
    guard status.st_mode & S_IFMT == S_IFSOCK, !hasListener(path) else {
      throw .addressInUse(address)
    }
    guard FilePath(path).withCString({ unlink($0) }) == 0 else {
      throw .cannotListen(
        address: address,
        reason: "the old socket cannot be removed: \(String(cString: strerror(errno)))")
    }
  }

  private static func hasListener(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: FilePath(path).bytes.prefix(place.count - 1))
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    return result == 0 || errno != ECONNREFUSED
  }
}
