import AudioCore
import Foundation
import SoundFile
import Testing

/// The command is killed with the signal that nothing can be done about.
@Suite(.timeLimit(.minutes(1)))
struct CrashTests {
  @Test(arguments: ["wav", "aiff", "au", "caf", "flac", "opus", "mp3"])
  func `a recording that is killed keeps all but its last second`(name: String) async throws {
    let folder = try TestFolder()
    try folder.tone("heard.wav", .seconds(20))
    let file = "out.\(name)"
    let run = try RunningCommand(
      "record", file, "--device", "virtual:heard.wav", "--verbose", in: folder, watching: .error)
    var recorded = 0.0
    for await line in run.lines where line.contains(" recorded, peak") {
      recorded = line.secondsBeforeRecorded ?? recorded
      if recorded > 2.5 { break }
    }
    run.send(SIGKILL)
    #expect(await run.status() == 128 + SIGKILL)
    let reader = try SoundFileReader(url: folder.file(file))
    while try !reader.read(atMost: 4_096).isEmpty {}
    let length = reader.framesRead.duration(at: reader.format.sampleRate)
    #expect(length >= .seconds(recorded - 1))
  }
}

extension String {
  /// Of a line that says "2.500 s recorded, peak …".
  fileprivate var secondsBeforeRecorded: Double? {
    let words = split(separator: " ")
    guard let index = words.firstIndex(of: "recorded,"), index >= 2 else { return nil }
    return Double(words[index - 2])
  }
}
