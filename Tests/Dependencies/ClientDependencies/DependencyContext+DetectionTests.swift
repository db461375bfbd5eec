import Testing

@testable import ClientDependencies

@Suite struct ContextDetectionTests {
  @Test
  func `an ordinary program uses the live context, and a test process uses the test context`() {
    #expect(context([:], isTesting: false) == .live)
    #expect(context([:], isTesting: true) == .test)
  }

  @Test func `XCODE_RUNNING_FOR_PREVIEWS=1 selects the preview context`() {
    #expect(context(["XCODE_RUNNING_FOR_PREVIEWS": "1"], isTesting: false) == .preview)
    #expect(context(["XCODE_RUNNING_FOR_PREVIEWS": "0"], isTesting: false) == .live)
  }

  @Test(arguments: DependencyContext.allCases)
  func `the environment variable takes precedence over the detected context`(
    wanted: DependencyContext
  ) {
    let environment = [
      "SWIFT_DEPENDENCIES_CONTEXT": wanted.rawValue, "XCODE_RUNNING_FOR_PREVIEWS": "1",
    ]
    #expect(context(environment, isTesting: true) == wanted)
    #expect(context(environment, isTesting: false) == wanted)
  }

  @Test(arguments: ["production", "Live", ""])
  func `an invalid context override is reported and ignored`(text: String) {
    let detection = ContextDetection(
      environment: ["SWIFT_DEPENDENCIES_CONTEXT": text], isTesting: false)
    #expect(detection.context == .live)
    #expect(
      detection.complaint == """
        The environment variable SWIFT_DEPENDENCIES_CONTEXT has the invalid value '\(text)': the context is 'live'. \
        Set it to one of 'live', 'preview', 'test', or unset it.
        """)
  }

  private func context(_ environment: [String: String], isTesting: Bool) -> DependencyContext {
    let detection = ContextDetection(environment: environment, isTesting: isTesting)
    #expect(detection.complaint == nil)
    return detection.context
  }
}
