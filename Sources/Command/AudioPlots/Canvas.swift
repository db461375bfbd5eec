import AudioCore
import CCairo
import CPNG

/// The formats of a plot.
public enum PlotFormat: String, Hashable, Sendable, CaseIterable {
  case png, svg, pdf
}

/// The owner of a cairo surface and its context.
///
/// Lengths are in pixels, and the origin is at the top left.
struct Canvas: ~Copyable {
  let width: Double
  let height: Double
  private let format: PlotFormat
  private let surface: OpaquePointer?
  private let context: OpaquePointer?
  /// The bytes that cairo has written, on the heap because cairo keeps their address.
  private let output: UnsafeMutablePointer<[UInt8]>

  /// Appends bytes from cairo to `output`, whose address cairo passes as `closure`.
  private static let write: cairo_write_func_t = { closure, data, length in
    guard let closure, let data else { return CAIRO_STATUS_WRITE_ERROR }
    let output = closure.assumingMemoryBound(to: [UInt8].self)
    output.pointee += UnsafeBufferPointer(start: data, count: Int(length))
    return CAIRO_STATUS_SUCCESS
  }

  init(_ format: PlotFormat, width: Int, height: Int) throws(PlotError) {
    (self.width, self.height, self.format) = (Double(width), Double(height), format)
    output = .allocate(capacity: 1)
    output.initialize(to: [])
    let (wide, high) = (Double(width), Double(height))
    surface =
      switch format {
      case .png: cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
      case .svg: cairo_svg_surface_create_for_stream(Self.write, output, wide, high)
      case .pdf: cairo_pdf_surface_create_for_stream(Self.write, output, wide, high)
      }
    context = cairo_create(surface)
    try Self.check(cairo_status(context))
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
  }

  deinit {
    cairo_destroy(context)
    cairo_surface_destroy(surface)
    output.deinitialize(count: 1).deallocate()
  }

  private static func check(_ status: cairo_status_t) throws(PlotError) {
    guard status != CAIRO_STATUS_SUCCESS else { return }
    throw .drawing(reason: String(cString: cairo_status_to_string(status)))
  }

  /// Ends the drawing and returns the bytes of the file.
  consuming func data() throws(PlotError) -> [UInt8] {
    if format == .png { return try png() }
    cairo_surface_finish(surface)
    try Self.check(cairo_surface_status(surface))
    return output.pointee
  }

  /// Encodes a `.png` canvas with fast compression.
  ///
  /// cairo's own encoder takes three to six times as long, and its files are not always smaller.
  ///
  /// The corresponding C function is `png_image_write_to_memory`.
  private func png() throws(PlotError) -> [UInt8] {
    cairo_surface_flush(surface)
    guard let data = cairo_image_surface_get_data(surface) else {
      throw .drawing(reason: "no memory")
    }
    // Removes the unused fourth byte of each pixel. cairo stores rows of four-byte pixels without
    // gaps.
    let pixelCount = Int(width) * Int(height)
    for pixel in 0..<pixelCount {
      for part in 0..<3 { data[pixel * 3 + part] = data[pixel * 4 + part] }
    }
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    (image.width, image.height) = (UInt32(width), UInt32(height))
    (image.format, image.flags) = (UInt32(PNG_FORMAT_BGR), UInt32(PNG_IMAGE_FLAG_FAST))
    // This size is an upper limit: even incompressible pixels need fewer bytes.
    var size = pixelCount * 3 + pixelCount / 25 + 4_096
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      let isWritten = png_image_write_to_memory(&image, bytes.baseAddress, &size, 0, data, 0, nil)
      count = isWritten != 0 ? size : 0
    }
    guard !bytes.isEmpty else {
      let reason = withUnsafeBytes(of: image.message) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw .drawing(reason: "libpng: \(reason)")
    }
    return bytes
  }

  /// Returns the pixels of a `.png` canvas as rows of red, green, and blue; empty for other
  /// formats.
  consuming func pixels() -> Bitmap {
    cairo_surface_flush(surface)
    guard format == .png, let data = cairo_image_surface_get_data(surface) else {
      return Bitmap(width: 0, height: 0)
    }
    var bitmap = Bitmap(width: Int(width), height: Int(height))
    let stride = Int(cairo_image_surface_get_stride(surface))
    for row in 0..<bitmap.height {
      for column in 0..<bitmap.width {
        // A pixel of RGB24 is a 32-bit number: blue first on little-endian machines.
        let pixel = data + row * stride + column * 4
        bitmap[column, row] = Color(
          red: Double(pixel[2]) / 255, green: Double(pixel[1]) / 255, blue: Double(pixel[0]) / 255)
      }
    }
    return bitmap
  }

  func fill(_ color: Color, x: Double, y: Double, width: Double, height: Double) {
    set(color)
    cairo_rectangle(context, x, y, width, height)
    cairo_fill(context)
  }

  func line(_ color: Color, from: (Double, Double), to: (Double, Double), width: Double = 1) {
    set(color)
    cairo_set_line_width(context, width)
    cairo_move_to(context, from.0, from.1)
    cairo_line_to(context, to.0, to.1)
    cairo_stroke(context)
  }

  /// Fills the area between the low and the high value at each x.
  func area(_ color: Color, _ points: [(x: Double, low: Double, high: Double)]) {
    guard let first = points.first else { return }
    set(color)
    cairo_move_to(context, first.x, first.high)
    for point in points { cairo_line_to(context, point.x, point.high) }
    for point in points.reversed() { cairo_line_to(context, point.x, point.low) }
    cairo_close_path(context)
    cairo_fill(context)
  }

  /// Writes text with its baseline at `y`; text beyond `limit` pixels is truncated.
  ///
  /// `anchor` is the part of the text's width that is left of `x`: 0 to begin there, 1 to end
  /// there.
  func text(
    _ text: String, x: Double, y: Double, anchor: Double = 0, size: Double = 11,
    color: Color = .ink, limit: Double? = nil
  ) {
    set(color)
    cairo_set_font_size(context, size)
    let width = width(of: text, size: size)
    let start = x - width * anchor
    cairo_save(context)
    if let limit {
      cairo_rectangle(context, x, y - 2 * size, limit, 3 * size)
      cairo_clip(context)
    }
    cairo_move_to(context, start, y)
    cairo_show_text(context, text)
    cairo_restore(context)
  }

  func width(of text: String, size: Double) -> Double {
    cairo_set_font_size(context, size)
    var extents = cairo_text_extents_t()
    cairo_text_extents(context, text, &extents)
    return extents.x_advance
  }

  /// Draws a picture, stretched to a rectangle.
  func picture(_ bitmap: Bitmap, x: Double, y: Double, width: Double, height: Double) {
    guard bitmap.width > 0, bitmap.height > 0 else { return }
    let source = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, Int32(bitmap.width), Int32(bitmap.height))
    defer { cairo_surface_destroy(source) }
    guard let data = cairo_image_surface_get_data(source) else { return }
    let stride = Int(cairo_image_surface_get_stride(source))
    for row in 0..<bitmap.height {
      for column in 0..<bitmap.width {
        let pixel = data + row * stride + column * 4
        let color = bitmap.color(column: column, row: row)
        (pixel[2], pixel[1], pixel[0]) = (color.red, color.green, color.blue)
      }
    }
    cairo_surface_mark_dirty(source)
    cairo_save(context)
    cairo_translate(context, x, y)
    cairo_scale(context, width / Double(bitmap.width), height / Double(bitmap.height))
    cairo_set_source_surface(context, source, 0, 0)
    cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR)
    cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
    cairo_rectangle(context, 0, 0, Double(bitmap.width), Double(bitmap.height))
    cairo_fill(context)
    cairo_restore(context)
  }

  private func set(_ color: Color) {
    cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
  }
}

/// An RGB color; each component is from 0 to 1.
struct Color: Hashable, Sendable {
  var red: Double
  var green: Double
  var blue: Double
  var alpha = 1.0

  /// Creates a color from a hexadecimal number, as in style sheets.
  init(_ hexadecimal: Int, alpha: Double = 1) {
    let parts = [16, 8, 0].map { Double(hexadecimal >> $0 & 0xFF) / 255 }
    self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
  }

  init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  static let paper = Color(0xFFFFFF)
  static let ink = Color(0x30343B)
  static let faint = Color(0x8A909A)
  static let grid = Color(0xE3E6EA)
  static let wave = Color(0x7FB0DE)
  static let core = Color(0x2C6CB0)
  static let clip = Color(0xD6453D)
  static let cue = Color(0xEAF1F8)

  var bytes: (red: UInt8, green: UInt8, blue: UInt8) {
    // Adding 0.5 rounds the value, because `rounded` would call the C library three times per
    // pixel.
    (UInt8(red * 255 + 0.5), UInt8(green * 255 + 0.5), UInt8(blue * 255 + 0.5))
  }

  /// Returns the color of a level in a spectrogram, 0 to 1.
  ///
  /// A higher level is always lighter, so that plots are readable in grayscale.
  static func heat(_ level: Double) -> Color {
    let position = max(0, min(level, 1)) * Double(heats.count - 1)
    let index = min(Int(clamping: position.rounded(.down)), heats.count - 2)
    let (low, high, part) = (heats[index], heats[index + 1], position - Double(index))
    return Color(
      red: low.red + (high.red - low.red) * part,
      green: low.green + (high.green - low.green) * part,
      blue: low.blue + (high.blue - low.blue) * part)
  }

  private static let heats = [
    0x05060F, 0x1B1447, 0x4A1B72, 0x82267A, 0xBB3A67, 0xE7604D, 0xF9994A, 0xFCD078, 0xFFFBDC,
  ].map { Color($0) }
}

/// Pixels in rows from the top.
public struct Bitmap: Sendable {
  /// The number of pixels in a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The pixels as 0xRRGGBB.
  private var pixels: [UInt32]

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    pixels = Array(repeating: 0xFF_FFFF, count: width * height)
  }

  subscript(column: Int, row: Int) -> Color {
    get { Color(Int(pixels[row * width + column])) }
    set {
      let (red, green, blue) = newValue.bytes
      let upper = UInt32(red) << 16 | UInt32(green) << 8
      pixels[row * width + column] = upper | UInt32(blue)
    }
  }

  /// Returns the red, green, and blue of a pixel.
  public func color(column: Int, row: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
    let pixel = pixels[row * width + column]
    return (
      UInt8(truncatingIfNeeded: pixel >> 16), UInt8(truncatingIfNeeded: pixel >> 8),
      UInt8(truncatingIfNeeded: pixel)
    )
  }
}
