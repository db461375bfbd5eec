import Testing

@testable import ClientDependencies

@Suite struct ContextDetectionTests {
  @Test func `a program at work is live and a process of a test framework is a test`() {
    #expect(context([:], isTesting: false) == .live)
    #expect(context([:], isTesting: true) == .test)
  }

  @Test func `the mark of a preview makes a preview`() {
    #expect(context(["XCODE_RUNNING_FOR_PREVIEWS": "1"], isTesting: false) == .preview)
    #expect(context(["XCODE_RUNNING_FOR_PREVIEWS": "0"], isTesting: false) == .live)
  }

  @Test(arguments: DependencyContext.allCases)
  func `the override decides before everything else`(wanted: DependencyContext) {
    let environment = [
      "SWIFT_DEPENDENCIES_CONTEXT": wanted.rawValue, "XCODE_RUNNING_FOR_PREVIEWS": "1",
    ]
    #expect(context(environment, isTesting: true) == wanted)
    #expect(context(environment, isTesting: false) == wanted)
  }

  @Test(arguments: ["production", "Live", ""])
  func `an override that is no context is complained about and ignored`(text: String) {
    let detection = ContextDetection(
      environment: ["SWIFT_DEPENDENCIES_CONTEXT": text], isTesting: false)
    #expect(detection.context == .live)
    #expect(
      detection.complaint == """
        The environment variable SWIFT_DEPENDENCIES_CONTEXT is '\(text)', which is no context: 'live' is used. \
        Set it to one of 'live', 'preview', 'test', or unset it.
        """)
  }

  private func context(_ environment: [String: String], isTesting: Bool) -> DependencyContext {
    let detection = ContextDetection(environment: environment, isTesting: isTesting)
    #expect(detection.complaint == nil)
    return detection.context
  }
}
