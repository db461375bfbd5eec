import AudioCore
import Foundation
import SoundFile

/// Writes a buffer into a new WAV file in the temporary folder.
func temporaryWAV(_ buffer: AudioBuffer) throws -> URL {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("syrinx-\(UUID().uuidString).wav")
  let writer = try SoundFileWriter(url: url, format: buffer.format, encoding: .wavFloat)
  try writer.write(buffer)
  try writer.close()
  return url
}
