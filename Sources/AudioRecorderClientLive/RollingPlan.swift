import AudioCore
import AudioRecorderClient
import FilePaths
import FoundationEssentials
import SoundFile

/// Where one file of a recording ends, and what the next one is called.
struct RollingPlan {
  private let url: URL
  private let length: FrameCount?
  private let byteCount: Int?
  /// Of linear PCM; nil where the encoder decides.
  private let frameSize: Int?

  init(_ rolling: RecordingRolling, url: URL, format: AudioFormat, encoding: SoundFileEncoding) {
    self.url = url
    length = rolling.length.map { FrameCount($0, at: format.sampleRate) }
    byteCount = rolling.byteCount
    frameSize = encoding.sampleSize.map { $0 * format.channelCount }
  }

  private var hasLimit: Bool { length != nil || byteCount != nil }

  /// How many more frames go into a file that has so many frames and bytes; nil for no limit.
  func room(frames: FrameCount, bytes: Int) -> FrameCount? {
    let byLength = length.map { $0 - frames }
    let bySize = byteCount.flatMap { limit -> FrameCount? in
      guard let frameSize else { return bytes >= limit ? 0 : nil }
      return FrameCount((limit - bytes) / frameSize)
    }
    return [byLength, bySize].compactMap { $0 }.min().map { max(0, $0) }
  }

  /// Whether a file has the very name that was asked for, and may replace what is there.
  private func isAsWritten(_ index: Int) -> Bool { index == 0 && file(0) == url }

  /// The file with this number, from 0 on.
  ///
  /// Without a limit nobody has asked for files with numbers, and a name is taken as it is written.
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
}

extension String {
  /// The text with a number in the place of `%d` or `%03d`; nil where there is no such place.
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

extension RollingPlan {
  /// Makes the file with the number `index`, or with the next one that no file has.
  ///
  /// Only a name that is as it was asked for replaces what is there. Of two recordings that find the
  /// same number free, the system gives it to one.
  ///
  /// - Parameter count: how many numbers are tried.
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
      reason: "it is there already, and so are the \(count - 1) after it; move them away")
  }
}
