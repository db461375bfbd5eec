import FilePaths
import Foundation

/// Models of a few operators, in ONNX format.
enum TinyModel {
  /// A model of `y = x + x`, for floats of shape [1, any].
  static var doubling: Message {
    model(graph(nodes: [node("Add", ["x", "x"], ["y"])], inputs: [row("x")], outputs: [row("y")]))
  }

  /// A model that returns `x` after `count` iterations, or once `go` is false.
  static var endless: Message {
    let body = graph(
      nodes: [node("Identity", ["go_on"], ["goes_on"]), node("Identity", ["value"], ["same"])],
      inputs: [
        value("index", type: 7, shape: []), value("go_on", type: 9, shape: []), row("value"),
      ],
      outputs: [value("goes_on", type: 9, shape: []), row("same")])
    return model(
      graph(
        nodes: [node("Loop", ["count", "go", "x"], ["y"], attributes: ["body": body])],
        inputs: [value("count", type: 7, shape: []), value("go", type: 9, shape: []), row("x")],
        outputs: [row("y")]))
  }

  /// An encoder that has Moonshine's inputs and outputs and never returns.
  static var endlessEncoder: Message {
    let body = graph(
      nodes: [node("Identity", ["go_on"], ["goes_on"]), node("Identity", ["value"], ["same"])],
      inputs: [
        value("index", type: 7, shape: []), value("go_on", type: 9, shape: []), row("value"),
      ],
      outputs: [value("goes_on", type: 9, shape: []), row("same")])
    var graph = graph(
      nodes: [
        node("Loop", ["forever", "yes", "input_values"], ["row"], attributes: ["body": body]),
        node("Unsqueeze", ["row", "axes"], ["last_hidden_state"]),
      ],
      inputs: [row("input_values")],
      outputs: [value("last_hidden_state", type: 1, shape: [1, 1, nil])])
    graph = graph.message(5, Message().number(2, 7).number(7, .max).text(8, "forever"))
    graph = graph.message(5, Message().number(2, 9).number(5, 1).text(8, "yes"))
    graph = graph.message(5, Message().number(1, 1).number(2, 7).number(7, 0).text(8, "axes"))
    return model(graph)
  }

  /// A model of `y = x * sqrt(size) * sqrt(4)`, where `size` is the length of the last dimension of
  /// `x`.
  static var scaling: Message {
    let float = Message().message(5, Message().text(1, "to").number(3, 1).number(20, 2))
    var graph = graph(
      nodes: [
        node("Shape", ["x"], ["shape"]), node("Slice", ["shape", "last", "end"], ["size"]),
        Message(bytes: node("Cast", ["size"], ["float"]).bytes + float.bytes),
        node("Sqrt", ["float"], ["scale"]), node("Mul", ["x", "scale"], ["scaled"]),
        Message(bytes: node("Cast", ["four"], ["other"]).bytes + float.bytes),
        node("Sqrt", ["other"], ["two"]), node("Mul", ["scaled", "two"], ["y"]),
      ],
      inputs: [row("x")], outputs: [row("y")])
    for (name, value) in [("last", 1), ("end", Int.max), ("four", 4)] {
      graph = graph.message(5, Message().number(1, 1).number(2, 7).number(7, value).text(8, name))
    }
    return model(graph)
  }

  /// Returns a model of `y = go ? x * w : x * v` with 8-bit weights.
  ///
  /// `w` is `(byte - zero) * scale` for `bytes` in two rows. `v` is the same for `bytes` in two
  /// columns, transposed. `offset` is `-zero * scale`.
  static func weighing(bytes: [Int8], scale: Float, offset: Float) -> Message {
    let length = bytes.count / 2
    func tensor(_ name: String, type: Int, _ shape: [Int], _ content: [UInt8]) -> Message {
      let dimensions = shape.reduce(Message()) { $0.number(1, $1) }
      return dimensions.number(2, type).text(8, name).message(9, Message(bytes: content))
    }
    func float(_ value: Float) -> [UInt8] { withUnsafeBytes(of: value, Array.init) }
    let cast = Message().message(5, Message().text(1, "to").number(3, 1).number(20, 2))
    let chains = ["w", "v"].flatMap { name in
      [
        Message(bytes: node("Cast", ["\(name)Bytes"], ["\(name)Cast"]).bytes + cast.bytes),
        node("Mul", ["\(name)Cast", "scale"], ["\(name)Mul"]),
        node("Add", ["\(name)Mul", "offset"], [name]),
      ]
    }
    let branches = [
      [node("MatMul", ["x", "w"], ["left"])],
      [node("Transpose", ["v"], ["turned"]), node("MatMul", ["x", "turned"], ["right"])],
    ].map { nodes in
      graph(nodes: nodes, inputs: [], outputs: [row(nodes.count == 1 ? "left" : "right")])
    }
    let choice = node(
      "If", ["go"], ["y"], attributes: ["then_branch": branches[0], "else_branch": branches[1]])
    var main = graph(
      nodes: chains + [choice], inputs: [value("go", type: 9, shape: []), row("x")],
      outputs: [row("y")])
    let content = bytes.map { UInt8(bitPattern: $0) }
    for tensor in [
      tensor("wBytes", type: 3, [2, length], content),
      tensor("vBytes", type: 3, [length, 2], content),
      tensor("scale", type: 1, [1], float(scale)), tensor("offset", type: 1, [1], float(offset)),
    ] {
      main = main.message(5, tensor)
    }
    return model(main)
  }

  /// Returns a model of `y = go ? x + x : x`, nested `depth` times; the branches' graphs have no
  /// names.
  static func choosing(depth: Int = 2) -> Message {
    model(
      graph(
        nodes: [choice(depth, "y")], inputs: [value("go", type: 9, shape: []), row("x")],
        outputs: [row("y")]))
  }

  private static func choice(_ depth: Int, _ output: String) -> Message {
    let branches = [("Add", ["x", "x"]), ("Identity", ["x"])].map { type, inputs in
      let result = "\(output)\(type)"
      let inner = depth > 1 ? choice(depth - 1, result) : node(type, inputs, [result])
      return graph(name: nil, nodes: [inner], inputs: [], outputs: [row(result)])
    }
    return node(
      "If", ["go"], [output], attributes: ["then_branch": branches[0], "else_branch": branches[1]])
  }

  private static func model(_ graph: Message) -> Message {
    Message().number(1, 8).message(7, graph).message(8, Message().number(2, 17))
      .message(8, Message().text(1, "com.microsoft").number(2, 1))
  }

  private static func graph(
    name: String? = "graph", nodes: [Message], inputs: [Message], outputs: [Message]
  ) -> Message {
    var graph = Message()
    for node in nodes { graph = graph.message(1, node) }
    if let name { graph = graph.text(2, name) }
    for input in inputs { graph = graph.message(11, input) }
    for output in outputs { graph = graph.message(12, output) }
    return graph
  }

  private static func node(
    _ type: String, _ inputs: [String], _ outputs: [String], attributes: [String: Message] = [:]
  ) -> Message {
    var node = Message()
    for input in inputs { node = node.text(1, input) }
    for output in outputs { node = node.text(2, output) }
    node = node.text(4, type)
    for (name, graph) in attributes {
      node = node.message(5, Message().text(1, name).message(6, graph).number(20, 5))
    }
    return node
  }

  private static func row(_ name: String) -> Message { value(name, type: 1, shape: [1, nil]) }

  private static func value(_ name: String, type: Int, shape: [Int?]) -> Message {
    var dimensions = Message()
    for length in shape {
      dimensions = dimensions.message(
        1, length.map { Message().number(1, $0) } ?? Message().text(2, "n"))
    }
    let tensor = Message().number(1, type).message(2, dimensions)
    return Message().text(1, name).message(2, Message().message(1, tensor))
  }
}

/// A protobuf message.
package struct Message {
  private(set) var bytes: [UInt8]

  init(bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  func number(_ field: Int, _ value: Int) -> Message {
    Message(bytes: bytes + Self.varint(field << 3) + Self.varint(value))
  }

  func text(_ field: Int, _ text: String) -> Message {
    message(field, Message(bytes: Array(text.utf8)))
  }

  func message(_ field: Int, _ message: Message) -> Message {
    Message(
      bytes: bytes + Self.varint(field << 3 | 2) + Self.varint(message.bytes.count) + message.bytes)
  }

  /// Writes the message to a file.
  func write(to url: URL) throws -> FilePath {
    try Data(bytes).write(to: url)
    return FilePath(url)
  }

  private static func varint(_ number: Int) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F | 0x80)] + varint(number >> 7)
  }
}
