import AudioThreads
import Testing

@Suite struct WishTests {
  @Test func `a wish is taken once`() {
    let wish = Wish()
    #expect(!wish.take())
    wish.make()
    wish.make()
    #expect(wish.take())
    #expect(!wish.take())
  }
}
