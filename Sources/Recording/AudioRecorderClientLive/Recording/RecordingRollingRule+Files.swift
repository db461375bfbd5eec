import AudioCore
import AudioRecorderClient
import AudioThreads
import FilePaths
import FoundationEssentials
import SoundFile

extension RecordingRollingRule {
  private var hasLimit: Bool { length != nil || byteCount != nil }

  /// The frames that still fit into a file of this length and size; nil for no limit.
  func room(
    frames: FrameCount, bytes: Int, format: AudioFormat, encoding: SoundFileEncoding
  ) -> FrameCount? {
    let byLength = length.map { FrameCount($0, at: format.sampleRate) - frames }
    let bySize = byteCount.flatMap { limit -> FrameCount? in
      // Except for linear PCM, the size of a frame depends on the encoder, so compare the file's
      // size.
      guard let sampleSize = encoding.sampleSize else { return bytes >= limit ? 0 : nil }
      return FrameCount((limit - bytes) / (sampleSize * format.channelCount))
    }
    return [byLength, bySize].compactMap { $0 }.min().map { max(0, $0) }
  }

  /// Returns the file with this number, counted from 0, of a recording to `url`.
  ///
  /// Without a limit, `%d` in the name is not replaced.
  func file(_ index: Int, of url: URL) -> URL {
    let path = FilePath(url)
    if hasLimit, let numbered = path.name.text.replacingNumber(by: index + 1) {
      return path.folder.appending(FilePath(numbered)).url
    }
    guard index > 0 else { return url }
    let suffix = path.pathExtension.isEmpty ? "" : ".\(path.pathExtension)"
    let name = "\(path.stem.text)-\(index.padded(to: 3))\(suffix)"
    return path.folder.appending(FilePath(name)).url
  }

  /// Creates the file number `index` of a recording to `url`, or the file with the next free
  /// number.
  ///
  /// Only a file with exactly the requested name is replaced. If two recordings try the same
  /// number, the system gives it to only one of them.
  ///
  /// At most `count` file numbers are tried. `storing` are the threads that flush the file.
  func makeFile(
    from index: Int, atMost count: Int, of url: URL, format: AudioFormat,
    encoding: SoundFileEncoding, storing: ThreadPool? = nil
  ) throws(AudioRecorderError) -> (writer: SoundFileWriter, index: Int) {
    for number in index..<(index + count) {
      let file = file(number, of: url)
      do throws(SoundFileError) {
        let writer = try SoundFileWriter(
          url: file, format: format, encoding: encoding,
          replacesExisting: number == 0 && file == url, flushingOn: storing)
        return (writer, number)
      } catch .alreadyExists {
        continue
      } catch {
        throw AudioRecorderError(error, file: file)
      }
    }
    throw .file(
      file(index, of: url),
      reason: "it already exists, as do the next \(count - 1) numbers; move them away")
  }
}

extension String {
  /// Replaces `%d` or `%03d` with a number; nil if the text contains neither.
  fileprivate func replacingNumber(by number: Int) -> String? {
    guard let place = firstRange(of: /%0?[0-9]?d/) else { return nil }
    let width = self[place].dropFirst().dropLast()
    return self[..<place.lowerBound] + number.padded(to: Int(width) ?? 1)
      + self[place.upperBound...]
  }
}

extension Int {
  fileprivate func padded(to width: Int) -> String {
    let digits = "\(self)"
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
