// Authors of clients need both modules, and the expansions use the first.
@_exported public import ClientDependencies
