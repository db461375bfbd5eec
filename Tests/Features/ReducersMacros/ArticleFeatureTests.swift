import ClientDependencies
import ClientDependenciesMacros
import ReducersMacros
import Testing

/// Runs the features of the articles about reducers.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ArticleFeatureTests {
  @Test func `a test checks each step of a feature that loads data through its client`() async {
    let store = TestStore(initialState: Journeys.State()) {
      Journeys()
    } withDependencies: {
      $0.journeyClient.fetch = { ["Alps", "Andes"] }
    }
    await store.send(.onAppear) { $0.isLoading = true }
    await store.receive(\.journeysLoaded.success, ["Alps", "Andes"]) {
      $0.isLoading = false
      $0.journeys = ["Alps", "Andes"]
    }
  }

  @Test func `a failure shows an alert, and each of its buttons closes the alert`() async {
    struct Offline: Error {}
    let store = TestStore(initialState: Journeys.State()) {
      Journeys()
    } withDependencies: {
      $0.journeyClient.fetch = { throw Offline() }
    }
    await store.send(.onAppear) { $0.isLoading = true }
    await store.receive(\.journeysLoaded.failure) {
      $0.isLoading = false
      $0.destination = .alert(.offline)
    }
    await store.send(.destination(.presented(.alert(.retry)))) {
      $0.destination = nil
      $0.isLoading = true
    }
    await store.receive(\.journeysLoaded.failure) {
      $0.isLoading = false
      $0.destination = .alert(.offline)
    }
    await store.send(.destination(.dismiss)) { $0.destination = nil }
  }

  @Test func `a destination can change its state and dismiss itself`() async {
    let store = TestStore(initialState: Journeys.State(journeys: ["Alps"])) { Journeys() }
    await store.send(.renameTapped) { $0.destination = .rename(Rename.State(name: "Alps")) }
    await store.send(.destination(.presented(.rename(.set(\.name, "Alpes"))))) {
      $0.destination = .rename(Rename.State(name: "Alpes"))
    }
    await store.send(.destination(.presented(.rename(.done))))
    await store.receive(\.destination.dismiss) {
      $0.destination = nil
      $0.journeys = ["Alpes"]
    }
  }
}

@DependencyClient
struct JourneyClient: Sendable {
  var fetch: @Sendable () async throws -> [String]
}

extension JourneyClient: TestDependencyKey {
  static let testValue = JourneyClient()
}

extension DependencyValues {
  var journeyClient: JourneyClient {
    get { self[JourneyClient.self] }
    set { self[JourneyClient.self] = newValue }
  }
}

@Reducer
struct Rename {
  @ObservableState
  struct State: Equatable {
    var name: String
  }

  enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case done
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { _, action in
      switch action {
      case .binding: .none
      case .done: .run { [dismiss] _ in await dismiss() }
      }
    }
  }
}

@Reducer
struct Journeys {
  @Reducer
  enum Destination {
    case alert(AlertState<Alert>)
    case rename(Rename)

    enum Alert: Sendable {
      case retry
    }
  }

  @ObservableState
  struct State: Equatable {
    var isLoading = false
    var journeys: [String] = []
    @Presents var destination: Destination.State?
  }

  enum Action: Sendable {
    case onAppear
    case renameTapped
    case journeysLoaded(Result<[String], any Error>)
    case destination(PresentationAction<Destination.Action>)
  }

  @Dependency(\.journeyClient) var journeyClient

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .onAppear, .destination(.presented(.alert(.retry))):
        state.isLoading = true
        return .run { [journeyClient] send in
          await send(.journeysLoaded(Result { try await journeyClient.fetch() }))
        }
      case .journeysLoaded(.success(let journeys)):
        (state.isLoading, state.journeys) = (false, journeys)
        return .none
      case .journeysLoaded(.failure):
        state.isLoading = false
        state.destination = .alert(.offline)
        return .none
      case .renameTapped:
        state.destination = .rename(Rename.State(name: state.journeys.first ?? ""))
        return .none
      case .destination(.dismiss):
        if case .rename(let rename) = state.destination { state.journeys[0] = rename.name }
        return .none
      case .destination: return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
  }
}

extension Journeys.Destination.State: Equatable {}
extension Journeys.Destination.Action: Sendable {}

extension AlertState<Journeys.Destination.Alert> {
  fileprivate static var offline: Self {
    AlertState {
      TextState("You are offline")
    } actions: {
      ButtonState(action: .retry) { TextState("Try again") }
    }
  }
}
