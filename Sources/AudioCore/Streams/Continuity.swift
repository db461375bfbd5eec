/// Tells whether a buffer goes on where the one before it ended, in the same format.
package struct Continuity: Sendable {
  /// How a buffer lies to the one before it.
  package enum Step: Equatable, Sendable {
    /// It is the first one.
    case first
    /// It goes on without a gap.
    case goesOn
    /// So many frames are missing before it.
    case gap(FrameCount)
    /// It lies before the end of the last one, or has another format.
    case restart

    /// Whether what was held of the last buffer cannot be joined to this one.
    package var isBreak: Bool {
      switch self {
      case .first, .goesOn: false
      case .gap, .restart: true
      }
    }
  }

  private var last: (format: AudioFormat, end: FrameCount)?

  /// Nothing has been seen.
  package init() {}

  /// Notes the next buffer and says how it lies to the one before it.
  package mutating func note(_ buffer: AudioBuffer) -> Step {
    defer { last = (buffer.format, buffer.endFrame) }
    guard let last else { return .first }
    guard last.format == buffer.format, buffer.firstFrame >= last.end else { return .restart }
    return buffer.firstFrame == last.end ? .goesOn : .gap(buffer.firstFrame - last.end)
  }
}
