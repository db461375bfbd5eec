/// A processor with what came out of it and has not been asked for.
struct ProcessorQueue<Processor: AudioProcessor> {
  private(set) var isOpen: Bool
  private var processor: Processor
  private var outputs: ArraySlice<Processor.Output> = []

  init(_ processor: Processor) {
    self.processor = processor
    isOpen = !processor.isOver
  }

  mutating func next() -> Processor.Output? { outputs.popFirst() }

  mutating func take(_ buffer: AudioBuffer) throws(Processor.Failure) {
    do throws(Processor.Failure) {
      outputs = try processor.take(buffer)[...]
      isOpen = !processor.isOver
    } catch {
      isOpen = false
      throw error
    }
  }

  mutating func finish() throws(Processor.Failure) {
    isOpen = false
    outputs = try processor.finish()[...]
  }
}
