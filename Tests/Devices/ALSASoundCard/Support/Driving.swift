import AudioCore
import AudioThreads
import SoundCard
import Testing

@testable import ALSASoundCard

/// The calls and results of a device's thread.
struct TransferLog: Sendable {
  var frames: [Float] = []
  var interruptions: [PCMInterruption] = []
  var error: SoundCardError?
  var hasEnded = false
}

extension PlaybackPCM {
  /// Writes all samples as the device accepts them, at most a period at a time; stops at the first
  /// error.
  func play(_ samples: [Float]) async -> TransferLog {
    await onCardThread { self.writeAll(samples) }
  }

  private func writeAll(_ samples: [Float]) -> TransferLog {
    var account = TransferLog()
    var position = 0
    let step = configuration.period.rawValue * configuration.format.channelCount
    do throws(SoundCardError) {
      while position < samples.count {
        switch try wait(for: .period, atMost: .seconds(5)) {
        case .ready: break
        case .woken: continue
        case .timedOut, .ended: return account
        case .interrupted(let interruption):
          account.interruptions.append(interruption)
          continue
        }
        switch try offer(samples[position..<min(position + step, samples.count)]) {
        case .frames(let count): position += count.rawValue * configuration.format.channelCount
        case .interrupted(let interruption): account.interruptions.append(interruption)
        }
      }
    } catch {
      account.error = error
    }
    return account
  }

  /// Writes the samples in one call.
  func offer(_ samples: ArraySlice<Float>) throws(SoundCardError) -> PCMTransfer {
    let result = samples.withUnsafeBufferPointer { samples in
      Result { () throws(SoundCardError) in try write(samples) }
    }
    return try result.get()
  }
}

extension CapturePCM {
  /// Reads until there are `count` frames, the end, or the first error.
  func record(_ count: Int) async -> TransferLog {
    await onCardThread { self.readAll(count) }
  }

  private func readAll(_ count: Int) -> TransferLog {
    var account = TransferLog()
    let channels = configuration.format.channelCount
    var block = [Float](repeating: 0, count: configuration.buffer.rawValue * channels)
    do throws(SoundCardError) {
      try start()
      while account.frames.count < count * channels {
        switch try wait(for: .period, atMost: .seconds(5)) {
        case .ready: break
        case .woken: continue
        case .timedOut: return account
        case .ended:
          account.hasEnded = true
          return account
        case .interrupted(let interruption):
          account.interruptions.append(interruption)
          continue
        }
        let result = block.withUnsafeMutableBufferPointer { block in
          Result { () throws(SoundCardError) in try read(into: block) }
        }
        switch try result.get() {
        case .frames(let read): account.frames += block.prefix(read.rawValue * channels)
        case .interrupted(let interruption): account.interruptions.append(interruption)
        }
      }
    } catch {
      account.error = error
    }
    return account
  }
}

/// Drives a device on a new thread, because a blocking wait must not block the cooperative pool.
private func onCardThread(_ body: @escaping @Sendable () -> TransferLog) async -> TransferLog {
  await withCheckedContinuation { continuation in
    do {
      _ = try DedicatedThread.start(name: "card") { continuation.resume(returning: body()) }
    } catch {
      Issue.record(error)
      continuation.resume(returning: TransferLog())
    }
  }
}

/// Returns a request for a test device.
///
/// By default, the device's buffer holds a second, so that a busy machine causes no additional
/// xrun.
func request(
  _ device: String, _ rate: SampleRate = 48_000, channels: Int = 1,
  period: Duration = .milliseconds(10), count: Int = 100
) -> PCMRequest {
  PCMRequest(
    device: AudioDevice.ID(rawValue: device),
    format: AudioFormat(sampleRate: rate, channelCount: channels),
    buffering: PCMBuffering(period: period, periodCount: count))
}

/// Returns the name of the test card with a script.
func testCard(_ script: String) -> String { "syrinxtest:SCRIPT='\(script)'" }

/// Returns `count` samples of a 16-bit ramp.
func ramp(_ count: Int, from start: Int = 0) -> [Float] {
  (start..<(start + count)).map { Float($0 % 32_768) / 32_768 }
}
