import AudioCore
import AudioThreads
import CALSA
import Glibc
import SoundCard
import Synchronization

/// The owner of an open ALSA PCM.
struct PCMHandle: ~Copyable {
  let pcm: OpaquePointer

  /// Protects process-wide state of alsa-lib and its plug-ins.
  private static let queue = OpeningQueue(limit: .seconds(1))

  /// Opens a device without waiting for it to become free; blocks while a sound server is slow.
  ///
  /// - Parameter convertsFormats: whether ALSA's `plug` may offer formats that the card lacks.
  init(
    opening id: AudioDevice.ID, for direction: AudioDevice.Direction, convertsFormats: Bool
  ) throws(SoundCardError) {
    var pcm: OpaquePointer?
    let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    let mode = SND_PCM_NONBLOCK | (convertsFormats ? 0 : SND_PCM_NO_AUTO_FORMAT)
    let code: Int32
    do {
      code = try Self.queue.run { snd_pcm_open(&pcm, id.rawValue, stream, mode) }
    } catch {
      throw .failed(id, operation: "eventfd", code: error.code, reason: "\(error)")
    }
    guard code >= 0, let pcm else { throw .opening(id, for: direction, code: code) }
    self.pcm = pcm
  }

  deinit { snd_pcm_close(pcm) }
}

/// Serializes opening: "opening is not re-entrant in some plug-ins".
///
/// An opening that hangs delays only the next opening, and at most by the limit.
final class OpeningQueue: Sendable {
  private let limit: Duration
  // The lock is held by opening threads to exchange a reference, never by an audio thread.
  private let last = Mutex<WakeUp?>(nil)

  init(limit: Duration) {
    self.limit = limit
  }

  /// Runs `body` after the previous opening, or after the limit.
  func run<Value>(_ body: () -> Value) throws(WakeUpError) -> Value {
    let ended = try WakeUp()
    let previous = last.withLock { last in
      defer { last = ended }
      return last
    }
    previous?.wait(atMost: limit)
    defer { ended.signal() }
    return body()
  }
}

/// The descriptors that the audio thread sleeps on, preallocated: the waker's and the device's.
struct PollSet: ~Copyable {
  /// The event that ended a sleep.
  enum Event {
    case waker
    /// The device's events (`POLLIN`, `POLLOUT`, `POLLERR`), which may differ from the events of
    /// its descriptors.
    case device(Int32)
    case timeOut
    case failure(Int32)
  }

  // Owned and freed by this value; only the device's thread uses it.
  private let entries: UnsafeMutablePointer<pollfd>
  private let deviceCount: Int
  private let waker: WakeUp

  init(pcm: OpaquePointer, waker: WakeUp) {
    self.waker = waker
    deviceCount = max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
    entries = .allocate(capacity: deviceCount + 1)
    entries.initialize(repeating: pollfd(), count: deviceCount + 1)
  }

  deinit { entries.deallocate() }

  /// Sleeps until an event; with `.nothing`, the device's readiness is ignored.
  func sleep(_ pcm: OpaquePointer, for interest: PCMInterest, milliseconds: Int32) -> Event {
    let device = entries + 1
    let filled = min(
      deviceCount, max(0, Int(snd_pcm_poll_descriptors(pcm, device, UInt32(deviceCount)))))
    if interest == .nothing {
      for index in 0..<filled { device[index].events = 0 }
    }
    entries[0] = pollfd(fd: waker.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(entries, nfds_t(filled + 1), milliseconds)
    if ready == 0 { return .timeOut }
    if ready < 0 { return errno == EINTR ? .waker : .failure(-errno) }
    if entries[0].revents != 0 { return .waker }
    var events: UInt16 = 0
    let code = snd_pcm_poll_descriptors_revents(pcm, device, UInt32(filled), &events)
    return code < 0 ? .failure(code) : .device(Int32(events))
  }
}
