import Foundation
import Syrinx

/// How long a sound file is, for C: decoded to its end, since a header may be wrong.
///
/// - Returns: seconds; below 0 when the file cannot be read, with the reason on stderr.
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
