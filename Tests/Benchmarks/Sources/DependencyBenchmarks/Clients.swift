import ClientDependencies

/// A client of typical size and shape.
struct Player: Sendable {
  var play: @Sendable (_ frames: Int) -> Int
  var stop: @Sendable () -> Void
}

extension Player: DependencyKey {
  static let liveValue = Player(play: { $0 &+ 1 }, stop: {})
  static let testValue = Player(play: { $0 }, stop: {})
}

enum VolumeKey: DependencyKey {
  static let liveValue = 1
  static let testValue = 2
}

extension DependencyValues {
  var player: Player {
    get { self[Player.self] }
    set { self[Player.self] = newValue }
  }
  var volume: Int {
    get { self[VolumeKey.self] }
    set { self[VolumeKey.self] = newValue }
  }
}

/// A typical feature, which stores its dependencies.
struct Feature: Sendable {
  @Dependency(\.volume) var volume
  @Dependency(VolumeKey.self) var volumeByKey
  @Dependency(\.player) var player
  @Dependency(\.player.play) var play
}

/// A typical model object.
final class Model {
  @Dependency(\.volume) var volume
}

/// The bare Swift operation that all others are compared with.
enum Bare {
  @TaskLocal static var value = 1
}
