import AudioCore
package import AudioThreads
import Synchronization

/// Lets another thread than the device's own notice that the device hangs.
package final class DeviceMonitor: Sendable {
  /// What the device's thread does.
  package let heartbeat = Heartbeat()
  private let device: AudioDevice.ID
  // Held for the exchange of a reference; the device's thread takes it where another device takes
  // the place of one that is closed.
  private let current: Mutex<WakeUp>

  init(_ pcm: any PCM) {
    device = pcm.configuration.device
    current = Mutex(pcm.waker)
  }

  /// What wakes the device that is open.
  package var waker: WakeUp {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Gives the device's thread up.
  package func abandon() { heartbeat.abandon() }

  /// Waits for a signal for a moment, and looks at the device where none comes.
  ///
  /// - Returns: what is wrong, where the device hangs: its thread has been abandoned then.
  package func wait(for news: WakeUp, _ watch: inout HeartbeatWatch) -> SoundCardError? {
    let error = look(for: news, &watch)
    if error != nil { abandon() }
    return error
  }

  /// The same, and leaves it to the caller whether to give the device's thread up.
  package func look(for news: WakeUp, _ watch: inout HeartbeatWatch) -> SoundCardError? {
    let before = SuspendingClock.now
    news.wait(atMost: HeartbeatWatch.interval)
    switch watch.look(heartbeat.beat, after: before.duration(to: .now)) {
    case .fine: return nil
    case .suspicious:
      waker.signal()
      return nil
    case .stuck(let call): return .notAnswering(device, operation: call.name)
    }
  }
}

extension DeviceMonitor {
  /// Makes a call that can be seen.
  func call<Value: ~Copyable, Failure: Error>(
    _ call: Heartbeat.Call, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    heartbeat.begin(call)
    defer { heartbeat.end() }
    return try body()
  }

  /// Throws where the thread has been abandoned: its call has returned after all.
  func check() throws(SoundCardError) {
    if heartbeat.isAbandoned { throw .deviceLost(device) }
  }
}
