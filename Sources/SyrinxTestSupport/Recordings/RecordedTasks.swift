import FilePaths
import Foundation

/// A recording that was read: what happened in each task, in order.
struct RecordedTasks {
  let tasks: [[RecordedLine]]

  init(url: URL, header: RecordedHeader) throws(ReplayError) {
    let data: Data
    do throws(FilePathError) {
      data = Data(try FilePath(url).contents())
    } catch {
      throw .unreadable(reason: "\(FilePath(url)) cannot be read: \(error.readingReason)")
    }
    let lines = data.split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first, let found = try? Self.decode(RecordedHeader.self, first),
      found == header
    else {
      throw .unreadable(
        reason: "\(FilePath(url)) is no recording of the format \(header.format), version "
          + "\(header.version): its first line says otherwise")
    }
    var tasks: [Int: [RecordedLine]] = [:]
    for (index, line) in lines.enumerated().dropFirst() {
      do {
        let line = try Self.decode(RecordedLine.self, line)
        // A task has a line at least, so that there are no more of them than lines.
        guard (0..<lines.count).contains(line.task), line.block?.frames ?? 0 >= 0 else {
          throw Damage(line: line)
        }
        tasks[line.task, default: []].append(line)
      } catch let error as UnknownName {
        throw .unreadable(
          reason: "\(FilePath(url)), line \(index + 1), is of a newer version: \(error)")
      } catch {
        throw .unreadable(reason: "\(FilePath(url)), line \(index + 1), is damaged: \(error)")
      }
    }
    self.tasks = (0..<((tasks.keys.max() ?? -1) + 1)).map { tasks[$0] ?? [] }
  }

  /// A line with numbers that nothing has.
  private struct Damage: Error, CustomStringConvertible {
    let line: RecordedLine

    var description: String {
      "it is of task \(line.task)" + (line.block.map { " and has \($0.frames) frames" } ?? "")
    }
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ line: Data) throws -> Value {
    try JSONDecoder().decode(type, from: line)
  }
}
