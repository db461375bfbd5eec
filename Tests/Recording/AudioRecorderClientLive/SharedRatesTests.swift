import AudioCore
import AudioRecorderClient
import AudioRecorderClientLive
import AudioThreads
import ClientDependencies
import Foundation
import SoundCard
import Synchronization
import TestTools
import Testing
import VirtualSoundCard

/// Several users of one microphone with different rates and channels.
@Suite(.timeLimit(.minutes(5))) final class SharedRatesTests: Sendable {
  private let folder = RecordingFolder()
  private let clock = TestClock()
  private let openings = Mutex<[AudioFormat]>([])
  private let full = SoundFileEncoding.wavFloat

  @Test(arguments: [false, true])
  func `a recording and a recognizer each get their own format, whichever opens the device first`(
    recordingIsFirst: Bool
  ) async throws {
    let request = RecordingRequest(
      url: folder.url("wav"), encoding: full, sampleRate: 48_000, channelCount: 2)
    let (captured, events) = try await withMicrophone { recorder in
      var ear: CaptureReader?
      if !recordingIsFirst { ear = await self.ear(on: recorder, .speech, 1) }
      let recording = await log(recorder.recording(request: request))
      await recording.begun.wait()
      let second = ear
      let listener = if let second { second } else { await self.ear(on: recorder, .speech, 1) }
      await pass(until: listener.isDone, recording.isDone)
      await recorder.stopRecording()
      return (try await listener.stop(), try await recording.task.value)
    }
    #expect(openings.withLock { $0 } == [TwoTones.format])
    #expect(events.start?.deviceFormat == TwoTones.format)
    #expect(events.start?.exceedsDevice == false)
    let recorded = try folder.read(#require(request.file))
    #expect(recorded.format == TwoTones.format && recorded.duration >= .seconds(1))
    let isBitExact = TwoTones.isCaptured(in: recorded.samples)
    #expect(isBitExact)
    #expect(captured.first?.buffer.format == .speech && captured.isOneTimeline)
    let tone = Tone(
      of: 1_000, in: captured.stretches[0].samples[4_000..<12_000], from: 4_000, at: .speech)
    #expect(abs(tone.amplitude - Double(TwoTones.amplitude)) < 0.001)
    #expect(tone.rest < 0.001)
  }

  @Test func `a lone capture in the device's own format is not converted`() async throws {
    let captured = try await withMicrophone { recorder in
      let ear = await self.ear(on: recorder, 48_000, 2)
      await pass(until: ear.isDone)
      return try await ear.stop()
    }
    let isBitExact = TwoTones.isCaptured(in: captured.flatMap(\.buffer.samples))
    #expect(isBitExact)
  }

  @Test func `a recording reports that its format exceeds the format of the open device`()
    async throws
  {
    let first = RecordingRequest(
      url: folder.url("wav"), encoding: full, sampleRate: .speech, channelCount: 1)
    let second = RecordingRequest(
      url: folder.url("wav"), encoding: full, sampleRate: 48_000, channelCount: 2)
    let (low, high, captured) = try await withMicrophone { recorder in
      let low = await log(recorder.recording(request: first))
      await low.begun.wait()
      let high = await log(recorder.recording(request: second))
      await high.begun.wait()
      let ear = await self.ear(on: recorder, 48_000, 2)
      await pass(until: ear.isDone, low.isDone, high.isDone)
      await recorder.stopRecording()
      return (try await low.task.value, try await high.task.value, try await ear.stop())
    }
    #expect(openings.withLock { $0 } == [.speech])
    #expect(low.start?.exceedsDevice == false)
    #expect(high.start?.deviceFormat == .speech && high.start?.fileFormat == TwoTones.format)
    #expect(high.start?.exceedsDevice == true)
    #expect(captured.first?.device?.format == .speech)
    #expect(captured.first?.buffer.format == TwoTones.format)
    #expect(try folder.read(#require(second.file)).format == TwoTones.format)
  }

  @Test func `each user counts lost frames at its own sample rate`() async throws {
    // At rates other than the device's, these numbers of frames are not whole, so the losses are
    // rounded.
    let faults = (1...400).map { VirtualFault.xrun(at: FrameCount(48_007 * $0), lost: 4_801) }
    let rates: [SampleRate] = [16_000, 48_000, 44_100, 22_050]
    let captured = try await withMicrophone(faults) { recorder in
      var ears: [CaptureReader] = []
      for rate in rates {
        ears.append(
          await self.ear(on: recorder, rate, 1) { captured in
            captured.count { $0.gap != nil } > 3
          })
        await clock.sleepers(atLeast: 1)
      }
      for ear in ears { await pass(until: ear.isDone) }
      var captured: [[CapturedAudio]] = []
      for ear in ears { captured.append(try await ear.stop()) }
      return captured
    }
    #expect(openings.withLock { $0 } == [TwoTones.format])
    for (rate, blocks) in zip(rates, captured) {
      #expect(blocks.isOneTimeline)
      let lost = FrameCount(4_801).converted(from: 48_000, to: rate)
      let gaps = blocks.compactMap(\.gap?.lost)
      #expect(gaps.allSatisfy { abs($0.rawValue - lost.rawValue) <= 1 }, "\(rate): \(gaps)")
      let phases = blocks.stretches.filter { $0.samples.count > rate.hertz / 2 }.map { stretch in
        let (skipped, length) = (rate.hertz / 10, rate.hertz / 5)
        return Tone(
          of: 1_000, in: stretch.samples[skipped..<(skipped + length)],
          from: stretch.first + skipped, at: rate
        ).phase
      }
      #expect(phases.count > 1)
      for (phase, next) in zip(phases, phases.dropFirst()) {
        let turn = (next - phase + 1.5).truncatingRemainder(dividingBy: 1) - 0.5
        // The phase error is at most half a frame before a gap plus half a frame after the gap.
        #expect(abs(turn) <= 1_000 / Double(rate.hertz) + 0.001, "\(rate): \(turn)")
      }
    }
  }

  /// The events of a recording.
  private struct RecordingLog {
    let begun = Gate()
    /// Opens when the recording is a second long.
    let isDone = Gate()
    var task = Task<[RecordingEvent], any Error> { [] }
  }

  private func log(
    _ events: AsyncThrowingStream<RecordingEvent, any Error>
  ) -> RecordingLog {
    var log = RecordingLog()
    let (begun, isDone) = (log.begun, log.isDone)
    log.task = Task {
      defer { [begun, isDone].forEach { $0.open() } }
      var all: [RecordingEvent] = []
      for try await event in events {
        all.append(event)
        begun.open()
        if case .levels(let levels) = event, levels.recorded >= .seconds(1) { isDone.open() }
      }
      return all
    }
    return log
  }

  /// Returns a reader that reads a second of audio, or reads until `isEnough` returns true.
  private func ear(
    on recorder: AudioRecorderClient, _ rate: SampleRate, _ channels: Int,
    isEnough: (@Sendable ([CapturedAudio]) -> Bool)? = nil
  ) async -> CaptureReader {
    let request = CaptureRequest(
      sampleRate: rate, channelCount: channels, droppingOldestAfter: .seconds(3_600))
    let second = FrameCount(.seconds(1), at: rate)
    let ear = CaptureReader(
      await recorder.capture(request: request), isEnough: isEnough ?? { $0.endFrame >= second })
    await clock.sleepers(atLeast: 1)
    return ear
  }

  /// Advances the device's clock until all gates are open.
  private func pass(until gates: Gate...) async {
    await clock.pass { for gate in gates { await gate.wait() } }
  }

  private func withMicrophone<Value: Sendable>(
    _ faults: [VirtualFault] = [], _ body: (AudioRecorderClient) async throws -> Value
  ) async throws -> Value {
    let card = VirtualSoundCard(
      pace: .lockstep(clock), microphone: TwoTones.microphone, faults: faults)
    var soundCard = card.soundCard
    soundCard.openCapture = { [self] request in
      let pcm = try await card.soundCard.openCapture(request: request)
      openings.withLock { $0.append(pcm.configuration.format) }
      return pcm
    }
    return try await withDependencies {
      $0.soundCard = soundCard
    } operation: {
      try await body(AudioRecorderClient.liveValue)
    }
  }
}

extension [RecordingEvent] {
  fileprivate var start: RecordingStart? {
    lazy.compactMap { if case .started(let start) = $0 { start } else { nil } }.first
  }
}
