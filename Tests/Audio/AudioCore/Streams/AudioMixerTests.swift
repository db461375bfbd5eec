import AudioCore
import SyrinxTestSupport
import Testing

@Suite struct AudioMixerTests {
  /// Runs a mixer over the buffers of each input and returns the mix.
  private func mixed(
    _ inputs: [[AudioBuffer]], gains: [Float]? = nil, end: AudioMixer.End = .whenAllEnd
  ) throws -> [AudioBuffer] {
    var mixer = AudioMixer(gains: gains ?? inputs.map { _ in 1 }, end: end)
    var rests = inputs.map { $0[...] }
    var output: [AudioBuffer] = []
    while true {
      switch mixer.step() {
      case .end: return output
      case .give(let buffer): output.append(buffer)
      case .ask(let input):
        if let buffer = rests[input].popFirst() {
          try mixer.push(buffer, from: input)
        } else {
          mixer.end(of: input)
        }
      }
    }
  }

  @Test func `a mix adds frames of the same index for any buffer lengths`() throws {
    let output = try mixed([
      [audio([1, 1, 1]), audio([1, 1], at: 3)], [audio([1]), audio([2, 2, 2, 2], at: 1)],
    ])
    #expect(output.map(\.samples) == [[2], [3, 3], [3, 3]])
    #expect(output.map(\.firstFrame) == [0, 1, 3])
  }

  @Test func `a mix continues until its longest input ends`() throws {
    let inputs = [[audio([1])], [audio([2, 2, 2])]]
    #expect(try mixed(inputs).flatMap(\.samples) == [3, 2, 2])
  }

  @Test func `with the end rule whenAnyEnds, a mix stops at the end of the first ended input`()
    throws
  {
    let inputs = [[audio([1, 1])], [audio([2, 2, 2]), audio([2], at: 3)]]
    #expect(try mixed(inputs, end: .whenAnyEnds).flatMap(\.samples) == [3, 3])
  }

  @Test func `with the end rule whenAnyEnds, an empty input ends a mix`() throws {
    #expect(try mixed([[audio([1])], []], end: .whenAnyEnds) == [])
    #expect(try mixed([[audio([1])], []]) == [audio([1])])
    #expect(try mixed([]) == [])
  }

  @Test func `a gap of one input is silence in the mix, and a gap of all inputs is a gap`()
    throws
  {
    let output = try mixed([
      [audio([1], at: 2), audio([1], at: 5)], [audio([2, 2], at: 3), audio([2], at: 9)],
    ])
    #expect(output.flatMap(\.samples) == [1, 2, 2, 1, 2])
    #expect(output.map(\.firstFrame) == [2, 3, 5, 9])
  }

  @Test func `each input of a mix is multiplied by its gain`() throws {
    #expect(try mixed([[audio([1])], [audio([1])]], gains: [0.5, 2]) == [audio([2.5])])
  }

  @Test func `an input of another format is rejected with an error that names both formats`() {
    let other = AudioBuffer(silence: 1, format: .speech)
    let error = AudioStreamError.formatsDiffer(expected: slow, actual: .speech)
    #expect(throws: error) { try mixed([[audio([1])], [other]]) }
    #expect("\(error)".contains("10 Hz") && "\(error)".contains("16000 Hz"))
  }

  @Test func `a buffer that overlaps an earlier buffer of the same input is rejected`() {
    #expect(throws: AudioStreamError.outOfOrder(expected: 2, actual: 1)) {
      try mixed([[audio([1, 1]), audio([1], at: 1)]])
    }
  }

  @Test func `a slow input delays the mix, which holds at most one buffer of the other input`()
    throws
  {
    let result = audioDiagram("abc|", "--a-b|").run(symbol: drawn) { $0[0].mixed(with: $0[1]) }
    #expect(
      result
        == .init(
          output: "--[<0 2>]-[<4 6>][<4 5>|]", taken: ["a-b-c-", "--a-b-"]))
  }

  @Test func `an error of one input ends the mix and releases all inputs`() {
    let result = audioDiagram("abcd|", "a^").run(symbol: drawn) { $0[0].mixed(with: $0[1]) }
    #expect(result == .init(output: "[<0 2>]^---", taken: ["ab---", "a----"]))
  }

  @Test func `a canceled mix ends`() {
    let result = audioDiagram("a--|", "a--|").run(demand: "*;", symbol: drawn) {
      MixedAudio([MixInput($0[0]), MixInput($0[1], gain: 2)])
    }
    #expect(result.output == "[<0 3>]|--")
  }

  @Test func `a mixer holds at most a buffer of each input over hours of audio`() throws {
    var mixer = AudioMixer(gains: [1, 1])
    var numbers = [0, 0]
    var most: FrameCount = 0
    while numbers[0] < 10_000 {
      guard case .ask(let input) = mixer.step() else { continue }
      let length = input == 0 ? 10 : 7
      let samples = [Float](repeating: 0, count: length)
      try mixer.push(audio(samples, at: FrameCount(numbers[input] * length)), from: input)
      numbers[input] += 1
      most = max(most, mixer.heldFrames)
    }
    #expect(most <= 17)
  }
}
