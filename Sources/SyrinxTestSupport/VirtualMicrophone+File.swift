import AudioCore
public import Foundation
import SoundCard
import SoundFile

extension VirtualMicrophone {
  /// A microphone that captures a sound file.
  ///
  /// Each capture gets the whole file, in the file's format, and then ends.
  ///
  /// The file is read during the capture. If it is damaged or truncated, the capture fails at the
  /// end of its audio.
  ///
  /// - Throws: `SoundFileError` if the file cannot be opened.
  public static func file(_ url: URL) throws -> VirtualMicrophone {
    VirtualMicrophone(format: try SoundFileReader(url: url).format) { _ in
      let file = CapturedFile(reader: try SoundFileReader(url: url))
      return { samples, _ throws(SoundCardError) in try file.read(into: samples) }
    }
  }
}

/// A file for one capture.
private struct CapturedFile: @unchecked Sendable {
  // `@unchecked Sendable` is safe because each capture reads its file on one thread.
  let reader: SoundFileReader

  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> FrameCount {
    let reason: String
    do throws(SoundFileError) {
      let count = try reader.read(into: samples)
      guard let shortfall = reader.shortfall else { return count }
      reason = "the file is truncated: \(shortfall)"
    } catch {
      reason = "\(error)"
    }
    throw .failed("virtual", operation: "reading a microphone's file", code: 0, reason: reason)
  }
}
