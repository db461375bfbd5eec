import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Tests file faults during a recording, in all containers at once, each with its own recorder.
@Suite(.timeLimit(.minutes(5)))
struct FileFaultTests {
  private let folder: TestFolder
  private let extensions = SoundFileEncoding.Container.allCases.map { $0.pathExtensions[0] }

  init() throws {
    folder = try TestFolder()
    try folder.noise(
      "input.wav", .seconds(10), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
  }

  @Test
  func `a file size limit ends the recording with an error and keeps the audio that fits`()
    async throws
  {
    try await record("ulimit -f 32", into: { "out.\($0)" })
    for name in extensions {
      let limit = name == "aiff" ? "`ulimit -f`, or 4 GiB of AIFF" : "`ulimit -f`"
      #expect(try outcome(name).hasPrefix("1 syrinx: "))
      #expect(
        try outcome(name).hasSuffix(
          "out.\(name) cannot grow any further (\(limit)); "
            + "what was recorded before is kept"))
      let reader = try SoundFileReader(url: folder.file("out.\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      // The last Ogg page may be incomplete, but no header announces more audio than the file has.
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
  func `removing the folder ends the recording and saves a copy, which the error names`()
    async throws
  {
    for name in extensions {
      try FileManager.default.createDirectory(
        at: folder.file(name), withIntermediateDirectories: false)
    }
    // `rm -r` removes the file before the folder, so the recorder would save its copy in the folder.
    // Renaming the folder first prevents this.
    try await record(into: { "\($0)/out.\($0)" }, act: "mv $1 gone.$1; rm -r gone.$1")
    for name in extensions {
      #expect(try outcome(name).hasPrefix("1 syrinx: /"))
      #expect(
        try outcome(name).hasSuffix(
          "out.\(name) was removed during the recording; the audio up to then was saved to "
            + folder.file("out-recovered.\(name)").path))
      let reader = try SoundFileReader(url: folder.file("out-recovered.\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      #expect(reader.framesRead > 0 && reader.shortfall == nil, "\(name)")
    }
  }

  /// The file name has the maximum length of 255 bytes, so a numbered name is too long.
  @Test
  func
    `failing to open the next file ends the recording with an error and completes the last file`()
    async throws
  {
    let stem = { (name: String) in String(repeating: "o", count: 255 - 1 - name.count) }
    try await record(into: { "\(stem($0)).\($0) --roll-seconds 0.2" })
    for name in extensions {
      let said = try outcome(name)
      #expect(said.hasPrefix("1 syrinx: ") && said.contains("o-001.\(name)"), "\(said)")
      let reader = try SoundFileReader(url: folder.file("\(stem(name)).\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      // Recording continues in the first file until the retry, a second later.
      #expect(reader.framesRead > 48_000 && reader.shortfall == nil, "\(name)")
    }
  }

  /// The test mounts disks in memory, which some systems do not permit.
  @Test(.enabled("this system lets no user mount a disk") { try await mayMount })
  func `a warning precedes the error for a full disk, and the recorded files are readable`()
    async throws
  {
    let disks = extensions.map { name in
      // Each disk holds one and a half seconds: PCM at 192 KB/s, or noise in a lossy format.
      let size = ["ogg", "opus", "mp3"].contains(name) ? "32k" : "288k"
      return "mkdir \(name) kept.\(name); mount -t tmpfs -o size=\(size) none \(name)"
    }
    try await record(
      disks.joined(separator: "\n"), into: { "\($0)/out.\($0)" }, afterwards: "cp $2 kept.$1",
      by: "unshare --user --map-root-user --mount bash")
    for name in extensions {
      #expect(try outcome(name).contains("the disk is nearly full: 0:0"))
      #expect(try outcome(name).hasSuffix("out.\(name); what was recorded before is kept"))
      let reader = try SoundFileReader(url: folder.file("kept.\(name)/out.\(name)"))
      while try !reader.read(atMost: 4_096).isEmpty {}
      // The last Ogg page may be incomplete, but no header announces more audio than the file has.
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

  /// Records into a file of each container until all recorders have ended.
  ///
  /// - Parameters:
  ///   - before: a script to run before the recordings.
  ///   - file: returns the file of a container, and the options after it.
  ///   - act: a script to run after a recorder's first audio; $1 is the container and $2 the file.
  ///   - afterwards: a script to run after a recorder has ended.
  ///   - shell: the command that runs the scripts.
  private func record(
    _ before: String = "", into file: (String) -> String, act: String = ":",
    afterwards: String = ":", by shell: String = "bash"
  ) async throws {
    let calls = extensions.map { "record \($0) \(file($0)) &" }
    let script = """
      \(before)
      record() {
        exec {lines}< <(exec syrinx record "${@:2}" -d virtual:input.wav --verbose 2>&1)
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

  /// Returns the exit status and the messages of a recorder.
  private func outcome(_ name: String) throws -> String {
    try String(contentsOf: folder.file("\(name).outcome"), encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }
}
