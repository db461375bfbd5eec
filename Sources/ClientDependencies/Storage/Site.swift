#if !PointFreeDependencies
import Synchronization

/// Where a wrapper was declared: one word, which every read hands on.
///
/// The places are kept for ever, one for each place in the source and not for each wrapper.
@usableFromInline
struct Site: @unchecked Sendable {
  // `@unchecked` is right, because the memory that it points to never changes and is never freed.
  private let place: UnsafePointer<Place>

  fileprivate struct Place: ~Copyable {
    let location: SourceLocation
    let next = Atomic<UnsafePointer<Place>?>(nil)

    func isAt(_ fileID: StaticString, _ line: UInt, _ column: UInt) -> Bool {
      location.line == line && location.column == column
        && location.fileID.utf8Start == fileID.utf8Start
    }
  }

  var location: SourceLocation { place.pointee.location }

  @usableFromInline
  init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    place = Self.place(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension Site {
  fileprivate typealias Link = Atomic<UnsafePointer<Place>?>

  private static let count = 1024
  private static let buckets = Buckets()

  // `@unchecked` is right, because the links are atomic.
  private struct Buckets: @unchecked Sendable {
    let first: UnsafeMutablePointer<Link>

    init() {
      first = .allocate(capacity: count)
      for index in 0..<count { (first + index).initialize(to: Link(nil)) }
    }
  }

  /// The place that is known already, otherwise a new one: lists that only grow need no lock.
  private static func place(
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) -> UnsafePointer<Place> {
    let bucket = buckets.first + Int((line &* 31 &+ column) % UInt(count))
    var next = bucket.pointee.load(ordering: .acquiring)
    while let place = next {
      if place.pointee.isAt(fileID, line, column) { return place }
      next = place.pointee.next.load(ordering: .acquiring)
    }
    return append(
      SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      to: bucket.pointee)
  }

  /// Two threads that come at once may both append their place; either is as good.
  private static func append(
    _ location: SourceLocation, to bucket: borrowing Link
  ) -> UnsafePointer<Place> {
    let new = UnsafeMutablePointer<Place>.allocate(capacity: 1)
    new.initialize(to: Place(location: location))
    let place = UnsafePointer(new)
    var occupant = publish(place, at: bucket)
    while let earlier = occupant { occupant = publish(place, at: earlier.pointee.next) }
    return place
  }

  private static func publish(
    _ place: UnsafePointer<Place>, at link: borrowing Link
  ) -> UnsafePointer<Place>? {
    link.compareExchange(expected: nil, desired: place, ordering: .acquiringAndReleasing).original
  }
}
#endif
