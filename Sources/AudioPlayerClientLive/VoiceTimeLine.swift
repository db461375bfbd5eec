import AudioCore
import AudioPlayerClient

/// What happens at a frame of a voice, told when it has been heard up to there.
enum VoiceNote: Equatable {
  case looped(count: Int)
  case advanced
  case paused
  case resumed
  case sought
  case shortfall(item: Int, announced: Duration?, decoded: Duration)
  case nonFinite(sampleCount: Int)
  case failed(item: Int, AudioPlayerError)

  /// Whether it tells of the voice's samples, not of what was done with them.
  fileprivate var belongsToSamples: Bool { self != .paused && self != .resumed }

  /// Whether it tells that an item begins that may be the one before it, once more.
  fileprivate var isRepetition: Bool {
    switch self {
    case .looped, .advanced: true
    default: false
    }
  }
}

/// A place in an item's source.
struct ItemPlace: Equatable {
  var item: Int
  var frame: FrameCount
  /// The source's own rate.
  var rate: SampleRate
  /// How long the source says that it lasts.
  var length: Duration?
  /// The round of the queue that it is played in.
  var round = 0
}

/// Which frame of which source a voice's frames are.
///
/// Its memory is bounded by what the voice holds: what has been heard is forgotten, and
/// repetitions and rounds that are shorter than a twentieth of a second are not all noted.
struct VoiceTimeLine {
  private struct Segment {
    let start: Int
    let place: ItemPlace
    /// The frames after which it repeats itself, where it is not noted when it does.
    var turn: Int?
    /// Where the last of the rounds began that are not noted, and which it was.
    var lastRound: (frame: Int, number: Int)?

    /// Which round is heard when so much has been.
    func round(_ heard: Int) -> Int {
      guard let lastRound else { return place.round }
      let rounds = lastRound.number - place.round
      let passed = rounds * (heard - start) / (lastRound.frame - start)
      return place.round + min(max(0, passed), rounds)
    }
  }

  private let rate: SampleRate
  private var segments: [Segment] = []
  /// Whether the last segment was cut off.
  private var isCut = false
  private var notes: [(frame: Int, note: VoiceNote, place: PlaybackProgress?)] = []

  /// - Parameter rate: the rate of the voice's frames.
  init(rate: SampleRate) {
    self.rate = rate
  }

  /// From the voice's frame on it is what lies at `place`; frames never go back but after `cut`.
  mutating func begin(_ place: ItemPlace, at frame: Int, _ note: VoiceNote? = nil) {
    if let note, repeats(place, at: frame, note) { return }
    isCut = false
    segments.append(Segment(start: frame, place: place))
    if let note { self.note(note, at: frame) }
  }

  /// Whether it is one of the short repetitions that are not noted.
  private mutating func repeats(_ place: ItemPlace, at frame: Int, _ note: VoiceNote) -> Bool {
    guard note.isRepetition, !isCut, let last = segments.last, last.place.item == place.item,
      frame - last.start < rate.hertz / 20
    else { return false }
    let index = segments.count - 1
    segments[index].turn = max(1, last.turn ?? (frame - last.start))
    if frame > last.start, place.round != last.lastRound?.number ?? last.place.round {
      segments[index].lastRound = (frame, place.round)
    }
    return true
  }

  /// Something is to be told when the voice has been heard up to a frame.
  mutating func note(_ note: VoiceNote, at frame: Int) {
    let index = notes.firstIndex { $0.frame > frame } ?? notes.endIndex
    notes.insert((frame, note, nil), at: index)
  }

  /// What was to follow from a frame on does not; a pause there was in what came before.
  mutating func cut(at frame: Int) {
    for index in notes.indices where notes[index].frame >= frame && notes[index].place == nil {
      notes[index].place = progress(notes[index].frame)
    }
    isCut = true
    segments.removeAll { $0.start >= frame }
    notes.removeAll { $0.frame >= frame && $0.note.belongsToSamples }
  }

  /// The voice ends at a frame: what was reckoned to lie behind it lies there.
  mutating func end(at frame: Int) {
    notes = notes.map { (min($0.frame, frame), $0.note, $0.place) }
  }

  /// Where the voice is when so much of it has been heard.
  func progress(_ heard: Int) -> PlaybackProgress {
    let duration = FrameCount(heard).duration(at: rate)
    guard let segment = segment(heard) else { return PlaybackProgress(heard: duration) }
    var frames = max(0, heard - segment.start)
    if let turn = segment.turn { frames %= turn }
    let place = segment.place
    let position = place.frame + FrameCount(frames).converted(from: rate, to: place.rate)
    return PlaybackProgress(
      heard: duration, item: place.item, position: position,
      time: position.duration(at: place.rate), length: place.length)
  }

  /// Which item of which round is heard when so much has been.
  func place(_ heard: Int) -> QueuePlace {
    segment(heard).map { QueuePlace(item: $0.place.item, round: $0.round(heard)) } ?? QueuePlace()
  }

  private func segment(_ heard: Int) -> Segment? {
    segments.last { $0.start <= heard } ?? segments.first
  }

  /// What is to be told now that so much has been heard, each with where that was.
  mutating func pass(_ heard: Int) -> [(note: VoiceNote, progress: PlaybackProgress)] {
    let count = notes.prefix { $0.frame <= heard }.count
    let passed = notes[..<count].map { ($0.note, $0.place ?? progress($0.frame)) }
    notes.removeFirst(count)
    let current = segments.lastIndex { $0.start <= heard } ?? 0
    segments.removeFirst(current)
    return passed
  }
}
