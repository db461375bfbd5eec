import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// One open device and the voices that it mixes.
final class PlaybackEngine: Sendable {
  let configuration: PCMConfiguration
  private let link: CardLink
  private let reporter: Reporter
  private let reporterThread: DedicatedThread
  // Whether the end has been said. The ring of commands takes one writer: held for one write, by
  // the control side only.
  private let writing = Mutex(false)

  /// - Parameter reopening: how the device is opened again where it is lost; nil where it is not.
  init(
    pcm: any PlaybackPCM, volume: MasterVolume, reopening: DeviceReopening? = nil
  ) throws {
    let link = try CardLink(volume: volume)
    let reporter = Reporter(mixer: CardThread(pcm: pcm, link: link), reopening: reopening)
    self.link = link
    self.reporter = reporter
    configuration = pcm.configuration
    reporterThread = try .start(name: "syrinx-report") { reporter.run() }
    do {
      try reporter.drive(pcm)
    } catch {
      reporter.end(.success(()))
      throw error
    }
  }

  deinit {
    quit()
  }

  /// Keeps a place for the voice that is added next.
  ///
  /// Throws `tooManyVoices` where it mixes as many as it can.
  func reserve() throws(AudioPlayerError) {
    do throws(TooManyVoices) {
      try reporter.reserve()
    } catch {
      throw .tooManyVoices(limit: error.limit)
    }
  }

  /// Mixes a voice from now on, in the place that was kept; false where the device has failed.
  func add(_ voice: Voice) -> Bool {
    guard reporter.admit(voice) else { return false }
    writing.withLock { _ in _ = link.commands.tryWrite(.add(.passRetained(voice))) }
    wake()
    return true
  }

  /// Whether the device is lost: nothing more will be played on it.
  var hasFailed: Bool { reporter.hasFailed }

  /// Whether the device is lost and waited for.
  var isAway: Bool { reporter.isAway }

  /// Notes that a voice has more to mix; it wakes the card's thread where that waits for it.
  func sourceAdvanced() {
    if link.sourceWish.take() { wake() }
  }

  /// Wakes the card's thread: there is a command for it, a voice has ended, or is to stop.
  func wake() {
    reporter.wake()
  }

  /// Ends the threads and gives the device back; returns when that is done.
  ///
  /// A device that is lost or hangs is not waited for: its thread closes it when its call returns,
  /// and holds what it needs for that until then.
  func close() async {
    quit()
    await reporterThread.join()
    await reporter.cardThread?.join()
  }

  private func quit() {
    reporter.expectEnd()
    writing.withLock { isOver in
      if !isOver { isOver = link.commands.tryWrite(.quit) }
    }
    wake()
  }
}

/// The device mixes as many voices as it can.
struct TooManyVoices: Error {
  let limit: Int
}
