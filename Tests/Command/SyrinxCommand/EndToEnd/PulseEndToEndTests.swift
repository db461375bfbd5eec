import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Runs the command on a PulseAudio null sink, which is paced like hardware, and whose monitor
/// captures its playback.
@Suite struct PulseEndToEndTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `a played chirp is found in the recording of the same sink`() async throws {
    let chirp = ALSASetup.sample("chirp.wav")
    let run = try await withServer(
      """
      sox '\(chirp)' padded.wav pad 1.5 1
      syrinx record --device pulse --rate 48000 --channels 2 --seconds 6 recorded.wav &
      recording=$!
      syrinx play --device pulse padded.wav
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    let captured = try folder.samples("recorded.wav").enumerated().filter { $0.offset % 2 == 0 }
      .map(\.element)
    let played = AudioSignal.chirp(from: 200, to: 8_000, over: .seconds(2))
      .buffer(.milliseconds(500), format: AudioFormat(sampleRate: 48_000, channelCount: 1)).samples
    #expect(captured.count == 6 * 48_000)
    let match = try #require(bestMatch(of: played, in: captured))
    #expect(match > 0.999, "the chirp's best correlation with the recording is \(match)")
  }

  @Test func `a sine that is split into files plays without a phase jump`() async throws {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    let sine = AudioSignal.sine(997, amplitude: 0.5)
    var first: FrameCount = 0
    for (name, count) in [("a.wav", 31_111), ("b.wav", 1_000), ("c.wav", 40_001)] {
      try write(sine.buffer(FrameCount(count), format: format, firstFrame: first), to: name)
      first += FrameCount(count)
    }
    try write(AudioBuffer(silence: 72_000, format: format), to: "quiet.wav")
    let run = try await withServer(
      """
      syrinx record --device pulse --rate 48000 --channels 2 --seconds 6 recorded.wav &
      recording=$!
      syrinx play --device pulse quiet.wav a.wav b.wav c.wav
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    let captured = try folder.samples("recorded.wav").enumerated().filter { $0.offset % 2 == 0 }
      .map(\.element)
    let onset = try #require(captured.firstIndex { abs($0) > 0.01 })
    // Each sample of a sine follows from the two samples before it, unless the phase jumps. On a
    // busy machine, the phase may jump anywhere, so only the joins of the files are checked.
    let factor = Float(2 * cos(2 * Double.pi * 997 / 48_000))
    for join in [31_111, 32_111] {
      let around = (onset + join - 1_000)..<(onset + join + 1_000)
      let breaks = around.filter { index in
        abs(captured[index] - factor * captured[index - 1] + captured[index - 2]) > 0.002
      }
      #expect(breaks.isEmpty, "the phase jumps at \(breaks.map { $0 - onset })")
      #expect(around.contains { abs(captured[$0]) > 0.49 })
    }
  }

  @Test func `a sound server's sink is the default device, and 'play' uses it`()
    async throws
  {
    let run = try await withServer(
      """
      syrinx devices --json
      syrinx play '\(ALSASetup.sample("chirp.wav"))'
      """)
    #expect(run.status == 0, "\(run.error)")
    let devices = try run.outputLines.compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    let marked = devices.filter { $0["default"] as? Bool == true }
    #expect(marked.map { $0["id"] as? String } == ["default"], "\(run.output)")
  }

  @Test func `Syrinx, not the sound server, resamples a recording`()
    async throws
  {
    let run = try await withServer(
      "syrinx record --device pulse --rate 16000 --channels 1 --seconds 0.5 --verbose recorded.wav")
    #expect(run.status == 0)
    #expect(run.error.contains("pulse provides 48000 Hz"), "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("recorded.wav"))
    #expect(reader.format == .speech)
    #expect(reader.announcedFrameCount == 8_000)
  }

  private func write(_ buffer: AudioBuffer, to name: String) throws {
    let writer = try SoundFileWriter(
      url: folder.file(name), format: buffer.format, encoding: .wav16)
    try writer.write(buffer)
    try writer.close()
  }

  /// Returns the highest correlation of the chirp with the recording, near the onset of sound.
  private func bestMatch(of chirp: [Float], in captured: [Float]) -> Float? {
    guard let onset = captured.firstIndex(where: { abs($0) > 0.01 }) else { return nil }
    let starts = max(0, onset - 200)..<max(1, min(onset + 200, captured.count - chirp.count))
    return starts.map { correlation(chirp, captured[$0..<$0 + chirp.count]) }.max()
  }

  private func correlation(_ chirp: [Float], _ part: ArraySlice<Float>) -> Float {
    var (product, first, second) = (Float(0), Float(0), Float(0))
    for (a, b) in zip(chirp, part) {
      product += a * b
      first += a * a
      second += b * b
    }
    return product / (first * second).squareRoot()
  }

  func withServer(_ script: String) async throws -> BuiltCommand.Outcome {
    let pulse = ALSASetup.support("pulse.sh")
    return try await BuiltCommand.shell(
      """
      set -e
      unset ALSA_CONFIG_PATH
      eval "$(bash '\(pulse)' start "$PWD/pulse")"
      trap "bash '\(pulse)' stop '$PWD/pulse'" EXIT
      \(script)
      """, in: folder)
  }
}

/// Tests the command while its sound server hangs.
extension PulseEndToEndTests {
  private var pause: String { "bash '\(ALSASetup.support("pulse.sh"))' pause \"$PWD/pulse\"" }
  private var proceed: String { "bash '\(ALSASetup.support("pulse.sh"))' continue \"$PWD/pulse\"" }

  @Test func `Ctrl-C ends a playback while the sound server hangs`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 long.wav synth 60 sine 440
      syrinx play --device pulse long.wav & playing=$!
      sleep 2
      \(pause)
      kill -INT $playing
      status=0; wait $playing || status=$?
      \(proceed)
      echo $status
      """)
    #expect(run.outputLines.last == "130", "\(run.error)")
  }

  @Test func `Ctrl-C completes a recording while the sound server hangs`()
    async throws
  {
    let run = try await withServer(
      """
      syrinx record --device pulse --rate 48000 --channels 1 recorded.wav & recording=$!
      until [ -s recorded.wav ]; do sleep 0.05; done
      # The monitor of an idle sink delivers two seconds at a time.
      sleep 5
      \(pause)
      kill -INT $recording
      status=0; wait $recording || status=$?
      \(proceed)
      echo $status
      """)
    #expect(run.outputLines.last == "0", "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("recorded.wav"))
    #expect(try #require(reader.announcedFrameCount) > 4_800)
  }

  @Test func `a playback survives a sound server that hangs for half a second`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 sound.wav synth 3 sine 440
      syrinx play --device pulse sound.wav & playing=$!
      sleep 1
      \(pause); sleep 0.5; \(proceed)
      wait $playing
      """)
    #expect(run.status == 0, "\(run.error)")
  }
}

/// Tests the command with `--wait` while its sound server is restarted.
extension PulseEndToEndTests {
  private var pulse: String { "bash '\(ALSASetup.support("pulse.sh"))'" }

  @Test(.timeLimit(.minutes(5)))
  func `a playback survives a restart of its sound server`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 sound.wav synth 4 sine 440
      syrinx play --wait 60 --json --device pulse sound.wav >events & playing=$!
      sleep 1.5
      \(pulse) kill "$PWD/pulse"; sleep 1; \(pulse) start "$PWD/pulse" >/dev/null
      wait $playing
      grep -c '"event":"device' events
      tail -n 1 events
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    #expect(run.outputLines.first == "2")
    #expect(run.outputLines.last?.contains("\"played\":4,") == true, "\(run.output)")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording survives a restart of its sound server and still gets its full length`()
    async throws
  {
    let run = try await withServer(
      """
      syrinx record --wait 60 --device pulse --rate 48000 --channels 1 --seconds 8 recorded.wav &
      recording=$!
      until [ -s recorded.wav ]; do sleep 0.05; done
      sleep 1
      \(pulse) kill "$PWD/pulse"; sleep 1; \(pulse) start "$PWD/pulse" >/dev/null
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("recorded.wav"))
    #expect(reader.announcedFrameCount == FrameCount(384_000))
  }

  @Test(.timeLimit(.minutes(5)))
  func `a playback resumes when a hanging sound server responds again`() async throws {
    let run = try await withServer(
      """
      sox -n -r 48000 -c 2 sound.wav synth 3 sine 440
      syrinx play --wait 60 --json --device pulse sound.wav >events & playing=$!
      until grep -q progress events; do sleep 0.05; done
      \(pulse) pause "$PWD/pulse"; sleep 9; \(pulse) continue "$PWD/pulse"
      wait $playing
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a recording resumes when a hanging sound server responds again`() async throws {
    let run = try await withServer(
      """
      syrinx record --wait 60 --device pulse --rate 48000 --channels 1 --seconds 14 recorded.wav &
      recording=$!
      until [ -s recorded.wav ]; do sleep 0.05; done
      sleep 2
      \(pulse) pause "$PWD/pulse"; sleep 9; \(pulse) continue "$PWD/pulse"
      wait $recording
      """)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("the device is back"), "\(run.error)")
    let reader = try SoundFileReader(url: folder.file("recorded.wav"))
    #expect(reader.announcedFrameCount == FrameCount(672_000))
  }

  @Test func `'doctor' measures the latency between a sink and its monitor`() async throws {
    let run = try await withServer("syrinx doctor --loopback --json")
    #expect(run.status == 0, "\(run.error)")
    let line = try #require(run.outputLines.first { $0.contains(#""check":"latency""#) })
    let latency = try #require(line.firstMatch(of: /"detail":"([0-9.]+) ms from/)?.1)
    #expect(try #require(Double(latency)) > 0, "\(line)")
  }
}
