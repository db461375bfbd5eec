/// The voices of an engine as its reporter knows them, and the places that they take.
struct VoiceRegistry {
  private var known: [ObjectIdentifier: Voice] = [:]
  /// The voices that have been reported as ended while the audio thread still has them: they keep
  /// their places, and its events may refer to them.
  private var leaving: [ObjectIdentifier: Voice] = [:]
  /// The places reserved for voices that are not admitted yet.
  private var reserved = 0

  var isEmpty: Bool { known.isEmpty }
  var voices: [Voice] { Array(known.values) }

  /// The voice with this identity; nil if it has been reported as ended.
  func voice(_ id: ObjectIdentifier) -> Voice? { known[id] }

  /// Reserves a place for the voice to be admitted next; false if all are taken.
  mutating func reserve() -> Bool {
    guard known.count + leaving.count + reserved < VoiceTable.limit else { return false }
    reserved += 1
    return true
  }

  /// Frees the reserved place of a voice that is not admitted.
  mutating func cancelReservation() {
    reserved -= 1
  }

  /// Admits a voice to its reserved place.
  mutating func admit(_ voice: Voice) {
    reserved -= 1
    known[ObjectIdentifier(voice)] = voice
  }

  /// The audio thread has released a voice; false if its end has been reported.
  mutating func remove(_ voice: Voice) -> Bool {
    leaving[ObjectIdentifier(voice)] = nil
    return known.removeValue(forKey: ObjectIdentifier(voice)) != nil
  }

  /// The voice ends before the audio thread releases it; false if its end has been reported.
  mutating func retire(_ voice: Voice) -> Bool {
    guard let voice = known.removeValue(forKey: ObjectIdentifier(voice)) else { return false }
    leaving[ObjectIdentifier(voice)] = voice
    return true
  }

  /// Removes all voices; returns them, to be released outside of a lock.
  mutating func removeAll() -> (known: [Voice], leaving: [Voice]) {
    defer { (known, leaving) = ([:], [:]) }
    return (Array(known.values), Array(leaving.values))
  }
}
