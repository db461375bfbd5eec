import AudioThreads
import AudioCore
import SoundCard

/// A capture device that tells when it has been closed.
final class WatchedCapture: CapturePCM {
  private let pcm: any CapturePCM
  private let closed: @Sendable () -> Void

  init(_ pcm: any CapturePCM, _ closed: Gate) {
    self.pcm = pcm
    self.closed = { closed.open() }
  }

  /// - Parameter closed: is called after every `close`.
  init(_ pcm: any CapturePCM, closed: @escaping @Sendable () -> Void) {
    self.pcm = pcm
    self.closed = closed
  }

  var configuration: PCMConfiguration { pcm.configuration }
  var waker: WakeUp { pcm.waker }
  var elapsed: Duration { pcm.elapsed }

  func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try pcm.wait(for: interest, atMost: timeout)
  }

  func start() throws(SoundCardError) { try pcm.start() }

  func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError) -> PCMTransfer {
    try pcm.read(into: samples)
  }

  func drop() throws(SoundCardError) { try pcm.drop() }

  func close() {
    pcm.close()
    closed()
  }
}
