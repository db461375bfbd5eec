import CPocketSphinx
import Glibc

/// A file in memory, for what PocketSphinx takes from a path alone.
struct MemoryFile: ~Copyable {
  private let descriptor: Int32

  /// Calls the body with the path of a file with these bytes, which is gone afterwards; with nil
  /// where there are none, or the system has no such files or no paths to them.
  static func with<Value>(_ bytes: [UInt8], _ body: (String?) -> Value) -> Value {
    let descriptor = bytes.isEmpty ? -1 : syrinx_memory_file("syrinx")
    guard descriptor >= 0 else { return body(nil) }
    let file = MemoryFile(descriptor: descriptor)
    return file.hold(bytes) ? body(file.path) : body(nil)
  }

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  private var path: String { "/proc/self/fd/\(descriptor)" }

  /// Whether the bytes are in the file, and can be read by its path.
  private func hold(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      // The writing keeps within the slice's bytes, which stay where they are meanwhile.
      let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      written += count
    }
    return access(path, R_OK) == 0
  }
}
