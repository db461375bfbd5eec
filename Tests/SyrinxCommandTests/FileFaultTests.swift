import AudioCore
import Foundation
import SoundFile
import Testing

/// What can happen to a file while the command records into it: every container at once, each with
/// a recorder of its own.
@Suite(.timeLimit(.minutes(1)))
struct FileFaultTests {
  private let folder: TestFolder
  private let extensions = SoundFileEncoding.Container.allCases.map { $0.pathExtensions[0] }

  init() throws {
    folder = try TestFolder()
    try folder.noise(
      "heard.wav", .seconds(10), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
  }

  @Test
  func `a limit of the file's size ends the recording with an error, and what fits is there`()
    async throws
  {
    try await record("ulimit -f 32", into: { "out.\($0)" })
    for name in extensions {
      let limit = name == "aiff" ? "`ulimit -f`, or 4 GiB of AIFF" : "`ulimit -f`"
      #expect(try outcome(name).hasPrefix("1 syrinx: "))
      #expect(
        try outcome(name).hasSuffix(
          "out.\(name) may not grow any further (\(limit)); "
            + "what was recorded before is kept"))
      let reader = try SoundFileReader(url: folder.file("out.\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      // Ogg may lack the end of its last page; no header promises more than there is.
      #expect(reader.framesRead > 4_000 && reader.shortfall?.announced == nil, "\(name)")
    }
  }

  @Test
  func `a full disk ends the recording with an error`() async throws {
    for name in extensions {
      try FileManager.default.createSymbolicLink(
        at: folder.file("full.\(name)"), withDestinationURL: URL(filePath: "/dev/full"))
    }
    try await record(into: { "full.\($0)" })
    for name in extensions {
      #expect(try outcome(name).hasPrefix("1 syrinx: no space is left on the disk for /"))
      #expect(try outcome(name).hasSuffix("full.\(name); what was recorded before is kept"))
    }
  }

  @Test
  func `a folder that is removed ends the recording with an error that names a copy`()
    async throws
  {
    for name in extensions {
      try FileManager.default.createDirectory(
        at: folder.file(name), withIntermediateDirectories: false)
    }
    try await record(into: { "\($0)/out.\($0)" }, act: "rm -r $1")
    for name in extensions {
      #expect(try outcome(name).hasPrefix("1 syrinx: /"))
      #expect(
        try outcome(name).hasSuffix(
          "out.\(name) was removed while it was recorded; what was recorded before is in "
            + folder.file("out-recovered.\(name)").path))
      let reader = try SoundFileReader(url: folder.file("out-recovered.\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      #expect(reader.framesRead > 0 && reader.shortfall == nil, "\(name)")
    }
  }

  /// A name of 255 bytes is the longest, and a number makes it longer.
  @Test
  func `a next file that cannot be made ends the recording with an error, and the last is whole`()
    async throws
  {
    let stem = { (name: String) in String(repeating: "o", count: 255 - 1 - name.count) }
    try await record(into: { "\(stem($0)).\($0) --roll-seconds 0.2" })
    for name in extensions {
      let said = try outcome(name)
      #expect(said.hasPrefix("1 syrinx: ") && said.contains("o-001.\(name)"), "\(said)")
      let reader = try SoundFileReader(url: folder.file("\(stem(name)).\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      // The last one goes on for the second before the second try.
      #expect(reader.framesRead > 48_000 && reader.shortfall == nil, "\(name)")
    }
  }

  /// Disks of memory, where the system lets a user make some.
  @Test(.enabled("this system lets no user mount a disk") { try await mayMount })
  func `a disk that fills up is told of before, and what it held is readable`() async throws {
    let disks = extensions.map { name in
      // A second and a half: 192 KB/s, or what noise takes in the lossy ones.
      let size = ["ogg", "opus", "mp3"].contains(name) ? "32k" : "288k"
      return "mkdir \(name) kept.\(name); mount -t tmpfs -o size=\(size) none \(name)"
    }
    try await record(
      disks.joined(separator: "\n"), into: { "\($0)/out.\($0)" }, afterwards: "cp $2 kept.$1",
      by: "unshare --user --map-root-user --mount bash")
    for name in extensions {
      #expect(try outcome(name).contains("the disk is nearly full: it lasts for another 0:0"))
      #expect(try outcome(name).hasSuffix("out.\(name); what was recorded before is kept"))
      let reader = try SoundFileReader(url: folder.file("kept.\(name)/out.\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      // Ogg may lack the end of its last page; no header promises more than there is.
      #expect(reader.framesRead > 40_000 && reader.shortfall?.announced == nil, "\(name)")
    }
  }

  private static var mayMount: Bool {
    get async throws {
      try await BuiltCommand.shell(
        "mkdir disk; unshare --user --map-root-user --mount mount -t tmpfs none disk",
        in: TestFolder()
      ).status == 0
    }
  }

  /// Records into a file of each container until its recorder ends.
  ///
  /// - Parameters:
  ///   - file: the file, and what options follow it.
  ///   - act: is done when sound is recorded; $1 is the container and $2 the file.
  ///   - afterwards: is done when the recorder has ended.
  private func record(
    _ before: String = "", into file: (String) -> String, act: String = ":",
    afterwards: String = ":", by shell: String = "bash"
  ) async throws {
    let calls = extensions.map { "record \($0) \(file($0)) &" }
    let script = """
      \(before)
      record() {
        exec {lines}< <(exec syrinx record "${@:2}" -d virtual:heard.wav --verbose 2>&1)
        local recorder=$! said="" begun=""
        while read -r -u $lines line; do
          if [[ $line == *" s recorded"* && -z $begun ]]; then begun=1; \(act); fi
          if [[ $line == syrinx:* ]]; then said+=" $line"; fi
        done
        wait $recorder
        echo "$?$said" >$1.outcome
        \(afterwards)
      }
      \(calls.joined(separator: "\n"))
      wait
      """
    try Data(script.utf8).write(to: folder.file("script"))
    let run = try await BuiltCommand.shell("\(shell) script", in: folder)
    #expect(run.status == 0, "\(run.error)")
  }

  /// The exit status and what was said.
  private func outcome(_ name: String) throws -> String {
    try String(contentsOf: folder.file("\(name).outcome"), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }
}
