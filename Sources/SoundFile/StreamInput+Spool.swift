import AudioThreads
import FilePaths
import Glibc

extension StreamInput {
  /// Takes the whole stream into a file without a name, which goes when its descriptor does.
  ///
  /// - Parameters:
  ///   - what: what it is.
  ///   - largestSize: in bytes; a stream that goes on is an error then.
  func spooled(
    after firstBytes: [UInt8], what: String, largestSize: Int = 2 << 30
  ) throws(SoundFileError) -> Descriptor {
    let folder = FilePath.temporaryFolder
    let file = try Descriptor.temporary(in: folder)
    var bytes = firstBytes
    var size = 0
    while !bytes.isEmpty {
      size += bytes.count
      guard size <= largestSize else {
        throw .cannotRead(
          path: path,
          reason: "it is \(what), of which a pipe is kept in \(folder) up to its end, and has more "
            + "than \(largestSize >> 20) MiB; save it to a file first")
      }
      try append(bytes, to: file, folder: folder)
      bytes = try next(atMost: 1 << 16)
    }
    lseek(file.number, 0, SEEK_SET)
    return file
  }

  private func append(
    _ bytes: [UInt8], to file: Descriptor, folder: FilePath
  ) throws(SoundFileError) {
    let code = bytes.withUnsafeBytes { writeAll($0, to: file.number) }
    guard code == 0 else { throw SystemErrors.writing(folder.text, code: code) }
  }
}
