import AudioCore
import Synchronization

/// The control thread's work for a lost device.
extension DeviceRuntime {
  /// Handles the loss of the device, after the audio thread has stopped using `server`.
  ///
  /// If a port waits for the device, the device is reopened.
  func lose(_ error: any Error, at time: Duration?) {
    state.withLock { ($0.device, $0.audioThread) = (nil, nil) }
    link.commandHold?.end()
    // Events from before the loss are reported first.
    passOnEvents()
    server.lose(at: time)
    guard let reopening, let error = error as? SoundCardError, error.isLoss,
      ports.contains(where: { $0.onDeviceLoss != .fail })
    else { return end(.failure(error)) }
    reopen(reopening, after: error)
  }

  private func reopen(_ reopening: DeviceOpening<Server>, after error: SoundCardError) {
    // A reopener ends when the last waiting port has left it, so this loss may need a new reopener.
    let last = state.withLock { state in
      state.reopener?.isOver == true ? state.reopener.take() : nil
    }
    last?.end()
    let new: DeviceReopener<Server.Device>? = state.withLock { state in
      if let reopener = state.reopener {
        reopener.lose()
        return nil
      }
      let new = reopening.reopen(configuration.format, after: error) { [link] in
        link.wakeControl()
      }
      state.reopener = new
      return new
    }
    guard let new else { return }
    serveWithoutDevice()
    new.start()
  }

  /// While the device is lost: performs commands, informs the ports, ends the ports that do not
  /// wait, and starts an audio thread once the device is open.
  func serveWithoutDevice() {
    guard let reopener = state.withLock({ $0.reopener }), reopener.isDeviceLost else { return }
    guard server.serveInSilence() else { return end(.success(())) }
    passOnEvents()
    let members = state.withLock { $0.ports }
    for (place, member) in members { inform(member.port, member.serial, in: place, of: reopener) }
    let expired = Set(reopener.popExpired())
    for (place, member) in members where expired.contains(member.serial) {
      end(place, reopener.error)
    }
    if let device = reopener.popDevice() { return adopt(device, from: reopener) }
    if reopener.isOver { giveUp(reopener, reopener.error) }
  }

  private func inform(
    _ port: Port, _ serial: Int, in place: Int, of reopener: DeviceReopener<Server.Device>
  ) {
    if port.isStopping { return end(place, reopener.error) }
    guard !reopener.contains(serial) else { return }
    guard case .wait(let limit) = port.onDeviceLoss else { return end(place, reopener.error) }
    reopener.join(serial, atMost: limit)
    port.deviceLost()
  }

  private func adopt(_ device: Server.Device, from reopener: DeviceReopener<Server.Device>) {
    // Ports whose commands arrived during the loss must be served before the device's thread
    // starts.
    guard server.serveInSilence() else {
      device.close()
      return end(.success(()))
    }
    do {
      try server.begin(on: device, after: reopener.gap)
      try drive(device)
      reopener.adopted()
    } catch {
      device.close()
      giveUp(reopener, error)
    }
  }

  /// Records that a returned device moves frames.
  func endLoss() {
    guard let reopener = state.withLock({ $0.reopener.take() }) else { return }
    reopener.end()
    for member in state.withLock({ Array($0.ports.values) })
    where reopener.contains(member.serial) {
      member.port.deviceReturned(after: reopener.gap)
    }
  }

  private func giveUp(_ reopener: DeviceReopener<Server.Device>, _ error: any Error) {
    state.withLock { $0.reopener = nil }
    reopener.end()
    end(.failure(error))
  }
}
