import AudioCore
import AudioPlayerClient
import Resampling

/// Converts buffers of any formats, one after the other, to one format without a gap, and knows
/// which of its frames come from where.
struct FeederConverter {
  let target: AudioFormat
  private var resampler: JoiningResampler?
  /// The frame that the current resampler began with, and what it has given.
  private var origin = 0
  private var given = 0

  init(to target: AudioFormat) {
    self.target = target
  }

  /// The frame of the target that the next buffer begins with.
  var nextFrame: Int { origin + (resampler?.length ?? 0) }

  /// The frame of the target that is given next.
  var outputFrame: Int { origin + given }

  /// The samples that a buffer gives in the target format, with what was held back before it.
  mutating func convert(_ buffer: AudioBuffer) throws -> [Float] {
    do {
      var samples: [Float] = []
      if resampler?.inputFormat != buffer.format {
        // What cannot be converted leaves what was held back where it is.
        let next = try JoiningResampler(from: buffer.format, to: target)
        samples = try finish()
        resampler = next
      }
      let converted = try resampler?.process(buffer) ?? []
      given += converted.count / target.channelCount
      return samples.isEmpty ? converted : samples + converted
    } catch {
      throw AudioPlayerError.source(nil, reason: "\(error)")
    }
  }

  /// What was held back; `nextFrame` is exact then.
  mutating func finish() throws -> [Float] {
    do {
      let rest = try resampler?.finish() ?? []
      restart(at: origin + given + rest.count / target.channelCount)
      return rest
    } catch {
      throw AudioPlayerError.source(nil, reason: "\(error)")
    }
  }

  /// Forgets all audio; another stream begins at a frame.
  mutating func restart(at frame: Int) {
    (resampler, origin, given) = (nil, frame, 0)
  }
}
