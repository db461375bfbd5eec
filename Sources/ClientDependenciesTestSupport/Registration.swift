#if !PointFreeDependencies
import ClientDependencies
import XCTest

/// Runs when the process loads this module, before any test: whoever links the product need not
/// import or call anything.
@section(".init_array") @used
private let register: @convention(c) () -> Void = { registerWithFrameworks() }

private func registerWithFrameworks() {
  TestFramework.install(.swiftTesting)
  XCTestObservationCenter.shared.addTestObserver(XCTestCaseObserver())
}
#endif
