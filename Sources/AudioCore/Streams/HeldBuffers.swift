/// Buffers that wait, in order; frames are taken from the oldest, which is cut where needed.
struct HeldBuffers {
  private(set) var frameCount: FrameCount = 0
  private var buffers: [AudioBuffer] = []

  mutating func append(_ buffer: AudioBuffer) {
    guard !buffer.isEmpty else { return }
    frameCount += buffer.frameCount
    buffers.append(buffer)
  }

  /// Takes the oldest frames, at most all there are; none where `count` is not above 0.
  mutating func take(_ count: FrameCount) -> [AudioBuffer] {
    var rest = min(count, frameCount)
    guard rest > 0 else { return [] }
    frameCount -= rest
    let whole = buffers.prefix { buffer in
      guard buffer.frameCount <= rest else { return false }
      rest -= buffer.frameCount
      return true
    }
    var taken = Array(whole)
    buffers.removeFirst(taken.count)
    if rest > 0 {
      taken.append(buffers[0].frames(0..<rest))
      buffers[0] = buffers[0].frames(rest..<buffers[0].frameCount)
    }
    return taken
  }

  mutating func takeAll() -> [AudioBuffer] { take(frameCount) }
}
