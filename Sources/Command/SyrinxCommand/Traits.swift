#if !Command
#error("Build the command with its traits: swift build --traits Development")
#endif
