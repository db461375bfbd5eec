import AudioCore

/// The audio that the scout has looked at and the recogniser has not heard.
struct LookAheadQueue {
  /// What the recogniser is to do.
  enum Next {
    case take(AudioBuffer)
    case wait
    case end
    case fail(any Error)
  }

  /// How far ahead is looked.
  struct Reach {
    /// How many utterances may wait that have been found.
    var utterances: Int
    /// How much audio may wait.
    var audio: Duration
  }

  var reach: Reach

  private var buffers: [AudioBuffer] = []
  private var length = Duration.zero
  private var foundCount = 0
  private var heardCount = 0
  private var ending: Result<Void, any Error>?
  private(set) var isAbandoned = false

  init(reach: Reach) {
    self.reach = reach
  }

  /// Whether the scout should go on, or will find that it is over.
  var hasRoom: Bool {
    buffers.isEmpty || ending != nil
      || (foundCount - heardCount < reach.utterances && length < reach.audio)
  }

  /// Takes a buffer, up to whose end so many utterances have been found in all.
  mutating func add(_ buffer: AudioBuffer, foundCount: Int) {
    buffers.append(buffer)
    length += buffer.duration
    self.foundCount = foundCount
  }

  /// The recogniser has the words of so many utterances.
  mutating func heard(_ count: Int) {
    heardCount = count
  }

  /// The audio has ended, with an error or without.
  mutating func end(_ result: Result<Void, any Error>) {
    ending = ending ?? result
  }

  /// Drops what waits, and what will come.
  mutating func abandon() {
    (buffers, length, isAbandoned) = ([], .zero, true)
    end(.success(()))
  }

  mutating func next() -> Next {
    guard buffers.isEmpty else {
      let buffer = buffers.removeFirst()
      length -= buffer.duration
      return .take(buffer)
    }
    switch ending {
    case nil: return .wait
    case .success: return .end
    case .failure(let error):
      ending = .success(())
      return .fail(error)
    }
  }
}
