import Foundation
import Syrinx

/// Returns the duration of a sound file in seconds, for C.
///
/// The file is decoded to its end, because its header may be wrong.
///
/// - Returns: the duration; negative if the file cannot be read, with the reason on stderr.
@_cdecl("syrinx_duration_seconds")
public func durationSeconds(_ path: UnsafePointer<CChar>) -> Double {
  do {
    let reader = try SoundFileReader(url: URL(fileURLWithPath: String(cString: path)))
    while try !reader.read(atMost: 65_536).isEmpty {}
    return reader.framesRead.duration(at: reader.format.sampleRate).inSeconds
  } catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    return -1
  }
}
