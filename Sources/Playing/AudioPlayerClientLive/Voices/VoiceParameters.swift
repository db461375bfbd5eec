import AudioCore
import AudioPlayerClient
import AudioThreads
import Synchronization

/// The parameters that commands set for a voice.
struct VoiceParameters: Equatable {
  var isPaused = false
  var isStopping = false
  /// The number of flush requests so far; each request discards the samples in the ring.
  var flushCount = 0
  /// The duration of a fade to silence or back.
  var fade = VoiceParameters.shortestFade
  var gain: Float
  /// The time to reach the gain.
  var ramp = Duration.zero

  /// The shortest fade, just long enough that a stop does not click.
  static let shortestFade = Duration.milliseconds(10)
}

/// Passes parameters from control threads to the audio thread, which reads without waiting; callers
/// can wait until their changes are in effect.
final class SharedVoiceParameters: Sendable {
  /// Parameters and their serial number.
  typealias Reading = (parameters: VoiceParameters, serial: Int)

  private let id: PlaybackID
  // The lock is held for a few instructions by control threads only; callers continue after its
  // release.
  private let shared:
    Mutex<
      (
        parameters: VoiceParameters, settled: Int, isOver: Bool,
        waiting: [(serial: Int, answer: Promise<Void>)]
      )
    >
  /// Twice the serial number of the parameters in the fields; odd while the fields are written.
  private let version = Atomic<Int>(0)
  private let flags = Atomic<UInt8>(0)
  private let flushCount = Atomic<Int>(0)
  private let fade = Atomic<Int64>(0)
  private let gain = Atomic<UInt32>(0)
  private let ramp = Atomic<Int64>(0)

  /// Creates the parameters of the playback `id`.
  ///
  /// Callers that still wait when the playback ends get an error that names `id`.
  init(_ id: PlaybackID, gain: Float) {
    self.id = id
    let parameters = VoiceParameters(gain: clampedGain(gain, atMost: PlaybackRequest.loudest))
    shared = Mutex((parameters, 0, false, []))
    publish(parameters)
  }

  /// Changes the parameters and returns their serial number, which rises with each call.
  @discardableResult
  func update(_ change: (inout VoiceParameters) -> Void) -> Int {
    shared.withLock { shared in
      change(&shared.parameters)
      let serial = version.load(ordering: .relaxed) / 2 + 1
      version.store(serial * 2 - 1, ordering: .relaxed)
      // A reader that sees a new field must also see the odd version before it.
      atomicMemoryFence(ordering: .releasing)
      publish(shared.parameters)
      version.store(serial * 2, ordering: .releasing)
      return serial
    }
  }

  /// The current parameters; not for the audio thread, because it takes the lock.
  var current: Reading {
    shared.withLock { ($0.parameters, version.load(ordering: .relaxed) / 2) }
  }

  /// Returns the current parameters; nil if their serial number is `serial` or they are being
  /// written.
  func read(after serial: Int) -> Reading? {
    let before = version.load(ordering: .acquiring)
    guard before.isMultiple(of: 2), before / 2 != serial else { return nil }
    let parameters = fields
    // The fields must be read before the version is read again.
    atomicMemoryFence(ordering: .acquiring)
    guard version.load(ordering: .relaxed) == before else { return nil }
    return (parameters, before / 2)
  }

  /// Returns when the parameters with this serial number, or later parameters, are in effect.
  ///
  /// Throws `unknownPlayback` if the playback ends first.
  func waitUntilSettled(_ serial: Int) async throws {
    let answer = Promise<Void>()
    shared.withLock { shared in
      if shared.settled >= serial {
        answer.resolve(.success(()))
      } else if shared.isOver {
        answer.resolve(.failure(AudioPlayerError.unknownPlayback(id)))
      } else {
        shared.waiting.append((serial, answer))
      }
    }
    try await answer.value()
  }

  /// Records that the parameters up to this serial number are in effect, and resumes their waiters.
  func settle(_ serial: Int) {
    let settled = shared.withLock { shared in
      shared.settled = max(shared.settled, serial)
      let settled = shared.waiting.filter { $0.serial <= shared.settled }
      shared.waiting.removeAll { $0.serial <= shared.settled }
      return settled
    }
    for waiter in settled { waiter.answer.resolve(.success(())) }
  }

  /// Records that the playback has ended, and fails all waiters.
  func end() {
    let waiting = shared.withLock { shared in
      shared.isOver = true
      defer { shared.waiting = [] }
      return shared.waiting
    }
    for waiter in waiting {
      waiter.answer.resolve(.failure(AudioPlayerError.unknownPlayback(id)))
    }
  }

  private func publish(_ parameters: VoiceParameters) {
    flags.store(
      (parameters.isPaused ? 1 : 0) | (parameters.isStopping ? 2 : 0), ordering: .relaxed)
    flushCount.store(parameters.flushCount, ordering: .relaxed)
    fade.store(parameters.fade.inNanoseconds, ordering: .relaxed)
    gain.store(parameters.gain.bitPattern, ordering: .relaxed)
    ramp.store(parameters.ramp.inNanoseconds, ordering: .relaxed)
  }

  private var fields: VoiceParameters {
    let flags = flags.load(ordering: .relaxed)
    return VoiceParameters(
      isPaused: flags & 1 != 0, isStopping: flags & 2 != 0,
      flushCount: flushCount.load(ordering: .relaxed),
      fade: .nanoseconds(fade.load(ordering: .relaxed)),
      gain: Float(bitPattern: gain.load(ordering: .relaxed)),
      ramp: .nanoseconds(ramp.load(ordering: .relaxed)))
  }
}
