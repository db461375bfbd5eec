import AudioCore
import ClientDependencies
import SoundCard

/// Waits for a capture device that is lost, for the members with these numbers.
typealias CaptureWatch = ReturnWatch<Int, any CapturePCM>

/// How a device that was lost is opened again, as it was opened first.
struct CaptureReopening: Sendable {
  let request: PCMRequest
  let soundCard: SoundCard
  let clock: any Clock<Duration>
  /// Those of whoever opened it first.
  var dependencies = withEscapedDependencies { $0 }

  /// Waits for the device, for those who join.
  func watch(tell: @escaping @Sendable () -> Void) -> CaptureWatch {
    var request = request
    request.openingLimit = nil
    return CaptureWatch(
      .init(
        open: { [soundCard, request, dependencies] in
          try await dependencies.yield { try await soundCard.openCapture(request: request) }
        },
        close: { $0.close() }, changes: soundCard.deviceChanges),
      clock: clock, tell: tell)
  }
}
