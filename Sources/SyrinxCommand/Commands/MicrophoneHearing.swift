import AudioCore
import AudioRecorderClient
import Synchronization
import Logging

/// What a microphone gives to a recogniser, and how much of it was lost on the way.
final class MicrophoneHearing: Sendable {
  private let context: CommandContext
  // Held to add, by whoever iterates the buffers, and to read at the end.
  private let lost = Mutex(Duration.zero)

  init(context: CommandContext) {
    self.context = context
  }

  /// The buffers of a capture; a gap shows in their `firstFrame`.
  func buffers(
    of blocks: AsyncThrowingStream<CapturedAudio, any Error>
  ) -> some AsyncSequence<AudioBuffer, any Error> & Sendable {
    blocks.map { block in
      self.note(block)
      return block.buffer
    }
  }

  /// Says how much was lost, where anything was.
  func reportLoss() async {
    let lost = self.lost.withLock { $0 }
    guard lost > .zero else { return }
    await context.console.report(
      "\(lost.secondsText) of sound were lost; is this machine too slow or busy?")
  }

  private func note(_ block: CapturedAudio) {
    let format = block.buffer.format
    if block.buffer.firstFrame == 0 { context.log.info("listening: \(format)") }
    guard let gap = block.gap else { return }
    let length = gap.lost.duration(at: format.sampleRate)
    lost.withLock { $0 += length }
    context.log.warning("\(length.secondsText) lost")
  }
}
