import AudioCore

/// Where the gain of each bus is on one engine, block by block; the card's thread only.
///
/// Its places are taken once. A bus has one from the first block that a voice of it sounds in until
/// a block in which none does and its gain stands still; a bus without a place is at its target.
final class BusGains {
  private struct Place {
    /// Retained; the player keeps its buses for longer, so that letting one go frees nothing.
    let bus: Unmanaged<BusVolume>
    /// What the ramp set out for.
    var setting: BusVolume.Setting
    var ramp: GainRamp
    var isInUse: Bool
  }

  /// Twice as many as there are voices: their buses, and as many whose gain still moves.
  private static let limit = 2 * VoiceTable.limit

  private let places: UnsafeMutableBufferPointer<Place>
  private let rate: SampleRate
  private(set) var count = 0

  init(rate: SampleRate) {
    self.rate = rate
    places = .allocate(capacity: Self.limit)
  }

  deinit {
    removeAll()
    places.deallocate()
  }

  /// Begins the block after one of so many frames: the gains set out for what was set meanwhile.
  func begin(after frames: Int) {
    var index = count
    while index > 0 {
      index -= 1
      places[index].ramp.skip(frames)
      guard places[index].isInUse || !places[index].ramp.isSteady else {
        remove(at: index)
        continue
      }
      places[index].isInUse = false
      let setting = places[index].bus.takeUnretainedValue().setting
      guard setting != places[index].setting else { continue }
      places[index].setting = setting
      places[index].ramp.move(to: setting.gain, in: FrameCount(setting.ramp, at: rate).rawValue)
    }
  }

  /// The gains of this block's frames for a voice of the bus.
  func ramp(of bus: BusVolume) -> GainRamp {
    for index in 0..<count where places[index].bus.takeUnretainedValue() === bus {
      places[index].isInUse = true
      return places[index].ramp
    }
    let setting = bus.setting
    let ramp = GainRamp(setting.gain)
    if count < Self.limit {
      (places.baseAddress.unsafelyUnwrapped + count).initialize(
        to: Place(bus: .passRetained(bus), setting: setting, ramp: ramp, isInUse: true))
      count += 1
    }
    return ramp
  }

  /// Nothing sounds any more: every bus is at its target.
  func removeAll() {
    for index in 0..<count { places[index].bus.release() }
    count = 0
  }

  private func remove(at index: Int) {
    count -= 1
    places[index].bus.release()
    places[index] = places[count]
  }
}
