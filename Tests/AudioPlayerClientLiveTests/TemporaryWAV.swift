import AudioCore
import Foundation
import SoundFile

/// Writes a buffer into a WAV file of its own that lasts as long as the machine's temporary files
/// do.
func temporaryWAV(_ buffer: AudioBuffer) throws -> URL {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("syrinx-\(UUID().uuidString).wav")
  let writer = try SoundFileWriter(url: url, format: buffer.format, encoding: .wavFloat)
  try writer.write(buffer)
  try writer.close()
  return url
}
