public import Syrinx

/// A feature that listens to a room, counts how often it becomes loud, and adds up the lost audio.
///
/// It uses one client and no hardware.
@MainActor
public final class RoomMonitor {
  /// The state of the microphone.
  public enum Microphone: Equatable, Sendable {
    case closed
    case open
    case lost
  }

  /// The number of times that the room became loud.
  public private(set) var alarms = 0

  /// The duration of the audio that was lost, for example because the machine was busy.
  public private(set) var lostTime = Duration.zero

  /// The state of the microphone.
  public private(set) var microphone = Microphone.closed

  @Dependency(\.audioRecorder) private var recorder
  private let threshold: Decibels
  private var isLoud = false

  /// Creates a monitor that counts sound above `threshold` as loud.
  public init(threshold: Decibels = Decibels(-30)) {
    self.threshold = threshold
  }

  /// Listens until the task is canceled or the microphone is lost.
  public func listen() async throws {
    microphone = .open
    do {
      let request = CaptureRequest(droppingOldestAfter: .seconds(10))
      for try await captured in await recorder.capture(request: request) { measure(captured) }
      microphone = .closed
    } catch AudioRecorderError.deviceLost {
      microphone = .lost
    }
  }

  private func measure(_ captured: CapturedAudio) {
    if let gap = captured.gap {
      lostTime += gap.lost.duration(at: captured.buffer.format.sampleRate)
    }
    let wasLoud = isLoud
    isLoud = captured.buffer.level.rms > threshold
    if isLoud, !wasLoud { alarms += 1 }
  }
}
