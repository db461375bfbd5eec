#if !PointFreeDependencies
import Synchronization

/// A source location, for issues.
@usableFromInline
struct SourceLocation: Sendable {
  @usableFromInline var fileID: StaticString
  @usableFromInline var filePath: StaticString
  @usableFromInline var line: UInt
  @usableFromInline var column: UInt

  @inlinable
  init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}

/// The source location of a wrapper's declaration in one word, which every read passes on.
///
/// Locations are interned: one for each location in the source, kept for the process.
@usableFromInline
struct DeclarationSite: @unchecked Sendable {
  // `@unchecked` is right, because the memory never changes and is never freed.
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

  fileprivate typealias Link = Atomic<UnsafePointer<Place>?>

  private static let count = 1024
  // Right, because the links are atomic.
  private nonisolated(unsafe) static let buckets = {
    let buckets = UnsafeMutablePointer<Link>.allocate(capacity: count)
    for index in 0..<count { (buckets + index).initialize(to: Link(nil)) }
    return buckets
  }()

  /// Finds or adds a location.
  ///
  /// Lists that only grow need no lock.
  private static func place(
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) -> UnsafePointer<Place> {
    let bucket = buckets + Int((line &* 31 &+ column) % UInt(count))
    var next = bucket.pointee.load(ordering: .acquiring)
    while let place = next {
      if place.pointee.isAt(fileID, line, column) { return place }
      next = place.pointee.next.load(ordering: .acquiring)
    }
    return append(
      SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      to: bucket.pointee)
  }

  /// Two threads may both append the same location; either one is fine.
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
