import ClientDependencies
import Foundation
import Testing

/// Values without a test value, which a test must override.
@Suite struct LiveOnlyValuesTests {
  @Dependency(\.calendar) private var calendar
  @Dependency(\.locale) private var locale
  @Dependency(\.preferredLocales) private var preferredLocales
  @Dependency(\.timeZone) private var timeZone
  @Dependency(\.uuid) private var uuid
  @Dependency(\.withRandomNumberGenerator) private var withRandomNumberGenerator

  @Test func `the live calendar, locale, and time zone are the user's`() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(calendar == .autoupdatingCurrent)
      #expect(locale == .autoupdatingCurrent)
      #expect(
        preferredLocales.map(\.identifier)
          == Locale.preferredLanguages.map { Locale(identifier: $0).identifier })
      #expect(timeZone == .autoupdatingCurrent)
      #expect(uuid() != uuid())
      #expect((1...6).contains(withRandomNumberGenerator { .random(in: 1...6, using: &$0) }))
    }
  }

  @Test func `a missing override is an issue that names the property, and the live value is used`()
  {
    expectIssue("\\.calendar") { #expect(calendar == .autoupdatingCurrent) }
    expectIssue("\\.locale") { #expect(locale == .autoupdatingCurrent) }
    expectIssue("\\.preferredLocales") { _ = preferredLocales }
    expectIssue("\\.timeZone") { #expect(timeZone == .autoupdatingCurrent) }
    expectIssue("\\.uuid") { #expect(uuid() != UUID(0)) }
    expectIssue("\\.withRandomNumberGenerator") {
      #expect(withRandomNumberGenerator { Int.random(in: 1...1, using: &$0) } == 1)
    }
  }

  @Test func `a test can override the calendar, the locales, and the time zone`() {
    let spanish = Locale(identifier: "es-ES")
    withDependencies {
      $0.calendar = Calendar(identifier: .hebrew)
      $0.locale = spanish
      $0.preferredLocales = [spanish, Locale(identifier: "en-US")]
      $0.timeZone = .gmt
    } operation: {
      #expect(calendar.identifier == .hebrew)
      #expect(locale.identifier == spanish.identifier)
      #expect(preferredLocales == [spanish, Locale(identifier: "en-US")])
      #expect(timeZone == .gmt)
    }
  }

  private func expectIssue(_ name: String, _ operation: () -> Void) {
    withKnownIssue {
      operation()
    } matching: { issue in
      issue.comments.first?.rawValue.contains("@Dependency(\(name))") == true
    }
  }
}
