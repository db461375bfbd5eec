import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Kills the command with SIGKILL while it records.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CrashTests {
  /// The time of the kill in milliseconds, and whether the input is noise.
  ///
  /// The kill comes soon after a header is written, right before a header is written, or later. An
  /// encoder turns noise into many bytes, and a tone into few.
  @Test(arguments: [(1_200, true), (1_900, false), (3_400, true), (3_400, false)])
  func `after a kill, every reader finds all but the last second of a recording`(
    moment: Int, isNoise: Bool
  ) async throws {
    let folder = try TestFolder()
    if isNoise {
      try folder.noise("input.wav", .seconds(20), format: .speech)
    } else {
      try folder.tone("input.wav", .seconds(20))
    }
    let crashes = SoundFileEncoding.allCases.map { "crash \($0.fileName) \($0.options) &" }
    let counts = SoundFileEncoding.allCases.map { "count \($0.fileName)" }
    // A shell kills the recorders, because the test process may be too busy to do it in time.
    let run = try await BuiltCommand.shell(
      "moment=\(moment)\n\(crash)\n\(crashes.joined(separator: "\n"))\nwait\n"
        + "\(count)\n\(counts.joined(separator: "\n"))",
      in: folder)
    let killed = run.outputLines.compactMap(KilledRecording.init)
    #expect(killed.map(\.encoding) == SoundFileEncoding.allCases, "\(run.error)")
    for recording in killed {
      #expect(recording.recorded >= moment)
      for (reader, found) in recording.found(in: folder) {
        let kept = found >= 16 * (recording.recorded - 1_000)
        #expect(kept, "\(reader) finds \(found) frames in \(recording)")
      }
    }
  }
}

/// A shell function that records until the file has the given length, and then kills the recorder.
private let crash = """
  crash() {
    local file=$1; shift
    local lines recorder recorded
    exec {lines}< <(exec syrinx record $file "$@" -d virtual:input.wav --verbose 2>&1)
    recorder=$!
    while read -r -u $lines line; do
      [[ $line =~ ([0-9]+)\\.([0-9]{3})\\ s\\ recorded ]] || continue
      recorded=$((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))
      if ((recorded >= moment)); then break; fi
    done
    kill -KILL $recorder
    echo $recorded >$file.recorded
  }
  """

/// A shell function that prints the recorded length of a file, and the numbers of frames that
/// FFmpeg, SoX, and Python find in it.
private let count = """
  count() {
    echo $1 $(<$1.recorded) \\
      $(ffmpeg -v quiet -i $1 -ar 16000 -f s16le - | wc -c) \\
      $(sox $1 -t s16 - 2>/dev/null | wc -c) \\
      $([[ $1 != int*.wav ]] || python3 -c "
  import wave
  file = wave.open('$1')
  print(file.getsampwidth(), len(file.readframes(file.getnframes())))")
  }
  """

private struct KilledRecording {
  let encoding: SoundFileEncoding
  /// The length that the recorder last reported, in milliseconds.
  let recorded: Int
  private let counts: [Int]

  init?(_ line: String) {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    let encoding = SoundFileEncoding.allCases.first { $0.fileName == words.first.map(String.init) }
    guard let encoding, numbers.count >= 3 else { return nil }
    (self.encoding, recorded, counts) = (encoding, numbers[0], Array(numbers[1...]))
  }

  /// Returns the number of frames that each reader finds in the file.
  func found(in folder: TestFolder) -> [(reader: String, frames: Int)] {
    var found = [("FFmpeg", counts[0] / 2)]
    found.append(("libsndfile", (try? folder.samples(encoding.fileName).count) ?? 0))
    // SoX cannot read Opus.
    if encoding != .opus { found.append(("SoX", counts[1] / 2)) }
    if encoding.container == .wav, encoding.samples != .float {
      found.append(("Python", counts.count == 4 ? counts[3] / counts[2] : 0))
    }
    return found
  }
}

extension SoundFileEncoding {
  fileprivate var fileName: String {
    "\(samples.map(\.rawValue) ?? "lossy").\(container.pathExtensions[0])"
  }

  fileprivate var options: String {
    switch samples {
    case .int16: "--bits 16"
    case .int24: "--bits 24"
    case .int32: "--bits 32"
    case .float: "--bits float"
    case nil: ""
    }
  }
}
