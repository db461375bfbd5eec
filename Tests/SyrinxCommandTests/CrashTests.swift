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
    // A shell kills it: the tests' own process may be too busy to see a line in time.
    let run = try await BuiltCommand.shell(
      """
      mkfifo lines; exec 3<>lines
      syrinx record \(file) --device virtual:heard.wav --verbose 2>lines & recorder=$!
      timeout 30 grep -m 1 ' 2\\.[5-9].* s recorded, peak' lines
      kill -KILL $recorder; wait $recorder
      """, in: folder)
    #expect(run.status == 128 + SIGKILL)
    let recorded = try #require(run.output.secondsBeforeRecorded)
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
