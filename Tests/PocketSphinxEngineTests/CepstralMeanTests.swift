import Testing

@testable import PocketSphinxEngine

@Suite struct CepstralMeanTests {
  @Test func `there is no mean of nothing`() {
    #expect(CepstralMean().value == nil)
  }

  @Test func `the mean is that of all frames`() {
    var mean = CepstralMean()
    mean.add([1, 10])
    mean.add([3, 20])
    #expect(mean.value == [2, 15])
  }

  @Test func `digital silence does not count`() {
    var mean = CepstralMean()
    mean.add([2, 10])
    mean.add([-30, 0])
    #expect(mean.value == [2, 10])
  }

  @Test func `a new utterance begins with the mean of those before`() {
    var mean = CepstralMean()
    for _ in 0..<1000 { mean.add([4]) }
    mean.beginUtterance()
    #expect(mean.value == [4])
  }

  @Test func `a long past weighs no more than two seconds`() {
    var mean = CepstralMean()
    for _ in 0..<1000 { mean.add([4]) }
    mean.beginUtterance()
    for _ in 0..<200 { mean.add([8]) }
    #expect(mean.value == [6])
  }
}
