import AudioCore
public import Foundation
import SoundCard
import SoundFile

extension VirtualMicrophone {
  /// A microphone that hears a sound file: each capture gets the whole file, in the file's format, and
  /// then ends.
  ///
  /// It reads the file while it is captured. A file that is damaged or truncated fails the capture
  /// where its audio ends. Throws `SoundFileError` if there is no sound file now.
  public static func file(_ url: URL) throws -> VirtualMicrophone {
    VirtualMicrophone(format: try SoundFileReader(url: url).format) { _ in
      let file = HeardFile(reader: try SoundFileReader(url: url))
      return { samples, _ throws(SoundCardError) in try file.read(into: samples) }
    }
  }
}

/// A file that one capture reads.
private struct HeardFile: @unchecked Sendable {
  // Right because a capture fills its samples on one thread.
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
