import AudioCore
import AudioPlayerClient
import AudioThreads
import Synchronization

/// The parameters of a voice that commands set: whether it sounds, how loud, and which samples.
struct VoiceParameters: Equatable {
  var isPaused = false
  var isStopping = false
  /// The number of requests to discard the samples in the ring.
  var flushCount = 0
  /// The duration of a fade to silence or back.
  var fade = VoiceParameters.shortestFade
  var gain: Float
  /// The time to reach the gain.
  var ramp = Duration.zero

  /// Long enough that a stop does not click.
  static let shortestFade = Duration.milliseconds(10)
}

/// Passes parameters from control threads to the audio thread, which reads without waiting.
final class SharedVoiceParameters: Sendable {
  /// Parameters and their serial number.
  typealias Reading = (parameters: VoiceParameters, serial: Int)

  // Held for a few instructions by writers only.
  private let written: Mutex<VoiceParameters>
  /// Twice the serial number of the fields' content; odd while they are written.
  private let version = Atomic<Int>(0)
  private let flags = Atomic<UInt8>(0)
  private let flushCount = Atomic<Int>(0)
  private let fade = Atomic<Int64>(0)
  private let gain = Atomic<UInt32>(0)
  private let ramp = Atomic<Int64>(0)

  init(gain: Float) {
    let parameters = VoiceParameters(gain: clampedGain(gain, atMost: PlaybackRequest.loudest))
    written = Mutex(parameters)
    publish(parameters)
  }

  /// Changes the parameters and returns their serial number; later ones are higher.
  @discardableResult
  func update(_ change: (inout VoiceParameters) -> Void) -> Int {
    written.withLock { parameters in
      change(&parameters)
      let serial = version.load(ordering: .relaxed) / 2 + 1
      version.store(serial * 2 - 1, ordering: .relaxed)
      // A reader that sees a new field must also see the odd version before it.
      atomicMemoryFence(ordering: .releasing)
      publish(parameters)
      version.store(serial * 2, ordering: .releasing)
      return serial
    }
  }

  /// The current parameters; not for the audio thread, because it takes the lock.
  var current: Reading {
    written.withLock { ($0, version.load(ordering: .relaxed) / 2) }
  }

  /// The current parameters; nil if their serial number is `serial` or they are being written.
  func read(after serial: Int) -> Reading? {
    let before = version.load(ordering: .acquiring)
    guard before.isMultiple(of: 2), before / 2 != serial else { return nil }
    let parameters = fields
    // The fields must be read before the version is read again.
    atomicMemoryFence(ordering: .acquiring)
    guard version.load(ordering: .relaxed) == before else { return nil }
    return (parameters, before / 2)
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

/// The callers of `control` that wait until their command is in effect.
final class CommandWaiters: Sendable {
  private struct State {
    var settled = 0
    var isOver = false
    var waiting: [(serial: Int, answer: Promise<Void>)] = []
  }

  private let id: PlaybackID
  // Held for a few instructions; waiting callers continue after it is released.
  private let state = Mutex(State())

  init(_ id: PlaybackID) {
    self.id = id
  }

  /// Returns when the parameters with this serial number, or later ones, are in effect.
  ///
  /// Throws `unknownPlayback` if the playback ends first.
  func waitUntilSettled(_ serial: Int) async throws {
    let answer = Promise<Void>()
    let known = state.withLock { state -> Result<Void, any Error>? in
      if state.settled >= serial { return .success(()) }
      if state.isOver { return .failure(AudioPlayerError.unknownPlayback(id)) }
      state.waiting.append((serial, answer))
      return nil
    }
    if let known { return try known.get() }
    try await answer.value()
  }

  /// Records that the parameters up to this serial number are in effect, and resumes their waiters.
  func settle(_ serial: Int) {
    let settled = state.withLock { state in
      state.settled = max(state.settled, serial)
      let settled = state.waiting.filter { $0.serial <= state.settled }
      state.waiting.removeAll { $0.serial <= state.settled }
      return settled
    }
    for waiter in settled { waiter.answer.resolve(.success(())) }
  }

  /// Records that the playback has ended, and fails all waiters.
  func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting {
      waiter.answer.resolve(.failure(AudioPlayerError.unknownPlayback(id)))
    }
  }
}
