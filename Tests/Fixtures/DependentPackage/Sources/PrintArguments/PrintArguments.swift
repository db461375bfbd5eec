import ClientDependencies

@main
struct PrintArguments {
  static func main() async {
    @Dependency(\.date) var date
    print("\(date.now < .distantFuture):", CommandLine.arguments.dropFirst().joined(separator: " "))
  }
}
