import ClientDependencies
import SoundCard
import Testing

@Suite struct SoundCardKeyTests {
  @Test func `a call of an unimplemented endpoint in a detached task fails the test`() async {
    await withKnownIssue {
      @Dependency(\.soundCard) var client
      await Task.detached { [client] in _ = try? await client.devices() }.value
    } matching: {
      $0.comments.first?.rawValue == "Unimplemented: 'SoundCard.devices'"
    }
  }
}
