import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import SoundFile

/// The limits and the names of a recording's files.
struct RollingPlan {
  private let url: URL
  private let length: FrameCount?
  private let byteCount: Int?
  /// The size of a frame of linear PCM in bytes; nil if the size depends on the encoder.
  private let frameSize: Int?

  init(
    _ rolling: RecordingRollingRule, url: URL, format: AudioFormat, encoding: SoundFileEncoding
  ) {
    self.url = url
    length = rolling.length.map { FrameCount($0, at: format.sampleRate) }
    byteCount = rolling.byteCount
    frameSize = encoding.sampleSize.map { $0 * format.channelCount }
  }

  private var hasLimit: Bool { length != nil || byteCount != nil }

  /// The frames that still fit into a file of this length and size; nil for no limit.
  func room(frames: FrameCount, bytes: Int) -> FrameCount? {
    let byLength = length.map { $0 - frames }
    let bySize = byteCount.flatMap { limit -> FrameCount? in
      guard let frameSize else { return bytes >= limit ? 0 : nil }
      return FrameCount((limit - bytes) / frameSize)
    }
    return [byLength, bySize].compactMap { $0 }.min().map { max(0, $0) }
  }

  /// Whether a file has exactly the requested name, and may replace an existing file.
  private func isAsWritten(_ index: Int) -> Bool { index == 0 && file(0) == url }

  /// Returns the file with this number, counted from 0.
  ///
  /// Without a limit, `%d` in a name has no meaning.
  func file(_ index: Int) -> URL {
    let path = FilePath(url)
    if hasLimit, let numbered = path.name.text.replacingNumber(by: index + 1) {
      return path.folder.appending(FilePath(numbered)).url
    }
    guard index > 0 else { return url }
    let suffix = path.pathExtension.isEmpty ? "" : ".\(path.pathExtension)"
    let name = "\(path.stem.text)-\(index.padded(to: 3))\(suffix)"
    return path.folder.appending(FilePath(name)).url
  }

  /// Creates the file with the number `index`, or with the next free number.
  ///
  /// Only a file with exactly the requested name is replaced. If two recordings try the same
  /// number, the system gives it to only one of them.
  ///
  /// - Parameter count: the maximum number of file numbers to try.
  func makeFile(
    from index: Int, atMost count: Int, format: AudioFormat, encoding: SoundFileEncoding
  ) throws(AudioRecorderError) -> (writer: SoundFileWriter, index: Int) {
    for number in index..<(index + count) {
      let url = file(number)
      do throws(SoundFileError) {
        let writer = try SoundFileWriter(
          url: url, format: format, encoding: encoding, replacesExisting: isAsWritten(number))
        return (writer, number)
      } catch .alreadyExists {
        continue
      } catch {
        throw AudioRecorderError(error, file: url)
      }
    }
    throw .file(
      file(index),
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
