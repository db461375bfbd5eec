/// Buffers that wait, in order; frames are taken from the oldest, which is cut where needed.
package struct HeldBuffers: Sendable {
  package private(set) var frameCount: FrameCount = 0
  private var buffers: [AudioBuffer] = []
  /// The frames of the oldest buffer that are taken already.
  private var taken: FrameCount = 0

  package init() {}

  package mutating func append(_ buffer: AudioBuffer) {
    guard !buffer.isEmpty else { return }
    frameCount += buffer.frameCount
    buffers.append(buffer)
  }

  /// Takes the oldest frames, at most all there are; none where `count` is not above 0.
  package mutating func take(_ count: FrameCount) -> [AudioBuffer] {
    var rest = min(count, frameCount)
    var output: [AudioBuffer] = []
    var finished = 0
    while rest > 0 {
      let buffer = buffers[finished]
      let end = min(taken + rest, buffer.frameCount)
      output.append(end - taken == buffer.frameCount ? buffer : buffer.frames(taken..<end))
      frameCount -= end - taken
      rest -= end - taken
      taken = end == buffer.frameCount ? 0 : end
      finished += taken == 0 ? 1 : 0
    }
    buffers.removeFirst(finished)
    return output
  }

  package mutating func takeAll() -> [AudioBuffer] { take(frameCount) }
}
