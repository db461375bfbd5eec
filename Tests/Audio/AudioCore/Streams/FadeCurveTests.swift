import AudioCore
import Testing

@Suite struct FadeCurveTests {
  @Test(arguments: FadeCurve.allCases)
  func `a fade curve rises from 0 to 1 and stays at 1`(curve: FadeCurve) {
    let gains = (0...100).map { curve.gain(at: Double($0) / 100) }
    #expect(gains.first == 0 && gains.last == 1)
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 < $1 })
    #expect(curve.gain(at: -1) == 0 && curve.gain(at: 2) == 1)
  }

  @Test func `each fade curve has its documented value in the middle`() {
    func middle(_ curve: FadeCurve) -> Double {
      (Double(curve.gain(at: 0.5)) * 10_000).rounded() / 10_000
    }
    #expect(middle(.linear) == 0.5)
    #expect(middle(.equalPower) == 0.7071)
    #expect(middle(.exponential) == 0.0316)
    #expect(middle(.smooth) == 0.5)
  }

  @Test func `an equal-power fade-in and fade-out have a constant total power`() {
    for progress in stride(from: 0.0, through: 1, by: 0.1) {
      let (rising, falling) = (
        FadeCurve.equalPower.gain(at: progress), FadeCurve.equalPower.gain(at: 1 - progress)
      )
      #expect(abs(rising * rising + falling * falling - 1) < 1e-6)
    }
  }
}
