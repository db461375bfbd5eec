import AudioCore
import AudioThreads

extension CardThread {
  /// The voices that have not been mixed to their end.
  var soundingCount: Int {
    var count = 0
    for index in 0..<voices.count where voices[index].position.endsAt == nil { count += 1 }
    return count
  }

  /// Keeps the block within ±1 and tells of it in time: a voice that ends in this block hears of it
  /// before its end.
  func limit(isEnding: Bool) {
    limiting.note(block.limit(&limiter), at: position.written)
    guard let gain = limiting.due(at: position.written, isEnding: isEnding),
      link.events.tryWrite(.limited(gain: gain))
    else { return }
    limiting.tell()
  }
}
