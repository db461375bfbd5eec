/// The voices that the card's thread mixes: a fixed number of places, taken once.
///
/// A voice that is added has been retained for the table; the reference leaves it with `remove`.
final class VoiceTable {
  /// How many sounds one device mixes.
  static let limit = 64

  private let places: UnsafeMutableBufferPointer<Unmanaged<Voice>>
  private(set) var count = 0

  init() {
    places = .allocate(capacity: Self.limit)
  }

  deinit {
    removeAll()
    places.deallocate()
  }

  /// The voice in a place; it stays alive as long as it is in the table.
  subscript(index: Int) -> Voice { places[index].takeUnretainedValue() }

  func add(_ voice: Unmanaged<Voice>) {
    precondition(count < Self.limit, "the engine admits \(Self.limit) voices only")
    (places.baseAddress.unsafelyUnwrapped + count).initialize(to: voice)
    count += 1
  }

  /// Takes a voice out of the table; the caller owns its reference now.
  func remove(at index: Int) -> Unmanaged<Voice> {
    count -= 1
    let removed = places[index]
    places[index] = places[count]
    return removed
  }

  /// Lets go of all voices.
  func removeAll() {
    for index in 0..<count { places[index].release() }
    count = 0
  }
}
