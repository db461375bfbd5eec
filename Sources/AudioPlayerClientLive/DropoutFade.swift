/// Takes the click out of the holes that a late source leaves: what is there fades out before a
/// hole and in after it.
///
/// Where too little is left to fade, the last frame is held while it fades.
struct DropoutFade: Equatable {
  /// The gains of one block's frames.
  struct Gains: Equatable {
    let length: Int
    let rises: Bool
    let falls: Bool
    /// How many frames of the block are heard, those held included.
    let end: Int

    subscript(frame: Int) -> Float {
      let rising = rises ? frame + 1 : length
      let falling = falls ? end - 1 - frame : length
      return Float(min(rising, falling, length)) / Float(length)
    }
  }

  private let length: Int
  private var isSilent = false

  /// - Parameter length: the frames of a fade, which is no longer than a block all the same.
  init(length: Int) {
    self.length = length
  }

  /// The gains of a block for which the source gave so many frames, nil where they stay as they
  /// are.
  mutating func gains(_ frames: Int, of block: Int, isLate: Bool) -> Gains? {
    guard isSilent || isLate else { return nil }
    let length = max(1, min(length, block))
    let end = isLate && !isSilent ? max(frames, length) : frames
    defer { isSilent = isLate || (isSilent && frames == 0) }
    return Gains(length: length, rises: isSilent, falls: isLate, end: end)
  }
}
