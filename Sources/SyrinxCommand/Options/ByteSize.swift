import ArgumentParser

/// The value of `--roll-bytes`: a size in bytes, or with k, M or G behind it in thousands, millions
/// or billions of them.
struct ByteSize: Equatable, ExpressibleByArgument {
  let byteCount: Int

  init?(argument: String) {
    let units = ["k": 1_000, "M": 1_000_000, "G": 1_000_000_000]
    let unit = argument.last.flatMap { units[String($0)] }
    let digits = unit == nil ? argument : String(argument.dropLast())
    guard let number = Int(digits), number > 0 else { return nil }
    let (product, isTooMuch) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooMuch else { return nil }
    byteCount = product
  }
}
