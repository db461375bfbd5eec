import AudioCore
import SoundCard

extension SharedCapture {
  /// Captures until nobody wants more, or the device ends or is lost for good; on the calling
  /// thread.
  func capture(_ fan: HubFan) -> Result<Void, any Error> {
    let line = CaptureTimeLine(fan, format: configuration.format)
    var watch: CaptureWatch?
    defer { watch?.end() }
    while true {
      let outcome = Result { try engine.run(line) }
      engine.close()
      guard case .failure(let error as SoundCardError) = outcome, error.isLoss, let reopening,
        fan.isAnyoneWaiting
      else { return outcome }
      do {
        let isStillAway = !line.hasReturned
        let news = try line.lose(unheard: engine.timeUnheard)
        if let watch, isStillAway {
          watch.lose()
        } else {
          let next = reopening.watch { [weak self] in self?.nudge() }
          watch = next
          fan.lose(news, error, next)
          next.start()
        }
        guard let watch, try goOn(fan, line, watch) else { return outcome }
      } catch {
        return .failure(error)
      }
    }
  }

  /// Waits until the device is back, and puts it in its place; false where nobody waits any more.
  private func goOn(
    _ fan: HubFan, _ line: CaptureTimeLine, _ watch: CaptureWatch
  ) throws -> Bool {
    while true {
      fan.beginRound()
      guard fan.endRound() else { return false }
      fan.expire(watch.takeExpired())
      if let (device, away) = watch.takeDevice() {
        do {
          try line.comeBack(after: away, in: device.configuration.format)
          engine = try CaptureEngine(pcm: device)
        } catch {
          device.close()
          throw error
        }
        return true
      }
      if watch.isOver { return false }
      engine.waitForNudge()
    }
  }
}
