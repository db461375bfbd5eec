import AudioCore
import SpeechClient

/// The audio between a task's source and its recognizer: the only store for the backlog of a live
/// source.
///
/// A live source always has room, at the cost of the oldest audio; any other source waits.
struct IntakeQueue: PipeQueue {
  /// The next audio to recognize.
  struct Item: Equatable {
    /// The events for audio lost right before the buffer, by the source or by this queue, in order.
    var losses: [SpeechRecognitionEvent] = []
    var buffer: AudioBuffer
    /// Whether the recognizer lags behind a live source.
    var isLate = false
  }

  /// The maximum duration of audio that is accepted from a source after `finish`; queued audio is
  /// always recognized.
  static let longestRest = Duration.seconds(20)
  /// The shortest limit for the backlog of a live source.
  static let leastLimit = Duration.milliseconds(500)
  /// The shortest backlog that is reported as a lag.
  static let leastLag = Duration.seconds(1)
  /// The backlog below which a reported lag is over.
  static let endOfLag = Duration.milliseconds(500)
  /// The minimum change of a lag that is reported again.
  static let lagStep = Duration.seconds(1)
  /// The shortest gap to report.
  ///
  /// Shorter gaps are added up until their total can be reported, except where the format changes:
  /// there, they are rounding errors.
  static let leastGap = Duration.milliseconds(1)

  private let limit: Duration?
  private var buffers: [AudioBuffer] = []
  private var waiting = Duration.zero
  /// The audio dropped since the last item.
  private var dropped: Range<Duration>?
  /// The last reported lag; zero if that lag is over.
  private var reportedLag = Duration.zero
  /// The expected first frame of the next buffer, at the rate of `format`.
  private var expected: (format: AudioFormat, frame: FrameCount)?
  /// The end of the newest buffer that the recognizer got or that was dropped.
  private var end: Duration?
  /// The total duration of gaps that were each too short to report.
  private var unreported = Duration.zero
  /// The format of the newest buffer that the recognizer got or that was dropped.
  private var format: AudioFormat?
  /// The duration of the audio received since `finish`.
  private var rest: Duration?
  private var failure: (any Error)?
  private let reportLag: @Sendable (Duration) -> Void
  private(set) var isClosed = false
  private(set) var isAbandoned = false

  /// Creates a queue.
  ///
  /// For a live source, `reportLag` is called with each backlog that must be reported. The pipe is
  /// locked during the call, so the reports are in order.
  init(
    _ backPressure: SpeechRequest.BackPressure,
    reportLag: @escaping @Sendable (Duration) -> Void = { _ in }
  ) {
    self.reportLag = reportLag
    switch backPressure {
    case .wait: limit = nil
    case .buffer(let limit): self.limit = max(limit, Self.leastLimit)
    }
  }

  /// Whether to read more from the source.
  var hasRoom: Bool { isClosed || limit != nil || buffers.isEmpty }

  /// Whether a source that can wait is ahead of the recognizer.
  var holdsBack: Bool { limit == nil && !buffers.isEmpty }

  /// Adds the next buffer of the source; a closed queue ignores it.
  mutating func add(_ buffer: AudioBuffer) {
    guard !isClosed else { return }
    let buffer = placed(buffer)
    buffers.append(buffer)
    waiting += buffer.duration
    if let rest { return takeRest(rest + max(buffer.duration, .milliseconds(1))) }
    guard let limit, waiting > limit else { return }
    for oldest in buffers.removeOldest(beyond: limit, by: \.duration) { note(dropped: oldest) }
  }

  /// Records the duration of the audio received since `finish`, and closes the queue at
  /// `longestRest`.
  ///
  /// An empty buffer counts as a millisecond, so that endless empty buffers close the queue, too.
  /// Queued audio is not dropped, because it is the end of the source's audio.
  private mutating func takeRest(_ length: Duration) {
    rest = length
    if length >= Self.longestRest { isClosed = true }
  }

  /// Returns the next audio; an error of the source is returned after all its audio.
  mutating func next(for _: Int) -> PipeStep<Item, any Error> {
    guard !buffers.isEmpty else { return isClosed ? .end(failure.take()) : .wait }
    let buffer = buffers.removeFirst()
    waiting -= buffer.duration
    let losses = [
      dropped.take().map { SpeechRecognitionEvent.dropped($0, reason: .engineTooSlow) },
      gap(before: buffer).map { .dropped($0, reason: .gap) },
    ].compactMap(\.self)
    let isLate = limit != nil && waiting >= Self.endOfLag
    return .element(Item(losses: losses, buffer: buffer, isLate: isLate))
  }

  /// Reports a lag even while the recognizer reads no audio, because the engine may be stuck.
  mutating func settle() {
    guard limit != nil, let lag = newLag else { return }
    reportedLag = lag
    reportLag(lag)
  }

  /// The lag to report now: zero if a reported lag is over; nil if the lag has hardly changed.
  private var newLag: Duration? {
    guard reportedLag > .zero else { return waiting >= Self.leastLag ? waiting : nil }
    if waiting < Self.endOfLag { return .zero }
    return max(waiting - reportedLag, reportedLag - waiting) >= Self.lagStep ? waiting : nil
  }

  /// Begins to count the audio that the source still delivers; after `longestRest` of it, the queue
  /// closes.
  mutating func finish() {
    rest = rest ?? .zero
  }

  /// Records that the source has ended, with or without an error, or is no longer read.
  mutating func close(_ failure: (any Error)? = nil) {
    if !isClosed { self.failure = failure }
    isClosed = true
  }

  /// Drops the queued audio.
  mutating func abandon(by _: Int) {
    self = IntakeQueue(.wait)
    (isClosed, isAbandoned) = (true, true)
  }

  private mutating func note(dropped oldest: AudioBuffer) {
    waiting -= oldest.duration
    let rate = oldest.format.sampleRate
    let end = oldest.endFrame.duration(at: rate)
    let first = oldest.firstFrame.duration(at: rate)
    // A gap directly before the dropped buffer becomes part of the dropped range.
    let begin = dropped?.lowerBound ?? min(self.end ?? first, first)
    dropped = begin..<max(begin, end)
    self.end = dropped?.upperBound
    format = oldest.format
    buffers[0].silencedSampleCount += oldest.silencedSampleCount
  }

  /// Returns the gap before a buffer; nil if it is too short to report.
  ///
  /// Earlier gaps that were too short to report are added to the beginning of the range.
  private mutating func gap(before buffer: AudioBuffer) -> Range<Duration>? {
    let rate = buffer.format.sampleRate
    let begin = buffer.firstFrame.duration(at: rate)
    defer { (end, format) = (buffer.endFrame.duration(at: rate), buffer.format) }
    guard let end, begin > end else { return nil }
    if format == buffer.format || begin - end >= Self.leastGap { unreported += begin - end }
    guard unreported >= Self.leastGap else { return nil }
    defer { unreported = .zero }
    return max(.zero, begin - unreported)..<begin
  }

  /// Returns the buffer with its final offset in the stream, which does not depend on whether
  /// earlier buffers are dropped.
  private mutating func placed(_ buffer: AudioBuffer) -> AudioBuffer {
    var buffer = buffer
    if let expected, expected.format == buffer.format {
      buffer.firstFrame = max(expected.frame, buffer.firstFrame)
    }
    expected = (buffer.format, buffer.endFrame)
    return buffer
  }
}
