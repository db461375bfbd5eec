import AudioCore
import AudioRecorderClient
import Foundation
import SoundFile

/// A folder for a test's recordings; removed when its last reference is released.
final class RecordingFolder: Sendable {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("syrinx-\(UUID().uuidString)")

  init() {
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// Returns the URL of a file that does not exist yet.
  func url(_ pathExtension: String) -> URL {
    directory.appendingPathComponent("\(UUID().uuidString).\(pathExtension)")
  }

  func read(_ url: URL) throws -> AudioBuffer {
    let reader = try SoundFileReader(url: url)
    var samples: [Float] = []
    while true {
      let buffer = try reader.read(atMost: 65_536)
      if buffer.isEmpty { return AudioBuffer(format: reader.format, samples: samples) }
      samples += buffer.samples
    }
  }
}

extension RecordingRequest {
  /// The file to which the request records.
  var file: URL? {
    if case .file(let url) = destination { url } else { nil }
  }
}
