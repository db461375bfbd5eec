import FoundationEssentials
import Glibc

extension StreamInput {
  /// Takes the whole stream into a file without a name, which goes when its descriptor does.
  func spooled(after firstBytes: [UInt8]) throws(SoundFileError) -> Descriptor {
    let folder = FileManager.default.temporaryDirectory.path
    let file = try Descriptor.temporary(in: folder)
    var bytes = firstBytes
    while !bytes.isEmpty {
      try append(bytes, to: file, folder: folder)
      bytes = try next(atMost: 1 << 16)
    }
    lseek(file.number, 0, SEEK_SET)
    return file
  }

  private func append(
    _ bytes: [UInt8], to file: Descriptor, folder: String
  ) throws(SoundFileError) {
    let code = writeAll(bytes, to: file.number)
    guard code == 0 else { throw SystemErrors.writing(folder, code: code) }
  }
}
