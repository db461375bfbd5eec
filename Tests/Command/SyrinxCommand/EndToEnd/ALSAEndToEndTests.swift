import AudioCore
import Foundation
import TestTools
import Testing

/// Compares the command's output on ALSA's own devices sample by sample.
@Suite struct ALSAEndToEndTests {
  let folder: TestFolder
  let alsa: ALSASetup

  init() async throws {
    folder = try TestFolder()
    alsa = try await ALSASetup(in: folder)
  }

  @Test(arguments: ["tone.wav", "chirp.wav", "go-forward.wav"])
  func `the samples of a played file reach ALSA's file plug-in unchanged`(sound: String)
    async throws
  {
    let played = try await play(sound, script: "format=S16 speed=0")
    let expected = try await raw(sound)
    expect(played, plays: expected)
    // At most the last period of 500 ms is filled with silence.
    #expect(played.count - expected.count <= 48_000 / 2 * 4)
  }

  @Test func `the pieces of a file, played in sequence, sound like the whole file`() async throws {
    let sound = ALSASetup.sample("chirp.wav")
    let cut = try await BuiltCommand.shell(
      """
      sox -D '\(sound)' a.flac trim 0 5003s && sox -D '\(sound)' b.wav trim 5003s 7s &&
        sox -D '\(sound)' c.flac trim 5010s
      """, in: folder)
    try #require(cut.status == 0, "\(cut.error)")
    let expected = try await raw("chirp.wav")
    let whole = try await play(["a.flac", "b.wav", "c.flac"])
    expect(whole, plays: expected)
    // The file is mono: a frame is two bytes.
    let part = Array(expected[(2 * 4_800)..<(2 * 9_600)])
    let twice = try await play([sound, "--start", "0.1", "--end", "0.2", "--loop", "2"])
    expect(twice, plays: part + part)
  }

  @Test(arguments: [false, true])
  func `ALSA's file plug-in receives standard input bit-exactly, with and without a header`(
    isRaw: Bool
  ) async throws {
    let sound = ALSASetup.sample("tone.wav")
    let input = isRaw ? "sox '\(sound)' -t raw -e signed -b 16 - |" : "cat '\(sound)' |"
    let options = isRaw ? ["--raw", "s16", "--raw-rate", "48000", "--raw-channels", "2"] : []
    let played = try await play(["-"] + options, input: input)
    let expected = try await raw("tone.wav")
    expect(played, plays: expected)
  }

  @Test func `--speed 2 plays a tone in half the time at the same pitch`() async throws {
    let played = try await play([ALSASetup.sample("tone.wav"), "--speed", "2"])
    let (output, whole) = (played.inSixteenBits, try await raw("tone.wav").inSixteenBits)
    // The pitch is measured by counting the upward zero crossings of the left channel.
    func rises(_ samples: some Sequence<Int>) -> Int {
      let left = samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      return zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
    }
    let count = (output.lastIndex { abs($0) > 100 } ?? 0) + 1
    #expect(abs(count - whole.count / 2) < 2_000)
    let expected = Double(rises(whole)) / 2
    #expect(abs(Double(rises(output)) / expected - 1) < 0.03)
  }

  @Test func `--volume and fades scale the samples`() async throws {
    let options = ["--volume", "0.5", "--fade-in", "0.5", "--fade-out", "0.5"]
    let played = try await play([ALSASetup.sample("tone.wav")] + options)
    let (output, whole) = (played.inSixteenBits, try await raw("tone.wav").inSixteenBits)
    let half = 24_000 * 2
    try #require(output.count >= whole.count && whole.count == 6 * half)
    // The tolerance covers dither of less than two steps, and rounding.
    for index in half..<(5 * half) where abs(output[index] * 2 - whole[index]) > 5 {
      Issue.record("\(output[index]) instead of half \(whole[index]) at \(index)")
      break
    }
    // During the fade-in, the peak rises every 50 ms; during the fade-out, it falls every 50 ms.
    let loudest = stride(from: 0, to: whole.count, by: 4_800).map { begin in
      output[begin..<(begin + 4_800)].map(abs).max() ?? 0
    }
    #expect(zip(loudest, loudest.dropFirst()).prefix(9).allSatisfy { $0.0 < $0.1 }, "\(loudest)")
    #expect(zip(loudest, loudest.dropFirst()).suffix(9).allSatisfy { $0.0 > $0.1 }, "\(loudest)")
    #expect(output[..<20].allSatisfy { abs($0) <= 8 })
    #expect(output[(whole.count - 20)..<whole.count].allSatisfy { abs($0) <= 8 })
  }

  @Test func `after a seek during a pause, playback resumes at exactly that frame`() async throws {
    let played = try await play(
      [ALSASetup.sample("tone.wav"), "--control"], script: "format=S16",
      input: "printf '%s\\n' pause 'seek 2' 'resume 0' |")
    // The last second of the file is played after the silence of the pause.
    let rest = try await raw("tone.wav").dropFirst(2 * 48_000 * 4)
    let end = try #require(played.lastIndex { $0 != 0 }) + 1
    let last = try #require(rest.lastIndex { $0 != 0 }) + 1
    let begin = end - (last - rest.startIndex)
    try #require(begin >= 40)
    #expect(played[begin..<end].elementsEqual(rest[..<last]))
    #expect(played[(begin - 40)..<begin].allSatisfy { $0 == 0 })
    #expect(begin < 48_000 * 4)
  }

  @Test func `the started event contains the settings of the card`() async throws {
    let run = try await BuiltCommand.run(
      "play", ALSASetup.sample("tone.wav"), "--end", "0.1", "--json",
      "--device", "syrinxtest:SCRIPT='format=S16 rate=44100'",
      in: folder, environment: alsa.environment)
    #expect(run.status == 0, "\(run.error)")
    let started = try #require(run.outputLines.first { $0.contains(#""event":"started""#) })
    for part in [#""rate":44100"#, #""sampleFormat":"int16""#, #""channelCount":2"#] {
      #expect(started.contains(part), "\(started)")
    }
  }

  @Test func `a sound of one frame is played`()
    async throws
  {
    try Data([0x11, 0x22]).write(to: folder.file("one.raw"))
    let played = try await play(
      ["-", "--raw", "s16", "--raw-channels", "1"], script: "format=S16",
      input: "cat one.raw |")
    expect(played, plays: [0x11, 0x22])
  }

  @Test func `on a real-time card, a file of three seconds plays for three seconds without loss`()
    async throws
  {
    let began = ContinuousClock.now
    let played = try await play("tone.wav", script: "format=S16")
    #expect(ContinuousClock.now - began >= .seconds(3))
    let expected = try await raw("tone.wav")
    #expect(expected.count == 3 * 48_000 * 4)
    #expect(played.starts(with: expected))
  }

  @Test func `a recording contains the samples of ALSA's input file`() async throws {
    let noise = AudioSignal.noise(seed: 11)
      .buffer(.seconds(1), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    try noise.samples.withUnsafeBytes { try Data($0).write(to: folder.file("in.raw")) }
    let run = try await BuiltCommand.run(
      "record", "out.wav", "--seconds", "1", "--rate", "48000", "--channels", "2",
      "--bits", "float", "--device", "syrinxinfile:FILE='\(folder.file("in.raw").path)'",
      in: folder, environment: alsa.environment)
    #expect(run.status == 0, "\(run.error)")
    #expect(try folder.samples("out.wav") == noise.samples)
  }

  @Test func `unplugging the card ends 'play' with an error that contains the card's name`()
    async throws
  {
    let run = try await BuiltCommand.run(
      "play", ALSASetup.sample("tone.wav"), "--device", "syrinxtest:SCRIPT='gone_at=4800'",
      in: folder, environment: alsa.environment)
    #expect(run.status == 1)
    #expect(run.error.contains("syrinxtest"))
    #expect(run.error.contains("was lost"))
  }

  @Test(arguments: [("open_error=16", "is in use by"), ("open_error=19", "no capture device")])
  func `a card that cannot be opened is an error with the reason, and leaves no file`(
    script: String, reason: String
  ) async throws {
    let run = try await BuiltCommand.run(
      "record", "out.wav", "--device", "syrinxtest:SCRIPT='\(script)'", in: folder,
      environment: alsa.environment)
    #expect(run.status == 1)
    #expect(run.error.contains(reason) && run.error.contains("syrinxtest"), "\(run.error)")
    #expect(run.errorLines.count == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.wav").path))
  }

  private func play(_ sound: String, script: String) async throws -> [UInt8] {
    try await play([ALSASetup.sample(sound)], script: script)
  }

  private func play(
    _ arguments: [String], script: String = "format=S16 speed=0", input: String = ""
  ) async throws -> [UInt8] {
    let output = folder.file("out.raw")
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    let run = try await BuiltCommand.shell(
      """
      \(input) syrinx play \(words) --device "syrinxfileas:FILE='\(output.path)',SCRIPT='\(script)'"
      """,
      in: folder, environment: alsa.environment)
    try #require(run.status == 0, "\(run.error)")
    return [UInt8](try Data(contentsOf: output))
  }

  /// Checks that the played audio is this sound, followed only by silence.
  private func expect(
    _ played: [UInt8], plays sound: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let sound = sound + [UInt8](repeating: 0, count: max(0, played.count - sound.count))
    let fault = sound.indices.first { $0 >= played.count || played[$0] != sound[$0] }
    #expect(fault == nil, "the first byte that differs", sourceLocation: sourceLocation)
  }

  /// Returns the frames of a sound as SoX reads them: 16-bit, in native byte order.
  private func raw(_ sound: String) async throws -> [UInt8] {
    let run = try await BuiltCommand.shell(
      "sox '\(ALSASetup.sample(sound))' -t raw -e signed -b 16 expected-\(sound).raw", in: folder)
    guard run.status == 0 else {
      throw ToolMissing(description: "apt-get install sox: \(run.error)")
    }
    return [UInt8](try Data(contentsOf: folder.file("expected-\(sound).raw")))
  }
}

extension [UInt8] {
  /// The bytes as 16-bit little-endian samples.
  fileprivate var inSixteenBits: [Int] {
    stride(from: 0, to: count - 1, by: 2).map { index in
      Int(Int16(truncatingIfNeeded: Int(self[index]) | Int(self[index + 1]) << 8))
    }
  }
}
