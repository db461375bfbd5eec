public import AudioCore
import ClientDependencies
public import FoundationEssentials

/// Plays sound: files, buffers and streams, several at a time.
///
/// Everything that plays on a device is mixed in it and kept within full scale. The live value
/// keeps a device open for a while after its last sound; see `DependencyValues.playbackIdleTime`.
public struct AudioPlayerClient: Sendable {
  /// Plays a file once and returns when its last frame has been heard.
  ///
  /// Cancelling the task fades the sound out and throws `CancellationError`. Throws
  /// `AudioPlayerError`.
  public var play: @Sendable (_ url: URL) async throws -> Void = {
    [origin = IssueOrigin.current] _ in
    throw reportUnimplemented("AudioPlayerClient.play", from: origin)
  }

  /// Plays a file again and again without a gap, until the task is cancelled or `stop` is called.
  public var loop: @Sendable (_ url: URL) async throws -> Void = {
    [origin = IssueOrigin.current] _ in
    throw reportUnimplemented("AudioPlayerClient.loop", from: origin)
  }

  /// Sets the volume of everything that plays, now and later: 0 is silence, 1 leaves samples as
  /// they are; other values are clamped to 0…1.
  ///
  /// It gets there in 20 ms, without a click.
  public var setVolume: @Sendable (_ volume: Float) async -> Void = {
    [origin = IssueOrigin.current] _ in
    reportUnimplemented("AudioPlayerClient.setVolume", from: origin)
  }

  /// Fades out everything that plays and returns when it is silent.
  ///
  /// A file whose disk does not answer is waited for no longer than a second; so it is where what
  /// plays it is cancelled. Its thread ends, and closes it, when the disk answers.
  public var stop: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("AudioPlayerClient.stop", from: origin)
  }

  /// The full form: plays what the request describes and tells how it goes.
  ///
  /// The stream yields `started`, then the other events as they come, and ends after `finished`.
  /// Cancelling its consumer fades the sound out. It throws `AudioPlayerError`; what an item failed
  /// with comes after all items have been heard.
  public var playback:
    @Sendable (_ request: PlaybackRequest) async -> AsyncThrowingStream<PlaybackEvent, any Error> =
      { [origin = IssueOrigin.current] _ in
        .finished(throwing: reportUnimplemented("AudioPlayerClient.playback", from: origin))
      }

  /// Tells one playback what to do; returns when that is in force at the card.
  ///
  /// A pause is in force when its fade has been handed over, a ramp when it has reached its volume,
  /// and `stop` when nothing is heard any more. Cancelling ends the wait, and the command stays.
  /// Throws `AudioPlayerError`: `.unknownPlayback` where no playback of this name sounds, but for
  /// `stop`; `.notSeekable`; or what a place that was sought could not be read for.
  public var control:
    @Sendable (_ id: PlaybackID, _ command: PlaybackCommand) async throws -> Void = {
      [origin = IssueOrigin.current] _, _ in
      throw reportUnimplemented("AudioPlayerClient.control", from: origin)
    }

  /// Sets the volume of all sounds of a bus, now and later: 0 is silence, 1 leaves samples as they
  /// are; other values are clamped to 0…1.
  ///
  /// It gets there evenly in the time of `ramp`; from one volume to another on the way it sets out
  /// from where it is. Where no sound of the bus plays, the next one begins with the new volume.
  public var setBusVolume:
    @Sendable (_ bus: PlaybackBus, _ volume: Float, _ ramp: Duration) async -> Void = {
      [origin = IssueOrigin.current] _, _, _ in
      reportUnimplemented("AudioPlayerClient.setBusVolume", from: origin)
    }

  /// Decodes a sound into memory and opens the device for it, so that a playback of
  /// `PlaybackSource.preloaded` begins with the device's next period.
  ///
  /// The device stays open as long as the sound lives. The latency holds where this call is what
  /// opens it: with `.low` the next period is at most 5 ms away and is heard 10 ms later. Throws
  /// `AudioPlayerError`, or `CancellationError`.
  public var preload:
    @Sendable (
      _ source: PlaybackSource, _ device: AudioDevice.ID?, _ latency: PlaybackLatency
    ) async throws -> PreloadedSound = { [origin = IssueOrigin.current] _, _, _ in
      throw reportUnimplemented("AudioPlayerClient.preload", from: origin)
    }

  /// The devices that can play, the default first; none where there is no sound card.
  ///
  /// No device is opened in order to list it. Throws `AudioPlayerError`.
  public var devices: @Sendable () async throws -> [AudioDevice] = {
    [origin = IssueOrigin.current] in
    throw reportUnimplemented("AudioPlayerClient.devices", from: origin)
  }

  /// A client none of whose endpoints is implemented.
  public init() {}
}
