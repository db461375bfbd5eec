import AudioThreads
import CALSA
import Glibc
import SoundCard

/// The descriptors that the audio thread sleeps on, preallocated: the waker's and the device's.
struct PollSet: ~Copyable {
  /// The event that ended a sleep.
  enum Event {
    case waker
    /// Events as the device reports them (`POLLIN`, `POLLOUT`, `POLLERR`); raw descriptor events
    /// have no meaning.
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
    let filled = max(0, Int(snd_pcm_poll_descriptors(pcm, device, UInt32(deviceCount))))
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
