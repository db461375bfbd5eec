import ArgumentParser

/// The value of `--pick-channels`: numbers from 1 on with commas between them.
struct ChannelList: Equatable, ExpressibleByArgument {
  /// Counted from 0.
  let indices: [Int]

  init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    let indices = numbers.compactMap { $0 }.filter { (1...64).contains($0) }.map { $0 - 1 }
    guard indices.count == numbers.count, (1...32).contains(indices.count) else { return nil }
    self.indices = indices
  }
}
