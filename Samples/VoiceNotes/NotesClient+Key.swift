public import ClientDependencies

extension NotesClient: TestDependencyKey {
  /// A client that reports an issue for every call.
  public static var testValue: NotesClient { NotesClient() }
}

extension DependencyValues {
  /// The client that keeps notes.
  public var notes: NotesClient {
    get { self[NotesClient.self] }
    set { self[NotesClient.self] = newValue }
  }
}
