/// Neighbouring frames of a buffer that are all silent, or sound.
struct SilenceRun: Equatable {
  var isSilent: Bool
  var range: Range<FrameCount>
}

extension AudioBuffer {
  /// The buffer's frames in runs of silent ones and sound; silence between two sounds that is
  /// shorter than `joined`, as where a wave crosses zero, is part of them.
  func silenceRuns(below threshold: Float, joinedUnder joined: FrameCount) -> [SilenceRun] {
    var runs: [SilenceRun] = []
    for frame in 0..<frameCount.rawValue {
      let isSilent = isSilent(frame, below: threshold)
      if let last = runs.last, last.isSilent == isSilent {
        runs[runs.count - 1].range = last.range.lowerBound..<FrameCount(frame + 1)
      } else {
        runs.append(FrameCount(frame), isSilent: isSilent, joinedUnder: joined)
      }
    }
    return runs
  }

  private func isSilent(_ frame: Int, below threshold: Float) -> Bool {
    let first = frame * format.channelCount
    for index in first..<first + format.channelCount where abs(samples[index]) >= threshold {
      return false
    }
    return true
  }
}

extension [SilenceRun] {
  /// Begins a run, or goes on with the one before the last where what lies between is short.
  fileprivate mutating func append(
    _ frame: FrameCount, isSilent: Bool, joinedUnder joined: FrameCount
  ) {
    var first = frame
    if !isSilent, count > 1, let pause = last, frame - pause.range.lowerBound < joined {
      removeLast()
      first = removeLast().range.lowerBound
    }
    append(SilenceRun(isSilent: isSilent, range: first..<frame + 1))
  }
}
