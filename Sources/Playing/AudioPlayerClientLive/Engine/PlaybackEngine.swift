import AudioCore
import AudioPlayerClient
import AudioThreads
import SoundCard
import Synchronization

/// One open device and the voices that it mixes.
final class PlaybackEngine: Sendable {
  let configuration: PCMConfiguration
  private let link: PlaybackLink
  private let reporter: PlaybackReporter
  private let reporterThread: DedicatedThread
  // Whether `quit` has been sent. The ring of commands takes one writer: held for one write, by
  // control threads only.
  private let writing = Mutex(false)

  /// - Parameters:
  ///   - reopening: how a lost device is opened again; nil if it is not.
  ///   - lockstep: the lockstep of a virtual card.
  init(
    pcm: any PlaybackPCM, volume: MasterVolume, reopening: DeviceReopening? = nil,
    lockstep: Lockstep? = nil
  ) throws {
    let link = try PlaybackLink(volume: volume, lockstep: lockstep)
    let reporter = PlaybackReporter(PlaybackThread(pcm: pcm, link: link), reopening: reopening)
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

  /// Whether the device has failed and plays nothing anymore.
  var hasFailed: Bool { reporter.hasFailed }

  /// Whether the device is lost and may return.
  var isAway: Bool { reporter.isAway }

  /// Reserves a place for the voice that is added next; throws `tooManyVoices` if all are taken.
  func reserve() throws(AudioPlayerError) {
    guard reporter.reserve() else { throw .tooManyVoices(limit: VoiceTable.limit) }
  }

  /// Mixes a voice, in its reserved place; false if the device has failed.
  func add(_ voice: Voice) -> Bool {
    guard reporter.admit(voice) else { return false }
    writing.withLock { _ in _ = link.commands.tryWrite(.add(.passRetained(voice))) }
    wake()
    return true
  }

  /// Notes that a voice has more audio; wakes the audio thread if it waits for that.
  func sourceAdvanced() {
    if link.sourceRequest.take() { wake() }
  }

  /// Wakes the audio thread: there is a command, a voice has ended, or its parameters have changed.
  func wake() {
    reporter.wake()
  }

  /// Ends the threads and closes the device; returns when that is done.
  ///
  /// A device that is lost or hangs is not waited for: its thread closes it when its call returns.
  func close() async {
    quit()
    await reporterThread.join()
    await reporter.audioThread?.join()
  }

  private func quit() {
    reporter.expectEnd()
    writing.withLock { isOver in
      if !isOver { isOver = link.commands.tryWrite(.quit) }
    }
    wake()
  }
}
