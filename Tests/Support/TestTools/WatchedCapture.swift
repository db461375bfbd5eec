package import AudioCore
package import AudioThreads
package import SoundCard

/// A capture device that reports when it is closed.
package final class WatchedCapture: CapturePCM {
  private let pcm: any CapturePCM
  private let closed: @Sendable () -> Void

  package init(_ pcm: any CapturePCM, _ closed: Gate) {
    self.pcm = pcm
    self.closed = { closed.open() }
  }

  /// Watches a capture device.
  ///
  /// - Parameters:
  ///   - pcm: the device.
  ///   - closed: called after every `close`.
  package init(_ pcm: any CapturePCM, closed: @escaping @Sendable () -> Void) {
    self.pcm = pcm
    self.closed = closed
  }

  package var configuration: PCMConfiguration { pcm.configuration }
  package var waker: WakeUp { pcm.waker }
  package var elapsed: Duration { pcm.elapsed }

  package func wait(
    for interest: PCMInterest, atMost timeout: Duration?
  ) throws(SoundCardError) -> PCMWakeUp {
    try pcm.wait(for: interest, atMost: timeout)
  }

  package func start() throws(SoundCardError) { try pcm.start() }

  package func read(into samples: UnsafeMutableBufferPointer<Float>) throws(SoundCardError)
    -> PCMTransfer
  {
    try pcm.read(into: samples)
  }

  package func drop() throws(SoundCardError) { try pcm.drop() }

  package func close() {
    pcm.close()
    closed()
  }
}
