import AudioRecorderClient
import AudioThreads
import Synchronization

/// The commands on their way to a recording.
final class RecordingControl: Sendable {
  private struct State {
    var commands: [(block: Int, command: RecordingCommand)] = []
    var lastBlock = 0
    var isStopping = false
  }

  /// Signalled when it is to end; for an output that would otherwise hold up the end.
  let hurry: WakeUp?

  // Held for a few instructions by those who command and by the recording's thread.
  private let state = Mutex(State())

  init(hurry: WakeUp? = nil) {
    self.hurry = hurry
  }

  /// Whether there is no command on its way.
  var isEmpty: Bool { state.withLock(\.commands.isEmpty) }

  /// Whether it is to end; for who has so much to do that the end would be long in coming.
  var isStopping: Bool { state.withLock(\.isStopping) }

  /// Says that it is to end, which the capture's own stop brings about.
  func stop() {
    state.withLock { $0.isStopping = true }
    hurry?.signal()
  }

  /// - Parameter block: the number of the first block that it is for.
  func send(_ command: RecordingCommand, from block: Int = 0) {
    state.withLock { $0.commands.append((block, command)) }
  }

  /// The commands since the last call that are for this block and those after it, in order.
  func takeAll(at block: Int) -> [RecordingCommand] {
    state.withLock { state in
      // A device that was opened anew counts anew.
      let count =
        block < state.lastBlock
        ? state.commands.count : state.commands.prefix { $0.block <= block }.count
      defer { state.commands.removeFirst(count) }
      state.lastBlock = block
      return state.commands[..<count].map(\.command)
    }
  }
}
